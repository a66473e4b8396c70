//! The policy core of regate, driven natively: requests come as lines of JSON, outcomes go as
//! lines of JSON, and what happens to the connection is told on the side.
//!
//! ```sh
//! echo '{"name":"first","method":"map.get","params":["key"],"readOnly":true}' |
//!   cargo run -- ws://127.0.0.1:8001 ws://127.0.0.1:8002
//! ```
//!
//! It is built without TLS, so that it builds anywhere: for `wss:` give tokio-tungstenite a feature
//! such as `rustls-tls-webpki-roots`, and let [`checked`] pass.

mod client;
mod json_rpc;
mod socket;

use std::process::ExitCode;

use client::{Client, Failed};
use regate::policy::{Call, LogLine, Notice};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, BufReader, stdin},
    task::JoinSet,
};

const USAGE: &str = "usage: regate-native ws://GATEWAY...
Each line of its input is an operation: {\"name\":...,\"method\":...,\"params\":...,\"readOnly\":...}";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match checked(std::env::args().skip(1).collect()) {
        Ok(gateways) => {
            run_all(Client::start(gateways, tell)).await;
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

/// The gateways, if this program can dial them all. URLs hold secrets: they are named by position.
fn checked(gateways: Vec<String>) -> Result<Vec<String>, String> {
    if gateways.is_empty() {
        return Err(USAGE.into());
    }
    for (position, gateway) in gateways.iter().enumerate() {
        let scheme = gateway.split_once("://").map_or("", |(scheme, _)| scheme);
        if scheme.eq_ignore_ascii_case("wss") {
            return Err(format!("gateway {position} is a wss: URL, and this is built without TLS"));
        }
        if !scheme.eq_ignore_ascii_case("ws") {
            return Err(format!("gateway {position} is no ws: URL\n{USAGE}"));
        }
    }
    Ok(gateways)
}

/// Runs what the lines of the input ask for, until there are no more and each has its outcome.
async fn run_all(client: Client) {
    let mut lines = BufReader::new(stdin()).lines();
    let mut outcomes = JoinSet::new();
    while let Ok(Some(line)) = lines.next_line().await {
        outcomes.spawn(run(client.clone(), line));
    }
    while outcomes.join_next().await.is_some() {}
    client.close().await;
}

/// Runs what one line asks for, and prints what became of it.
async fn run(client: Client, line: String) {
    let request: Value = serde_json::from_str(&line).unwrap_or_default();
    let text =
        |name: &str| request.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let call = if request.get("readOnly") == Some(&Value::Bool(true)) {
        Call::redoable()
    } else {
        Call::once()
    };
    let params = request.get("params").cloned().unwrap_or_default();
    let name = text("name");
    println!(
        "{}",
        match client.invoke(text("method"), params, call).await {
            Some(Ok(result)) => json!({ "name": name, "result": result }),
            Some(Err(Failed { error, answer })) => json!({
                "name": name,
                "code": error.code.as_str(),
                "completion": error.completion.as_str(),
                "attempts": error.attempts,
                "answer": answer.get("error"),
            }),
            None => json!({ "name": name, "code": "CLIENT_CLOSED", "completion": "no" }),
        }
    );
}

fn tell(notice: &Notice) {
    match notice {
        Notice::StateChanged { to, reason, gateway, .. } => {
            let gateway = gateway.map(|gateway| gateway.position());
            eprintln!("{}: {}, gateway {gateway:?}", to.as_str(), reason.as_str());
        }
        Notice::Logged(LogLine::OutageGoesOn { milliseconds, .. }) => {
            eprintln!("no steady connection for {milliseconds} ms");
        }
        _ => {}
    }
}
