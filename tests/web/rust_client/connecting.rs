//! Connecting, losing, giving up, closing.

use alloc::rc::Rc;
use core::cell::Cell;

use js_sys::futures::spawn_local;
use regate::{
    Client, Gateway, Options,
    policy::{ClientState, Completion, ErrorCode, Notice},
    web::{Delivery, ErrorKind},
};
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::Event;

use super::{A, B, begin, connected, connected_by, done, is, plain, poll, shown, turn, two};
use crate::world::World;

#[wasm_bindgen_test]
async fn it_dials_when_it_is_asked_to_and_not_in_the_same_turn() {
    let world = World::bare();
    let client = Client::new(two(&world)).unwrap();
    turn().await;
    assert_eq!((world.dials(), world.sets(), client.state()), (0, 0, ClientState::Idle));
    let mut connecting = Box::pin(client.connect());
    assert!(poll(&mut connecting).is_pending());
    assert_eq!((world.dials(), client.state()), (0, ClientState::Connecting));
    turn().await;
    assert_eq!(world.socket(0).url(), "ws://a.example/");
    world.socket(0).open();
    done(&mut connecting).unwrap();
    assert_eq!(client.gateway().as_deref(), Some("ws://a.example/"));
    client.connect().await.unwrap();
    assert_eq!((world.dials(), client.stats().dials), (1, 1));
}

#[wasm_bindgen_test]
async fn connect_and_close_in_one_turn_open_nothing() {
    let world = World::bare();
    let client = Client::new(two(&world)).unwrap();
    let mut connecting = Box::pin(client.connect());
    assert!(poll(&mut connecting).is_pending());
    client.close();
    turn().await;
    let error = done(&mut connecting).unwrap_err();
    assert!(is(&error, ErrorKind::Policy(ErrorCode::ClientClosed)), "{error}");
    assert_eq!((world.dials(), world.running()), (0, 0));
}

#[wasm_bindgen_test]
async fn a_waker_is_woken_when_the_gateway_is_there() {
    let world = World::bare();
    let client = Client::new(two(&world)).unwrap();
    let told = Rc::new(Cell::new(false));
    let (task_client, task_told) = (client.clone(), Rc::clone(&told));
    spawn_local(async move {
        task_client.connect().await.unwrap();
        task_told.set(true);
    });
    turn().await;
    world.socket(0).drop(1006);
    assert_eq!(world.last().url(), "ws://b.example/", "the next gateway, at once");
    turn().await;
    assert!(!told.get());
    world.last().open();
    turn().await;
    assert!(told.get());
}

#[wasm_bindgen_test]
async fn it_gives_up_with_the_last_failure_of_each_gateway() {
    let world = World::bare();
    let options = two(&world).with_setting("networking.connectTimeouts", "250:1:100").unwrap();
    let client = Client::new(options).unwrap();
    let mut connecting = Box::pin(client.connect());
    let mut read = begin(client.invoke::<u32>("m", ()).read_only());
    assert!(poll(&mut connecting).is_pending());
    turn().await;
    for code in [1006, 1001, 1011, 1012] {
        world.last().drop(code);
        world.advance(250.0);
    }
    let error = done(&mut connecting).unwrap_err();
    assert!(is(&error, ErrorKind::Policy(ErrorCode::ConnectTimeout)), "{error}");
    assert_eq!(
        error.to_string(),
        "CONNECT_TIMEOUT; ws://a.example [0]: closed 1011; ws://b.example [1]: closed 1012; \
         performed: no"
    );
    assert_eq!(error.failures().len(), 2);
    assert_eq!(shown(&done(&mut read).unwrap_err()), "CONNECT_TIMEOUT no 0");
    assert_eq!((client.state(), world.running()), (ClientState::Closed, 0));
    client.closed().await;
    // And begins afresh when it is asked to.
    let mut again = Box::pin(client.connect());
    assert!(poll(&mut again).is_pending());
    turn().await;
    world.last().open();
    done(&mut again).unwrap();
}

#[wasm_bindgen_test]
async fn closing_settles_everything_and_leaves_no_timer() {
    let world = World::bare();
    let client = connected(&world).await;
    let mut sent = begin(client.invoke::<u32>("m", ()).read_only());
    let mut closed = Box::pin(client.closed());
    assert!(poll(&mut closed).is_pending());
    assert!(world.running() > 0);
    client.close();
    assert_eq!(shown(&done(&mut sent).unwrap_err()), "CLIENT_CLOSED maybe 1");
    done(&mut closed);
    assert_eq!((world.running(), world.socket(0).closes()), (0, 1));
    assert_eq!(world.socket(0).handlers(), "onerror onopen");
    let late = client.invoke::<u32>("m", ()).await.unwrap_err();
    assert_eq!(shown(&late), "CLIENT_CLOSED no 0");
    assert_eq!(client.notify("m", ()).unwrap(), Delivery::Dropped);
}

#[wasm_bindgen_test]
async fn the_last_handle_that_is_dropped_closes_the_client() {
    let world = World::bare();
    let client = connected(&world).await;
    let clone = client.clone();
    let mut read = begin(client.invoke::<u32>("m", ()).read_only());
    let mut notices = client.notices();
    drop(client);
    assert_eq!(world.socket(0).closes(), 0);
    drop(clone);
    assert_eq!((world.socket(0).closes(), world.running()), (1, 0));
    assert_eq!(shown(&done(&mut read).unwrap_err()), "CLIENT_CLOSED maybe 1");
    drop(read);
    let closed = notices.next().await;
    assert!(
        matches!(closed, Some(Notice::StateChanged { to: ClientState::Closed, .. })),
        "{closed:?}"
    );
    assert!(notices.next().await.is_none(), "nothing of it is left");
    window().dispatch_event(&Event::new("online").unwrap()).unwrap();
    assert_eq!(world.dials(), 1);
}

#[wasm_bindgen_test]
async fn draining_finishes_what_is_pending_and_closes() {
    let world = World::bare();
    let client = connected(&world).await;
    let mut write = begin(client.invoke::<u32>("m", ()));
    let mut draining = Box::pin(client.drain());
    assert!(poll(&mut draining).is_pending());
    let refused = client.invoke::<u32>("m", ()).await.unwrap_err();
    assert_eq!(refused.completion(), Completion::No);
    super::answer(&world, 0, r#""result":7"#);
    assert_eq!(done(&mut write).unwrap(), 7);
    done(&mut draining);
    assert_eq!((client.state(), world.running()), (ClientState::Closed, 0));
}

#[wasm_bindgen_test]
async fn a_change_of_state_is_a_notice_and_a_lost_gateway_is_replaced() {
    let world = World::bare();
    let client = Client::new(two(&world)).unwrap();
    let mut notices = client.notices();
    let mut connecting = Box::pin(client.connect());
    assert!(poll(&mut connecting).is_pending());
    turn().await;
    world.socket(0).open();
    world.advance(5_000.0);
    world.socket(0).drop(1001);
    world.last().open();
    let mut states = Vec::new();
    while states.len() < 4 {
        if let Some(Notice::StateChanged { to, gateway, .. }) = notices.next().await {
            let gateway = gateway.map(|gateway| client.label(gateway)).unwrap_or_default();
            states.push(format!("{} {gateway}", to.as_str()));
        }
    }
    assert_eq!(
        states,
        [
            "connecting ",
            "connected ws://a.example [0]",
            "reconnecting ws://a.example [0]",
            "connected ws://b.example [1]"
        ]
    );
}

#[wasm_bindgen_test]
async fn reconnecting_drops_the_socket_and_a_new_list_holds() {
    let world = World::bare();
    let client = connected(&world).await;
    client.set_gateways([B]).unwrap();
    client.reconnect().unwrap();
    assert_eq!(world.socket(0).closes(), 1);
    turn().await;
    assert_eq!(world.last().url(), "ws://b.example/");
    let error = client.set_gateways(["http://user:secret@c.example?token=secret"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "INVALID_OPTION: gateways[0] must have the scheme ws: or wss:; performed: no"
    );
    assert!(is(&client.set_gateways::<&str>([]).unwrap_err(), ErrorKind::InvalidOption));
    world.last().drop(1006);
    world.advance(250.0);
    assert_eq!(world.last().url(), "ws://b.example/");
}

#[wasm_bindgen_test]
async fn options_that_are_wrong_are_refused_before_anything_happens() {
    let world = World::bare();
    for (label, options, rule) in [
        ("none", Options::new::<&str>([]), "gateways must hold at least one gateway"),
        ("no URL", Options::new(["a.example"]), "gateways[0] must be an absolute URL"),
        (
            "a protocol",
            Options::new([Gateway::new(A).with_protocols(["a b"])]),
            "gateways[0].protocols[0] must be different ones, each of what HTTP allows in a token",
        ),
    ] {
        let error = Client::new(plain(&world, options)).unwrap_err();
        assert!(error.to_string().contains(rule), "{label}: {error}");
    }
    assert!(two(&world).with_setting("networking.jiter", "0").is_err());
}

#[wasm_bindgen_test]
async fn protocols_are_those_of_the_gateway() {
    let world = World::bare();
    let gateway = Gateway::new(A).with_protocols(["v2", "v1"]);
    let client = connected_by(&world, plain(&world, Options::new([gateway]))).await;
    assert_eq!((world.socket(0).count(), world.socket(0).protocols().is_object()), (2, true));
    drop(client);
    let world = World::bare();
    let client = connected(&world).await;
    assert_eq!(world.socket(0).count(), 1);
    drop(client);
}

#[wasm_bindgen_test]
async fn the_network_coming_back_ends_a_wait_until_the_client_is_closed() {
    let world = World::bare();
    let client = Client::new(two(&world)).unwrap();
    let mut connecting = Box::pin(client.connect());
    assert!(poll(&mut connecting).is_pending());
    turn().await;
    for _ in 0..2 {
        for _ in 0..2 {
            world.last().drop(1006);
        }
        world.advance(250.0);
    }
    assert_eq!(world.dials(), 4, "the second wait, of 500 ms, is running");
    assert!(world.listeners() > 0);
    let online = Event::new("online").unwrap();
    window().dispatch_event(&online).unwrap();
    assert_eq!(world.dials(), 5);
    client.close();
    window().dispatch_event(&online).unwrap();
    assert_eq!((world.dials(), world.running(), world.listeners()), (5, 0, 0));
}

fn window() -> web_sys::EventTarget {
    use wasm_bindgen::JsCast;
    js_sys::global().unchecked_into()
}
