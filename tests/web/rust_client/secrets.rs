//! No text of an error shows a parameter, an answer or a URL. What serde or a gateway said is the
//! source, for who asks for it.

use core::fmt;

use regate::{Client, Error, Gateway, Options};
use serde::{Deserialize, Serialize, Serializer, ser};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{answer, begin, connected, connected_by, done, plain, sent, shown, two};
use crate::world::World;

const SECRET: &str = "s3cret";

/// Both texts of it, with no secret in them.
fn checked<E: fmt::Display + fmt::Debug>(error: &E) -> String {
    for text in [error.to_string(), format!("{error:?}"), format!("{error:#?}")] {
        assert!(!text.contains(SECRET), "{text}");
    }
    error.to_string()
}

fn source_of(error: &Error) -> String {
    core::error::Error::source(error).unwrap().to_string()
}

/// A value that says its secret when it is written.
struct Telling;

impl Serialize for Telling {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(ser::Error::custom(SECRET))
    }
}

#[derive(Debug, Deserialize)]
enum Word {
    Hello,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "none is ever read")]
struct Item {
    count: u32,
}

/// Reads the answer as a `T`, which it is not.
async fn misread<T: serde::de::DeserializeOwned + fmt::Debug>(what: &str) -> Error {
    let world = World::bare();
    let client = connected(&world).await;
    let mut operation = begin(client.invoke::<T>("m", ()));
    world.advance(7.0);
    answer(&world, 0, &format!(r#""result":{what}"#));
    done(&mut operation).unwrap_err()
}

#[wasm_bindgen_test]
async fn a_result_of_another_type_is_not_shown() {
    assert!(matches!(serde_of("\"Hello\"").await, Word::Hello));
    let errors = [
        misread::<Vec<u32>>(r#"["s3cret"]"#).await,
        misread::<u32>(r#""s3cret""#).await,
        misread::<Word>(r#""s3cret""#).await,
        misread::<Item>(r#"{"count":"s3cret"}"#).await,
    ];
    for error in errors {
        let text = "DECODE_FAILED: the result is not of the type asked for; 1 attempts in 7 ms; \
                    performed: yes";
        assert_eq!(checked(&error), text);
        assert_eq!(
            (shown(&error).as_str(), error.elapsed_milliseconds()),
            ("DECODE_FAILED yes 1", 7)
        );
        assert_eq!(error.gateway(), Some("ws://a.example [0]"));
        assert!(source_of(&error).contains(SECRET), "{}", source_of(&error));
    }
}

async fn serde_of(what: &str) -> Word {
    let world = World::bare();
    let client = connected(&world).await;
    let mut operation = begin(client.invoke("m", ()));
    answer(&world, 0, &format!(r#""result":{what}"#));
    done(&mut operation).unwrap()
}

#[wasm_bindgen_test]
async fn a_result_that_came_by_the_second_gateway_says_so() {
    let world = World::bare();
    let client = connected(&world).await;
    let mut read = begin(client.invoke::<u32>("m", ()).read_only());
    let mut news = client.subscribe::<u32>("subscribe", ()).unwrap();
    world.socket(0).drop(1006);
    world.socket(1).open();
    // What is issued anew on every connection comes first.
    let ids = [1, 0].map(|frame| super::said(&sent(&world, 1, frame), "id"));
    assert_eq!(super::said(&sent(&world, 1, 1), "method"), "\"m\"");
    world.socket(1).message(&format!(
        r#"[{{"id":{},"result":"s3cret"}},{{"id":{},"result":"s"}},{{"method":"news","params":{{"subscription":"s","result":"s3cret"}}}}]"#,
        ids[0], ids[1]
    ));
    let item = done(&mut Box::pin(news.next())).unwrap();
    for error in [done(&mut read).unwrap_err(), item.unwrap_err()] {
        checked(&error);
        assert_eq!(shown(&error), "DECODE_FAILED yes 2");
        assert_eq!(error.gateway(), Some("ws://b.example [1]"));
        assert!(source_of(&error).contains(SECRET));
    }
}

#[wasm_bindgen_test]
async fn a_result_in_a_session_names_the_gateway_of_the_session() {
    let world = World::bare();
    let errors = alloc::rc::Rc::new(core::cell::RefCell::new(Vec::new()));
    let kept = alloc::rc::Rc::clone(&errors);
    let options = two(&world).with_session(move |session| {
        let kept = alloc::rc::Rc::clone(&kept);
        async move {
            let outcome = session.invoke::<u32>("login", ()).await;
            kept.borrow_mut().extend(outcome.err());
            Ok(())
        }
    });
    let client = Client::new(options).unwrap();
    let mut connecting = Box::pin(client.connect());
    assert!(super::poll(&mut connecting).is_pending());
    super::turn().await;
    world.socket(0).open();
    super::turn().await;
    answer(&world, 0, r#""result":"s3cret""#);
    super::turn().await;
    let errors = errors.borrow();
    checked(&errors[0]);
    assert_eq!(shown(&errors[0]), "DECODE_FAILED yes 1");
    assert_eq!(errors[0].gateway(), Some("ws://a.example [0]"));
}

#[wasm_bindgen_test]
async fn params_that_are_no_json_are_not_shown() {
    let world = World::bare();
    let client = connected(&world).await;
    let beyond = 12_345_678_901_234_567_890_u64;
    let errors = [
        client.invoke::<u32>("m", [Telling]).await.unwrap_err(),
        client.invoke::<u32>("m", [Telling]).operation_key("k").await.unwrap_err(),
        client.invoke::<u32>("m", SECRET).await.unwrap_err(),
        client.invoke::<u32>("m", [beyond]).await.unwrap_err(),
        client.invoke::<u32>("m", [i64::MIN]).await.unwrap_err(),
        client.subscribe::<u32>("m", [Telling]).unwrap_err(),
        client.notify("m", [Telling]).unwrap_err(),
    ];
    for error in &errors {
        assert_eq!(
            checked(error),
            "ENCODE_FAILED: params must be a list, an object or () that JSON holds, whole numbers \
             within ±(2^53-1); performed: no"
        );
        assert!(!source_of(error).is_empty());
    }
    assert_eq!(source_of(&errors[0]), "Error: s3cret");
    let whole = 9_007_199_254_740_991_u64;
    let mut echo = begin(client.invoke::<[u64; 1]>("echo", [whole]));
    assert_eq!(super::said(&sent(&world, 0, -1), "params"), "[9007199254740991]");
    answer(&world, 0, r#""result":[9007199254740991]"#);
    assert_eq!(done(&mut echo).unwrap(), [whole]);
    let mut echo = begin(client.invoke::<[u64; 1]>("echo", ()));
    answer(&world, 0, r#""result":[9007199254740993]"#);
    assert_eq!(shown(&done(&mut echo).unwrap_err()), "DECODE_FAILED yes 1", "it is not rounded");
}

#[wasm_bindgen_test]
async fn what_a_gateway_refuses_with_and_where_it_is_are_not_shown() {
    let world = World::bare();
    let url = "wss://s3cret:s3cret@a.example/s3cret?s3cret#s3cret";
    let gateways = [Gateway::new(url).with_protocols([SECRET])];
    let client = connected_by(&world, plain(&world, Options::new(gateways))).await;
    let mut refused = begin(client.invoke::<u32>(SECRET, [SECRET]).operation_key(SECRET));
    answer(&world, 0, r#""error":{"code":1,"message":"s3cret","data":"s3cret"}"#);
    let error = done(&mut refused).unwrap_err();
    assert_eq!(error.remote().unwrap().message, SECRET);
    checked(&error);
    let mut lost = begin(client.invoke::<u32>(SECRET, [SECRET]));
    world.socket(0).drop(1011);
    checked(&done(&mut lost).unwrap_err());
    for gateway in [Gateway::new("s3cret"), Gateway::new("https://s3cret/")] {
        checked(&Client::new(plain(&world, Options::new([gateway]))).unwrap_err());
    }
    let twice = Gateway::new(url).with_protocols([SECRET, SECRET]);
    checked(&Client::new(plain(&world, Options::new([twice]))).unwrap_err());
    checked(&two(&world).with_setting("networking.jitter", "ws://s3cret?x").unwrap_err());
}
