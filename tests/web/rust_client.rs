//! The client for Rust: what its futures and streams come to.

mod connecting;
mod frames;
mod hooks;
mod operations;
mod secrets;
mod subscriptions;

use core::{
    future::{Future, IntoFuture},
    pin::Pin,
    task::{Context, Poll, Waker},
};

use js_sys::{JSON, Promise, Reflect, futures::JsFuture};
use regate::{
    Client, Error, Options,
    policy::{ConnectionSettings, Ratio, Settings},
    web::ErrorKind,
};
use wasm_bindgen::prelude::*;

use crate::world::World;

const A: &str = "ws://a.example";
const B: &str = "ws://b.example";

/// Two gateways in their order, no chance, sockets of this world.
fn two(world: &World) -> Options {
    plain(world, Options::new([A, B]))
}

fn plain(world: &World, options: Options) -> Options {
    let connection =
        ConnectionSettings { shuffle_addresses: false, jitter: Ratio::ZERO, ..Default::default() };
    let settings = Settings { connection, ..Default::default() };
    options
        .with_settings(settings)
        .with_seed(7)
        .with_web_socket(world.web_socket().unchecked_into())
}

/// A client that is connected to the first gateway.
async fn connected(world: &World) -> Client {
    connected_by(world, two(world)).await
}

async fn connected_by(world: &World, options: Options) -> Client {
    let client = Client::new(options).unwrap();
    let mut connecting = Box::pin(client.connect());
    assert!(poll(&mut connecting).is_pending());
    turn().await;
    world.socket(0).open();
    connecting.as_mut().await.unwrap();
    drop(connecting);
    client
}

/// Polls once. Nobody is told when it would be worth polling again.
fn poll<F: Future>(future: &mut Pin<Box<F>>) -> Poll<F::Output> {
    future.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

/// Begins an operation.
fn begin<F: IntoFuture>(operation: F) -> Pin<Box<F::IntoFuture>> {
    let mut future = Box::pin(operation.into_future());
    assert!(poll(&mut future).is_pending());
    future
}

/// What a future that is done comes to.
fn done<F: Future>(future: &mut Pin<Box<F>>) -> F::Output {
    let Poll::Ready(output) = poll(future) else { unreachable!("it is not done") };
    output
}

/// Everything that is due in this turn is done.
async fn turn() {
    for _ in 0..4 {
        JsFuture::from(Promise::resolve(&JsValue::UNDEFINED)).await.unwrap();
    }
}

/// A frame that was sent on this socket; the last one is -1.
fn sent(world: &World, socket: i32, frame: i32) -> String {
    world.socket(socket).sent().at(frame).as_string().unwrap()
}

fn sent_count(world: &World, socket: i32) -> u32 {
    world.socket(socket).sent().length()
}

/// What a frame says under this name, as JSON.
fn said(frame: &str, name: &str) -> String {
    let value = Reflect::get(&JSON::parse(frame).unwrap(), &name.into()).unwrap();
    JSON::stringify(&value).unwrap().into()
}

/// Answers the last frame of this socket; `what` is its result or error.
fn answer(world: &World, socket: i32, what: &str) {
    let id = said(&sent(world, socket, -1), "id");
    world.socket(socket).message(&format!(r#"{{"jsonrpc":"2.0","id":{id},{what}}}"#));
}

/// The code of an error, its completion and its attempts.
fn shown(error: &Error) -> String {
    format!("{} {} {}", error.kind().as_str(), error.completion().as_str(), error.attempts())
}

fn is(error: &Error, kind: ErrorKind) -> bool {
    error.kind() == kind
}
