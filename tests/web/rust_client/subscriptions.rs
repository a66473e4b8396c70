//! Subscriptions, over the connections that they outlive.

use core::task::{Context, Poll, Waker};

use regate::Subscription;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{answer, begin, connected, done, poll, said, sent, sent_count, shown};
use crate::world::World;

fn tell(world: &World, socket: i32, name: &str, value: &str) {
    world.socket(socket).message(&format!(
        r#"{{"method":"news","params":{{"subscription":{name},"result":{value}}}}}"#
    ));
}

fn read(news: &mut Subscription<u32>) -> Poll<Option<Result<u32, String>>> {
    let mut next = Box::pin(news.next());
    poll(&mut next).map(|item| item.map(|value| value.map_err(|error| shown(&error))))
}

#[wasm_bindgen_test]
async fn a_subscription_is_issued_again_and_told_under_its_new_name() {
    let world = World::bare();
    let client = connected(&world).await;
    let mut news = client.subscribe::<u32>("topic.subscribe", ["news"]).unwrap();
    assert_eq!(said(&sent(&world, 0, -1), "params"), "[\"news\"]");
    assert!(!news.is_live());
    answer(&world, 0, r#""result":"s1""#);
    assert!(news.is_live());
    tell(&world, 0, "\"s1\"", "1");
    tell(&world, 0, "\"s2\"", "2");
    assert_eq!(read(&mut news), Poll::Ready(Some(Ok(1))));
    assert!(read(&mut news).is_pending());
    world.socket(0).drop(1006);
    assert!(!news.is_live());
    world.socket(1).open();
    assert_eq!(said(&sent(&world, 1, -1), "method"), "\"topic.subscribe\"");
    answer(&world, 1, r#""result":7"#);
    tell(&world, 1, "\"s1\"", "3");
    tell(&world, 1, "7", "4");
    assert_eq!(read(&mut news), Poll::Ready(Some(Ok(4))));
    assert_eq!((news.resumed(), client.stats().subscriptions), (1, 1));
    tell(&world, 1, "7", "\"no number\"");
    tell(&world, 1, "7", "5");
    assert_eq!(read(&mut news), Poll::Ready(Some(Err("DECODE_FAILED yes 2".into()))));
    assert_eq!(read(&mut news), Poll::Ready(Some(Ok(5))));
}

#[wasm_bindgen_test]
async fn a_subscription_that_is_dropped_is_given_up() {
    let world = World::bare();
    let client = connected(&world).await;
    let news = client.subscribe::<u32>("topicSubscribe", ()).unwrap();
    answer(&world, 0, r#""result":"s1""#);
    drop(news);
    let frame = sent(&world, 0, -1);
    assert_eq!(said(&frame, "method"), "\"topicUnsubscribe\"");
    assert_eq!(said(&frame, "params"), "[\"s1\"]");
    assert_eq!(client.stats().subscriptions, 0);
    // One that was not answered yet is given up when it is.
    let early = client.subscribe::<u32>("subscribe", ()).unwrap();
    let request = sent(&world, 0, -1);
    drop(early);
    assert_eq!(sent(&world, 0, -1), request);
    world.socket(0).message(&format!(r#"{{"id":{},"result":"s2"}}"#, said(&request, "id")));
    let frame = sent(&world, 0, -1);
    assert_eq!(
        (said(&frame, "method"), said(&frame, "params")),
        ("\"unsubscribe\"".into(), "[\"s2\"]".into())
    );
    // The next gateway does not know it, whatever it says.
    let early = client.subscribe::<u32>("subscribe", ()).unwrap();
    let request = sent(&world, 0, -1);
    drop(early);
    world.socket(0).drop(1006);
    world.socket(1).open();
    world.socket(1).message(&format!(r#"{{"id":{},"result":"s3"}}"#, said(&request, "id")));
    assert_eq!(sent_count(&world, 1), 0);
    client.reconnect().unwrap();
    world.last().open();
    // One whose method has no opposite is only listened to no more.
    let plain = client.subscribe::<u32>("listen", ()).unwrap();
    answer(&world, -1, r#""result":"s3""#);
    drop(plain);
    assert_eq!(sent_count(&world, -1), 1);
    world.last().drop(1006);
    world.last().open();
    assert_eq!(sent_count(&world, -1), 0, "none is issued again");
}

#[wasm_bindgen_test]
async fn a_refusal_or_the_end_of_the_client_is_its_last_item() {
    let world = World::bare();
    let client = connected(&world).await;
    let mut refused = client.subscribe::<u32>("subscribe", ()).unwrap();
    answer(&world, 0, r#""error":{"code":5,"message":"no"}"#);
    assert_eq!(read(&mut refused), Poll::Ready(Some(Err("REMOTE_ERROR yes 1".into()))));
    assert_eq!(read(&mut refused), Poll::Ready(None));
    let mut news = client.subscribe::<u32>("subscribe", ()).unwrap();
    answer(&world, 0, r#""result":"s1""#);
    tell(&world, 0, "\"s1\"", "1");
    drop(client);
    assert_eq!(read(&mut news), Poll::Ready(Some(Ok(1))), "what came before can still be read");
    let last = read(&mut news);
    assert_eq!(last, Poll::Ready(Some(Err("CLIENT_CLOSED yes 1".into()))));
    assert_eq!(read(&mut news), Poll::Ready(None));
}

#[wasm_bindgen_test]
async fn a_reader_that_is_slow_misses_the_oldest_and_can_know_it() {
    let world = World::bare();
    let client = connected(&world).await;
    let mut news = client.subscribe::<u32>("subscribe", ()).unwrap();
    answer(&world, 0, r#""result":"s1""#);
    for value in 0..10_003 {
        tell(&world, 0, "\"s1\"", &value.to_string());
    }
    assert_eq!((news.missed(), read(&mut news)), (3, Poll::Ready(Some(Ok(3)))));
}

#[wasm_bindgen_test]
async fn it_is_a_stream() {
    fn next<S: futures_core::Stream>(stream: core::pin::Pin<&mut S>) -> Poll<Option<S::Item>> {
        stream.poll_next(&mut Context::from_waker(Waker::noop()))
    }
    let world = World::bare();
    let client = connected(&world).await;
    let mut news = Box::pin(client.subscribe::<u32>("subscribe", ()).unwrap());
    let mut notices = Box::pin(client.notices());
    assert!(next(news.as_mut()).is_pending() && next(notices.as_mut()).is_pending());
    answer(&world, 0, r#""result":"s1""#);
    tell(&world, 0, "\"s1\"", "1");
    assert!(matches!(next(news.as_mut()), Poll::Ready(Some(Ok(1)))));
    let mut read = begin(client.invoke::<u32>("m", ()));
    answer(&world, 0, r#""result":1"#);
    assert_eq!(done(&mut read).unwrap(), 1);
    assert!(next(notices.as_mut()).is_pending(), "outcomes are for their callers alone");
    client.close();
    assert!(next(notices.as_mut()).is_ready());
}
