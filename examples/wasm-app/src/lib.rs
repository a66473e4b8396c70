//! A page whose own code is Rust: it offers items to a queue through a list of gateways, and
//! says of each what became of it.
//!
//! ```sh
//! cargo build --release --target wasm32-unknown-unknown
//! wasm-bindgen --target web --out-dir pkg target/wasm32-unknown-unknown/release/regate_wasm_app.wasm
//! ```
//!
//! Then serve this folder and open `/?gateway=ws://127.0.0.1:8001&gateway=ws://127.0.0.1:8002`.

mod page;

use core::error::Error;

use regate::{
    Client, Options,
    policy::{Completion, Notice},
};
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::spawn_local;

#[derive(Serialize)]
struct Item {
    id: String,
    item: String,
}

#[wasm_bindgen(start)]
fn start() {
    spawn_local(async {
        if let Err(error) = run().await {
            page::show("state", &error.to_string());
        }
    });
}

async fn run() -> Result<(), Box<dyn Error>> {
    let options = Options::new(page::gateways())
        .with_setting("networking.firstConnect", "always")? // a page waits for as long as it is open
        .with_setting("networking.jitter", "0.5")?;
    let client = Client::new(options)?;
    spawn_local(show_states(client.clone()));
    spawn_local(show_news(client.clone()));
    let offering = client.clone();
    page::on_offer(move |text| spawn_local(offer(offering.clone(), text)));
    client.connect().await?;
    client.closed().await; // dropping the last handle would close it
    Ok(())
}

async fn show_states(client: Client) {
    let mut notices = client.notices();
    while let Some(notice) = notices.next().await {
        if let Notice::StateChanged { to, reason, .. } = notice {
            page::show("state", &format!("{} ({})", to.as_str(), reason.as_str()));
        }
    }
}

/// What others publish. It goes on over another gateway when one is lost.
async fn show_news(client: Client) {
    let Ok(mut news) = client.subscribe::<String>("topic.subscribe", ["news"]) else { return };
    while let Some(Ok(text)) = news.next().await {
        page::add("news", &format!("{text} (resumed {} times)", news.resumed()));
    }
}

/// A write: it is never run again once it may have been performed.
async fn offer(client: Client, text: String) {
    let item = Item { id: text.clone(), item: text.clone() };
    let became = match client.invoke::<u32>("queue.offer", [item]).await {
        Ok(length) => format!("performed: the queue has {length} items"),
        Err(error) => match error.completion() {
            Completion::No => "not performed: offer it again".to_owned(),
            Completion::Maybe => {
                "may have been performed: look before you offer it again".to_owned()
            }
            Completion::Yes => format!("performed, and answered with {:?}", error.remote()),
        },
    };
    page::add("outcomes", &format!("{text}: {became}"));
}
