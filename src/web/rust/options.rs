//! What a client for Rust is told once.

use alloc::{borrow::ToOwned, boxed::Box, rc::Rc, string::String, vec::Vec};
use core::{fmt, future::Future, pin::Pin};

use js_sys::{Array, Function};
use wasm_bindgen::JsValue;
use web_sys::Url;

use super::{Error, Session};
use crate::{
    policy::{Cause, CloseCode, Judgement, Settings, Verdict, options::SetOptionError},
    web::gateways::Gateway as Entry,
};

pub(super) type Promised<T> = Pin<Box<dyn Future<Output = T>>>;
pub(super) type ListHook = Rc<dyn Fn() -> Promised<Option<Vec<Gateway>>>>;
pub(super) type SessionHook = Rc<dyn Fn(Session) -> Promised<Result<(), SessionFailed>>>;
pub(super) type CloseHook = Rc<dyn Fn(&GatewayFailed) -> Judgement>;

/// One entry of the list: the URL of a gateway, and the sub-protocols to ask it for.
///
/// # Example
///
/// ```
/// use regate::Gateway;
///
/// let gateway = Gateway::new("wss://a.example/ws").with_protocols(["v2.example"]);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Gateway {
    url: String,
    protocols: Vec<String>,
}

impl Gateway {
    /// The gateway at this `ws:` or `wss:` URL.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), protocols: Vec::new() }
    }

    /// With these sub-protocols.
    #[must_use]
    pub fn with_protocols<P: Into<String>>(
        mut self,
        protocols: impl IntoIterator<Item = P>,
    ) -> Self {
        self.protocols = protocols.into_iter().map(Into::into).collect();
        self
    }
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gateway").finish_non_exhaustive() // URLs hold secrets
    }
}

impl<T: Into<String>> From<T> for Gateway {
    fn from(url: T) -> Self {
        Self::new(url)
    }
}

/// A list as the shell takes it.
///
/// # Errors
///
/// What is wrong with it. A URL may hold a secret, so none is shown.
pub(super) fn read_list(gateways: &[Gateway]) -> Result<Vec<Entry>, Error> {
    if gateways.is_empty() {
        return Err(Error::of_list("gateways", "must hold at least one gateway"));
    }
    let mut entries: Vec<Entry> = Vec::new();
    let mut known: Vec<(String, &[String])> = Vec::new();
    for (position, gateway) in gateways.iter().enumerate() {
        let name = alloc::format!("gateways[{position}]");
        let url =
            Url::new(&gateway.url).map_err(|_| Error::of_list(&name, "must be an absolute URL"))?;
        if !matches!(url.protocol().as_str(), "ws:" | "wss:") {
            return Err(Error::of_list(&name, "must have the scheme ws: or wss:"));
        }
        url.set_hash(""); // a WebSocket has none, and some platforms refuse it
        let protocols = &gateway.protocols;
        let wrong = (0..).zip(protocols).position(|(place, protocol)| {
            !is_token(protocol) || protocols.iter().take(place).any(|before| before == protocol)
        });
        if let Some(place) = wrong {
            let name = alloc::format!("{name}.protocols[{place}]");
            let rule = "must be different ones, each of what HTTP allows in a token";
            return Err(Error::of_list(&name, rule));
        }
        let key = (url.href(), protocols.as_slice());
        if known.contains(&key) {
            continue; // exact duplicates count once
        }
        known.push(key);
        entries.push(Entry {
            // Without user info, query and fragment, which hold what changes while the gateway stays.
            identity: alloc::format!("{}{}", url.origin(), url.pathname()).into(),
            url: url.href().into(),
            label: alloc::format!("{} [{position}]", url.origin()).into(),
            protocols: if protocols.is_empty() {
                JsValue::UNDEFINED
            } else {
                protocols.iter().map(JsValue::from).collect::<Array>().into()
            },
        });
    }
    Ok(entries)
}

/// Whether HTTP allows a text as a token, which a sub-protocol must be (RFC 6455, section 4.1).
fn is_token(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_graphic() && !b"()<>@,;:\\\"/[]?={}".contains(&byte);
    !text.is_empty() && text.bytes().all(allowed)
}

/// A failure that a close policy is asked about.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GatewayFailed {
    /// The gateway, by origin and position.
    pub gateway: String,
    /// Why.
    pub cause: Cause,
    /// The close code, where there is one.
    pub code: Option<CloseCode>,
    /// What the close event said; empty where there was none.
    pub reason: String,
    /// What it means unless the policy says otherwise.
    pub verdict: Verdict,
}

/// The session hook failed, and what that means for the gateway, if it says so.
///
/// Any [`Error`] turns into one by `?`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "to be made by applications")]
pub struct SessionFailed {
    /// What it means; `None` is the default, [`Verdict::Next`].
    pub verdict: Option<Verdict>,
}

impl From<Error> for SessionFailed {
    fn from(_: Error) -> Self {
        Self::default()
    }
}

/// What a [`Client`](super::Client) is told once.
///
/// # Example
///
/// ```
/// use regate::{Options, policy::{Ratio, Settings}};
///
/// # fn main() -> Result<(), regate::policy::options::SetOptionError> {
/// let mut settings = Settings::default();
/// settings.connection.jitter = Ratio::ZERO;
/// let options = Options::new(["wss://a.example/ws", "wss://b.example/ws"])
///     .with_settings(settings)
///     .with_setting("networking.firstConnect", "always")?; // as a configuration has it
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Options {
    pub(super) gateways: Vec<Gateway>,
    pub(super) settings: Settings,
    pub(super) seed: Option<u64>,
    pub(super) constructor: Option<Function>,
    pub(super) ping_method: String,
    pub(super) list: Option<ListHook>,
    pub(super) session: Option<SessionHook>,
    pub(super) close_policy: Option<CloseHook>,
}

impl Options {
    /// A client of these gateways, everything else by default.
    #[must_use]
    pub fn new<G: Into<Gateway>>(gateways: impl IntoIterator<Item = G>) -> Self {
        Self {
            gateways: gateways.into_iter().map(Into::into).collect(),
            settings: Settings::default(),
            seed: None,
            constructor: None,
            ping_method: "ping".to_owned(),
            list: None,
            session: None,
            close_policy: None,
        }
    }

    /// A client that asks for its gateways before every round, so that each dial has a fresh
    /// token. `None` where they cannot be had is one failed round.
    #[must_use]
    pub fn asking<F: Future<Output = Option<Vec<Gateway>>> + 'static>(
        list: impl Fn() -> F + 'static,
    ) -> Self {
        let mut options = Self::new::<Gateway>([]);
        options.list = Some(Rc::new(move || Box::pin(list())));
        options
    }

    /// With these settings. The hooks among them are set by the client itself.
    #[must_use]
    pub const fn with_settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// With one more setting, by a name of the options table or of an existing configuration.
    ///
    /// # Errors
    ///
    /// [`SetOptionError`] for a name that means nothing here, or a text that is no such value.
    pub fn with_setting(mut self, name: &str, text: &str) -> Result<Self, SetOptionError> {
        self.settings.set_by_name(name, text)?;
        Ok(self)
    }

    /// With a conversation on every new socket before anything else goes out: log in, restore.
    #[must_use]
    pub fn with_session<F: Future<Output = Result<(), SessionFailed>> + 'static>(
        mut self,
        session: impl Fn(Session) -> F + 'static,
    ) -> Self {
        self.session = Some(Rc::new(move |connection| Box::pin(session(connection))));
        self
    }

    /// With a say in what each failure of a gateway means.
    #[must_use]
    pub fn with_close_policy(
        mut self,
        policy: impl Fn(&GatewayFailed) -> Judgement + 'static,
    ) -> Self {
        self.close_policy = Some(Rc::new(policy));
        self
    }

    /// With another method than `ping` to be asked when the line is silent.
    #[must_use]
    pub fn with_ping_method(mut self, method: impl Into<String>) -> Self {
        self.ping_method = method.into();
        self
    }

    /// With the chance drawn from this seed, so that it can be repeated.
    #[must_use]
    pub const fn with_seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// With sockets of another class than the platform's `WebSocket`.
    #[must_use]
    pub fn with_web_socket(mut self, constructor: Function) -> Self {
        self.constructor = Some(constructor);
        self
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("settings", &self.settings).finish_non_exhaustive()
    }
}
