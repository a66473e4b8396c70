//! The world of one test, in Rust's words.

use core::ops::Deref;

use js_sys::{Array, JSON, Object, Reflect};
use regate::web::{Core, Numbers};
use wasm_bindgen::prelude::*;

// So that it lies beside the script that imports it.
#[wasm_bindgen(module = "/pkg-config/events.js")]
extern "C" {
    #[wasm_bindgen(thread_local_v2, js_name = TICK)]
    static TICK: JsValue;
}

#[wasm_bindgen(module = "/pkg-config/options.js")]
extern "C" {
    type Read;

    #[wasm_bindgen(catch, js_name = readOptions)]
    fn read_options(options: &JsValue) -> Result<Read, JsValue>;
    #[wasm_bindgen(catch, js_name = readList)]
    fn read_list(list: &JsValue, protocols: &JsValue) -> Result<Array, JsValue>;
    #[wasm_bindgen(method, getter)]
    fn numbers(this: &Read) -> Numbers;
    #[wasm_bindgen(method, getter)]
    fn hooks(this: &Read) -> u32;
    #[wasm_bindgen(method, getter)]
    fn given(this: &Read) -> JsValue;
    #[wasm_bindgen(method, getter, js_name = foreignNames)]
    fn foreign_names(this: &Read) -> Array;
}

/// Reads the options as the package does.
pub(crate) fn make_core(options: &JsValue) -> Result<Core, JsValue> {
    let read = read_options(options)?;
    let given = |name: &str| Reflect::get(&read.given(), &name.into()).unwrap();
    let gateways = given("gateways");
    let list = if gateways.is_function() {
        Array::new()
    } else {
        read_list(&gateways, &given("protocols"))?
    };
    Ok(Core::new(&read.numbers(), &list, given("WebSocket"), 7.0, read.hooks()))
}

/// Names in options that mean nothing here.
pub(crate) fn foreign_names(options: &JsValue) -> Array {
    read_options(options).unwrap().foreign_names()
}

#[wasm_bindgen(module = "/tests/web/world.js")]
extern "C" {
    #[derive(Clone)]
    #[wasm_bindgen(js_name = World)]
    pub(crate) type JsWorld;

    #[wasm_bindgen(constructor, js_class = "World")]
    fn new() -> JsWorld;
    #[wasm_bindgen(method, js_class = "World")]
    fn end(this: &JsWorld);
    #[wasm_bindgen(method, js_class = "World", js_name = use)]
    fn use_core(this: &JsWorld, core: JsValue);
    #[wasm_bindgen(method, getter, js_name = WebSocket)]
    pub(crate) fn web_socket(this: &JsWorld) -> JsValue;

    /// Calls the client: `connect`, `tick`, `close`, `invoke`, …
    #[wasm_bindgen(method, js_class = "World")]
    pub(crate) fn call(this: &JsWorld, name: &str) -> JsValue;
    #[wasm_bindgen(method, js_class = "World")]
    pub(crate) fn answered(this: &JsWorld, id: f64) -> f64;
    #[wasm_bindgen(method, js_class = "World")]
    pub(crate) fn advance(this: &JsWorld, milliseconds: f64);
    #[wasm_bindgen(method, js_class = "World", js_name = fireEarly)]
    pub(crate) fn fire_early(this: &JsWorld);
    #[wasm_bindgen(method, js_class = "World", js_name = moveDate)]
    pub(crate) fn move_date(this: &JsWorld, milliseconds: f64);
    /// Says what happens once at a place.
    #[wasm_bindgen(method, js_class = "World")]
    pub(crate) fn plan(this: &JsWorld, place: &str, step: &str);
    #[wasm_bindgen(method, js_class = "World")]
    pub(crate) fn free(this: &JsWorld);
    #[wasm_bindgen(method, js_class = "World")]
    pub(crate) fn forget(this: &JsWorld);
    #[wasm_bindgen(method, js_class = "World")]
    pub(crate) fn socket(this: &JsWorld, index: i32) -> FakeSocket;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn sockets(this: &JsWorld) -> js_sys::Array;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn messages(this: &JsWorld) -> js_sys::Array;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn states(this: &JsWorld) -> String;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn failures(this: &JsWorld) -> String;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn settled(this: &JsWorld) -> String;
    /// What the application was asked, in order.
    #[wasm_bindgen(method, getter)]
    pub(crate) fn questions(this: &JsWorld) -> String;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn sets(this: &JsWorld) -> u32;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn clears(this: &JsWorld) -> u32;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn running(this: &JsWorld) -> u32;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn longest(this: &JsWorld) -> f64;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn reads(this: &JsWorld) -> u32;
    /// How many listen to the page.
    #[wasm_bindgen(method, getter)]
    pub(crate) fn listeners(this: &JsWorld) -> u32;

    pub(crate) type FakeSocket;

    #[wasm_bindgen(method)]
    pub(crate) fn open(this: &FakeSocket);
    #[wasm_bindgen(method)]
    pub(crate) fn error(this: &FakeSocket);
    #[wasm_bindgen(method)]
    pub(crate) fn drop(this: &FakeSocket, code: u16);
    #[wasm_bindgen(method)]
    pub(crate) fn message(this: &FakeSocket, data: &str);
    #[wasm_bindgen(method, js_name = message)]
    pub(crate) fn message_value(this: &FakeSocket, data: &JsValue);
    #[wasm_bindgen(method, js_name = breakGetter)]
    pub(crate) fn break_getter(this: &FakeSocket, name: &str);
    #[wasm_bindgen(method, setter, js_name = readyState)]
    pub(crate) fn set_ready_state(this: &FakeSocket, state: u16);
    #[wasm_bindgen(method)]
    pub(crate) fn refuse(this: &FakeSocket, status: u16);
    #[wasm_bindgen(method, getter)]
    pub(crate) fn url(this: &FakeSocket) -> String;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn count(this: &FakeSocket) -> u32;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn protocols(this: &FakeSocket) -> JsValue;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn handlers(this: &FakeSocket) -> String;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn closes(this: &FakeSocket) -> u32;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn log(this: &FakeSocket) -> String;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn sent(this: &FakeSocket) -> js_sys::Array;

    #[wasm_bindgen(js_name = askEverything)]
    fn ask_everything(options: &Object);
    #[wasm_bindgen(js_name = hostileOptions)]
    pub(crate) fn hostile_options() -> Vec<JsValue>;
}

/// Two gateways, no chance.
pub(crate) const TWO: &str = r#"{
    "gateways": ["ws://a.example", "ws://b.example"],
    "networking": { "shuffleAddresses": false, "jitter": 0 }
}"#;

/// A world, given back when it goes out of scope.
pub(crate) struct World(JsWorld);

impl World {
    /// A world without a client.
    pub(crate) fn bare() -> Self {
        Self(JsWorld::new())
    }

    /// A world with a client of these options, written as JSON.
    pub(crate) fn with(options: &str) -> Self {
        Self::of(JSON::parse(options).unwrap().into())
    }

    /// The same, of an application that is asked for list, session and verdicts.
    pub(crate) fn asking(options: &str) -> Self {
        let options: Object = JSON::parse(options).unwrap().into();
        ask_everything(&options);
        Self::of(options)
    }

    fn of(options: Object) -> Self {
        let world = Self(JsWorld::new());
        Reflect::set(&options, &"WebSocket".into(), &world.web_socket()).unwrap();
        world.use_core(make_core(&options).expect("the options are right").into());
        world
    }

    /// The same, with its first dial made.
    pub(crate) fn dialling(options: &str) -> Self {
        let world = Self::with(options);
        world.call("connect");
        world.call("tick");
        world
    }

    /// The same, connected to the first gateway.
    pub(crate) fn connected(options: &str) -> Self {
        let world = Self::dialling(options);
        world.socket(0).open();
        assert_eq!(world.states(), "connecting connected");
        world
    }

    pub(crate) fn dials(&self) -> u32 {
        self.sockets().length()
    }

    pub(crate) fn last(&self) -> FakeSocket {
        self.socket(-1)
    }
}

impl Deref for World {
    type Target = JsWorld;

    fn deref(&self) -> &JsWorld {
        &self.0
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.call("close");
        self.end();
    }
}
