//! What the application is asked: lists, sessions, verdicts.

use alloc::rc::Rc;
use core::{
    cell::{Cell, RefCell},
    future::Future,
    pin::Pin,
};

use js_sys::{Function, Promise, futures::JsFuture};

use regate::{
    Client, Error, Gateway, Options,
    policy::{ClientState, Judgement, Verdict},
    web::SessionFailed,
};
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    A, B, answer, begin, connected_by, done, plain, poll, said, sent, sent_count, turn, two,
};
use crate::world::World;

type Connecting = Pin<Box<dyn Future<Output = Result<(), Error>>>>;

#[wasm_bindgen_test]
async fn the_list_is_asked_for_before_each_round_so_that_tokens_are_fresh() {
    let world = World::bare();
    let asked = Rc::new(Cell::new(0));
    let asking = Rc::clone(&asked);
    let options = Options::asking(move || {
        let token = u32::saturating_add(asking.get(), 1);
        asking.set(token);
        async move { (token != 2).then(|| vec![Gateway::new(format!("{A}?token={token}"))]) }
    });
    let client = Client::new(plain(&world, options)).unwrap();
    let mut connecting = Box::pin(client.connect());
    assert!(poll(&mut connecting).is_pending());
    turn().await;
    assert_eq!(world.socket(0).url(), "ws://a.example/?token=1");
    world.socket(0).drop(1006);
    world.advance(250.0);
    turn().await;
    assert_eq!((asked.get(), world.dials()), (2, 1), "what cannot be had is a failed round");
    world.advance(500.0);
    turn().await;
    assert_eq!(world.last().url(), "ws://a.example/?token=3");
    client.set_gateways([B]).unwrap();
    turn().await;
    assert_eq!(world.last().url(), "ws://b.example/");
    world.last().drop(1006);
    world.advance(1_000.0);
    turn().await;
    assert_eq!((asked.get(), world.last().url().as_str()), (3, "ws://b.example/"));
}

#[wasm_bindgen_test]
async fn a_list_that_comes_after_a_later_question_is_dropped() {
    let world = World::bare();
    let answers: Rc<RefCell<Vec<Function>>> = Rc::default();
    let asked = Rc::clone(&answers);
    let options = Options::asking(move || {
        let promise = Promise::new(&mut |resolve, _| asked.borrow_mut().push(resolve));
        let question = asked.borrow().len();
        async move {
            JsFuture::from(promise).await.ok()?;
            Some(vec![Gateway::new(format!("ws://{question}.example"))])
        }
    });
    let answer = |question: usize| answers.borrow()[question].call0(&JsValue::NULL).unwrap();
    let client = Client::new(plain(&world, options)).unwrap();
    let mut connecting = Box::pin(client.connect());
    assert!(poll(&mut connecting).is_pending());
    turn().await;
    assert_eq!(answers.borrow().len(), 1);
    world.advance(10_250.0); // the limit of a dial, and the first wait
    turn().await;
    assert_eq!(answers.borrow().len(), 2);
    answer(0);
    turn().await;
    assert_eq!(world.dials(), 0, "it is the answer to the question before");
    answer(1);
    turn().await;
    assert_eq!(world.last().url(), "ws://2.example/");
}

#[wasm_bindgen_test]
async fn who_connects_again_inside_a_hook_is_not_told_of_the_end_before() {
    let world = World::bare();
    let own: Rc<RefCell<Option<Client>>> = Rc::default();
    let again: Rc<RefCell<Option<Connecting>>> = Rc::default();
    let (hook_own, hook_again) = (Rc::clone(&own), Rc::clone(&again));
    let options = two(&world).with_close_policy(move |_| {
        let client = hook_own.borrow_mut().take();
        if let Some(client) = client {
            client.close();
            let mut connecting = Box::pin(async move { client.connect().await });
            assert!(poll(&mut connecting).is_pending());
            *hook_again.borrow_mut() = Some(connecting);
        }
        Judgement::default()
    });
    let client = Client::new(options).unwrap();
    *own.borrow_mut() = Some(client.clone());
    let mut first = Box::pin(client.connect());
    assert!(poll(&mut first).is_pending());
    turn().await;
    world.socket(0).drop(1006);
    assert!(done(&mut first).is_err());
    let mut second = again.borrow_mut().take().unwrap();
    turn().await;
    world.last().open();
    second.as_mut().await.unwrap();
}

#[wasm_bindgen_test]
async fn the_session_goes_first_on_every_socket() {
    let world = World::bare();
    let options = two(&world).with_session(|session| async move {
        let _: bool = session.invoke("login", [session.gateway()]).await?;
        session.notify("hello", ())?;
        Ok(())
    });
    let client = Client::new(options).unwrap();
    let mut connecting = Box::pin(client.connect());
    let mut read = begin(client.invoke::<u32>("m", ()).read_only());
    assert!(poll(&mut connecting).is_pending());
    turn().await;
    for socket in [0, 1] {
        world.socket(socket).open();
        turn().await;
        assert_ne!(client.state(), ClientState::Connected);
        assert_eq!(said(&sent(&world, socket, 0), "method"), "\"login\"");
        let place =
            if socket == 0 { "[\"ws://a.example [0]\"]" } else { "[\"ws://b.example [1]\"]" };
        assert_eq!(said(&sent(&world, socket, 0), "params"), place);
        answer(&world, socket, r#""result":true"#);
        turn().await;
        assert_eq!(client.state(), ClientState::Connected);
        let methods = [1, 2].map(|frame| said(&sent(&world, socket, frame), "method"));
        assert_eq!(methods, ["\"hello\"", "\"m\""]);
        if socket == 0 {
            done(&mut connecting).unwrap();
            world.socket(0).drop(1006);
        }
    }
    answer(&world, 1, r#""result":1"#);
    assert_eq!(done(&mut read).unwrap(), 1);
}

#[wasm_bindgen_test]
async fn a_session_that_fails_is_a_failed_dial_and_may_say_what_it_means() {
    for (verdict, next) in [(None, A), (Some(Verdict::Stop), B)] {
        let world = World::bare();
        let options = two(&world).with_session(move |session| async move {
            match session.invoke::<bool>("login", ()).await {
                Ok(true) => Ok(()),
                _ => Err(SessionFailed { verdict }),
            }
        });
        let client = Client::new(options).unwrap();
        let mut connecting = Box::pin(client.connect());
        assert!(poll(&mut connecting).is_pending());
        turn().await;
        world.socket(0).open();
        turn().await;
        answer(&world, 0, r#""result":false"#);
        turn().await;
        assert_eq!((world.dials(), world.last().url()), (2, format!("{B}/")));
        world.last().drop(1006);
        world.advance(250.0);
        assert_eq!(world.last().url(), format!("{next}/"), "{verdict:?}");
        client.close();
        turn().await;
        assert_eq!(world.running(), 0);
    }
}

#[wasm_bindgen_test]
async fn a_close_policy_is_asked_and_obeyed() {
    let world = World::bare();
    let heard = Rc::new(RefCell::new(Vec::new()));
    let hearing = Rc::clone(&heard);
    let options = two(&world).with_close_policy(move |failed| {
        let code = failed.code.map(|code| code.as_u16());
        let text = format!("{} {code:?} {}", failed.gateway, failed.verdict.as_str());
        hearing.borrow_mut().push(text);
        Judgement { verdict: Some(Verdict::Same), wait_milliseconds: 3_000 }
    });
    let client = connected_by(&world, options).await;
    world.socket(0).drop(4401);
    assert_eq!(*heard.borrow(), ["ws://a.example [0] Some(4401) refresh"]);
    world.advance(2_999.0);
    assert_eq!(world.dials(), 1);
    world.advance(1.0);
    assert_eq!((world.dials(), world.last().url()), (2, format!("{A}/")));
    assert_eq!(sent_count(&world, 1), 0);
    drop(client);
}
