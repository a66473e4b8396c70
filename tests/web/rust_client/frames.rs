//! Several messages in a frame, and what may still go out: each finds what the one before it has
//! made true.

use alloc::{boxed::Box, rc::Rc, sync::Arc, task::Wake};
use core::{cell::RefCell, future::IntoFuture, pin::Pin, task::Context};

use js_sys::Reflect;
use regate::{Client, Session, policy::ClientState, web::Delivery};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    answer, begin, connected, connected_by, done, poll, said, sent, sent_count, shown, turn, two,
};
use crate::world::World;

thread_local! {
    /// What the next wake does.
    static ON_WAKE: RefCell<Option<Box<dyn FnOnce()>>> = const { RefCell::new(None) };
}

/// An executor that runs at once what it is woken for.
struct Eager;

impl Wake for Eager {
    fn wake(self: Arc<Self>) {
        let then = ON_WAKE.take(); // the borrow ends on this line
        if let Some(then) = then {
            then();
        }
    }
}

/// Has this done as soon as the future is told anything.
fn when_woken<F: Future>(future: &mut Pin<Box<F>>, then: impl FnOnce() + 'static) {
    ON_WAKE.replace(Some(Box::new(then)));
    let waker = Arc::new(Eager).into();
    assert!(future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
}

fn id_of(world: &World, frame: i32) -> String {
    said(&sent(world, 0, frame), "id")
}

fn news_of(name: &str, value: u32) -> String {
    format!(r#"{{"method":"news","params":{{"subscription":"{name}","result":{value}}}}}"#)
}

#[wasm_bindgen_test]
async fn an_answer_and_what_it_is_about_in_one_frame_the_subscription_hears_it() {
    let world = World::bare();
    let client = connected(&world).await;
    let mut news = client.subscribe::<u32>("subscribe", ["a"]).unwrap();
    let id = id_of(&world, -1);
    let (one, two) = (news_of("a1", 1), news_of("a1", 2));
    world.socket(0).message(&format!(r#"[{{"id":{id},"result":"a1"}},{one},{two}]"#));
    for value in [1, 2] {
        assert_eq!(done(&mut Box::pin(news.next())).unwrap().unwrap(), value);
    }
    assert!(poll(&mut Box::pin(news.next())).is_pending());
}

#[wasm_bindgen_test]
async fn an_answer_and_what_has_that_subscription_dropped_in_one_frame_the_gateway_is_told() {
    let world = World::bare();
    let client = connected(&world).await;
    let mut first = client.subscribe::<u32>("subscribe", ["a"]).unwrap();
    answer(&world, 0, r#""result":"a1""#);
    let second = client.subscribe::<u32>("subscribe", ["b"]).unwrap();
    let id = id_of(&world, -1);
    let mut next = Box::pin(first.next());
    when_woken(&mut next, move || drop(second));
    let one = news_of("a1", 1);
    world.socket(0).message(&format!(r#"[{{"id":{id},"result":"b1"}},{one}]"#));
    let last = sent(&world, 0, -1);
    assert_eq!(
        (said(&last, "method"), said(&last, "params")),
        ("\"unsubscribe\"".into(), "[\"b1\"]".into())
    );
}

#[wasm_bindgen_test]
async fn what_ends_the_connection_ends_the_frame() {
    type End = fn(&Client);
    let ends: [(&str, End); 3] = [
        ("close", Client::close),
        ("reconnect", |client| client.reconnect().unwrap()),
        ("drain", |client| assert!(poll(&mut Box::pin(client.drain())).is_ready())),
    ];
    for (name, end) in ends {
        let world = World::bare();
        let client = connected(&world).await;
        let mut operation = Box::pin(client.invoke::<u32>("m", ()).into_future());
        let ending = client.clone();
        when_woken(&mut operation, move || end(&ending));
        let id = id_of(&world, -1);
        let frame = format!(r#"[{{"method":"a"}},{{"id":{id},"result":1}},{{"method":"b"}},5]"#);
        world.socket(0).message(&frame);
        assert_eq!(done(&mut operation).unwrap(), 1, "{name}");
        let stats = client.stats();
        assert_eq!((stats.notifications, stats.protocol_errors), (1, 0), "{name}");
    }
}

#[wasm_bindgen_test]
async fn the_answer_that_a_drain_waits_for_ends_the_frame() {
    let world = World::bare();
    let client = connected(&world).await;
    let mut slow = begin(client.invoke::<u32>("slow", ()));
    let mut drained = Box::pin(client.drain());
    assert!(poll(&mut drained).is_pending());
    let id = id_of(&world, -1);
    world.socket(0).message(&format!(r#"[{{"id":{id},"result":1}},{{"method":"b"}},5]"#));
    assert_eq!(done(&mut slow).unwrap(), 1);
    done(&mut drained);
    let stats = client.stats();
    assert_eq!((client.state(), stats.notifications), (ClientState::Closed, 0));
    assert_eq!(stats.protocol_errors, 0);
}

#[wasm_bindgen_test]
async fn while_it_drains_a_message_without_an_answer_is_dropped() {
    let world = World::bare();
    let client = connected(&world).await;
    let slow = begin(client.invoke::<u32>("slow", ()));
    let mut drained = Box::pin(client.drain());
    assert!(poll(&mut drained).is_pending());
    let before = sent_count(&world, 0);
    assert_eq!(client.notify("n", ()).unwrap(), Delivery::Dropped);
    assert_eq!(sent_count(&world, 0), before);
    drop(slow);
    done(&mut drained);
}

#[wasm_bindgen_test]
async fn a_session_says_nothing_once_its_hook_is_over() {
    let world = World::bare();
    let kept: Rc<RefCell<Option<Session>>> = Rc::default();
    let keep = Rc::clone(&kept);
    let options = two(&world).with_session(move |session| {
        let keep = Rc::clone(&keep);
        async move {
            assert_eq!(session.notify("hello", ())?, Delivery::Sent);
            keep.replace(Some(session));
            Ok(())
        }
    });
    let client = connected_by(&world, options).await;
    turn().await;
    assert_eq!(client.state(), ClientState::Connected);
    let session = kept.take().unwrap();
    assert_eq!(session.notify("late", ()).unwrap(), Delivery::Dropped);
    let mut late = Box::pin(session.invoke::<u32>("late", ()));
    assert_eq!(shown(&done(&mut late).unwrap_err()), "CONNECTION_LOST no 0");
    assert_eq!(
        (sent_count(&world, 0), said(&sent(&world, 0, -1), "method").as_str()),
        (1, "\"hello\"")
    );
}

#[wasm_bindgen_test]
async fn nothing_keeps_the_gateway_from_hearing_that_a_subscription_is_over() {
    let hindrances = [
        ("limits.maxInFlightOperations", "1", 0),
        ("limits.maxBufferedBytes", "200", 200),
        ("drain", "", 0),
    ];
    for (name, most, buffered) in hindrances {
        let world = World::bare();
        let mut options = two(&world);
        if !most.is_empty() {
            options = options.with_setting(name, most).unwrap();
        }
        let client = connected_by(&world, options).await;
        let news = client.subscribe::<u32>("news.subscribe", ["a"]).unwrap();
        answer(&world, 0, r#""result":"a1""#);
        let mut slow = begin(client.invoke::<u32>("slow", ()));
        let slow_id = id_of(&world, -1);
        let mut drained = Box::pin(client.drain());
        if most.is_empty() {
            assert!(poll(&mut drained).is_pending());
        }
        Reflect::set(&world.socket(0), &"bufferedAmount".into(), &buffered.into()).unwrap();
        drop(news);
        let last = sent(&world, 0, -1);
        assert_eq!(
            (said(&last, "method"), said(&last, "params")),
            ("\"news.unsubscribe\"".into(), "[\"a1\"]".into()),
            "{name}"
        );
        answer(&world, 0, r#""result":true"#);
        world.socket(0).message(&format!(r#"{{"id":{slow_id},"result":1}}"#));
        assert_eq!(done(&mut slow).unwrap(), 1, "{name}");
        if most.is_empty() {
            done(&mut drained);
        }
        let counts = client.stats().operations;
        assert_eq!((counts.succeeded, counts.failed_no), (1, 0), "{name}: it counts nowhere");
    }
}
