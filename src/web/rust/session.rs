//! The conversation on a new socket, before anything else goes out.

use alloc::{
    rc::{Rc, Weak},
    string::String,
};
use core::fmt;

use serde::{Serialize, de::DeserializeOwned};

use super::{Client, Delivery, Error, Invoke, shared::Shared};
use crate::policy::{Binding, SocketId};

/// A new socket, for the session hook alone: what it invokes goes out on that socket or not at
/// all, and is not run again.
pub struct Session {
    shared: Weak<Shared>,
    socket: SocketId,
    gateway: String,
}

impl Session {
    pub(super) const fn new(shared: Weak<Shared>, socket: SocketId, gateway: String) -> Self {
        Self { shared, socket, gateway }
    }

    /// The gateway, by origin and position.
    #[must_use]
    pub fn gateway(&self) -> &str {
        &self.gateway
    }

    /// As [`Client::invoke`].
    ///
    /// # Errors
    ///
    /// `CLIENT_CLOSED` once the client is gone; else as an operation.
    pub async fn invoke<R: DeserializeOwned>(
        &self,
        method: &str,
        params: impl Serialize,
    ) -> Result<R, Error> {
        let shared = self.shared()?;
        let outcome = Invoke::new(shared, Binding::Session(self.socket), method, params).await;
        outcome.map_err(|error: Error| error.at(|| Some(self.gateway.clone())))
    }

    /// As [`Client::notify`].
    ///
    /// # Errors
    ///
    /// As [`Client::notify`], and `CLIENT_CLOSED` once the client is gone.
    pub fn notify(&self, method: &str, params: impl Serialize) -> Result<Delivery, Error> {
        self.shared()?.notify(method, &params, Some(self.socket))
    }

    fn shared(&self) -> Result<Rc<Shared>, Error> {
        self.shared.upgrade().ok_or_else(Client::closed_error)
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("gateway", &self.gateway).finish_non_exhaustive()
    }
}
