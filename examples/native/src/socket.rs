//! A socket is a task that lives for as long as the channel of its frames.

use futures_util::{SinkExt, StreamExt};
use regate::policy::{CloseCode, SocketId};
use tokio::sync::mpsc;
use tokio_tungstenite::{
    connect_async,
    tungstenite::{
        Bytes, Message,
        protocol::{CloseFrame, frame::coding::CloseCode as Code},
    },
};

/// What a socket says.
pub enum Heard {
    Opened(SocketId),
    Closed(SocketId, CloseCode),
    /// A text, or bytes that are one.
    Frame(SocketId, Bytes),
}

/// One socket, from its dial until it is closed or nobody sends on it any more.
pub async fn run(
    id: SocketId,
    url: String,
    mut frames: mpsc::UnboundedReceiver<String>,
    heard: mpsc::UnboundedSender<Heard>,
) {
    let opened = tokio::select! {
        opened = connect_async(url) => opened,
        _ = frames.recv() => return, // let go while it was dialling
    };
    let code = match opened {
        Err(_) => CloseCode::ABNORMAL,
        Ok((mut socket, _)) => {
            let _ = heard.send(Heard::Opened(id));
            loop {
                tokio::select! {
                    frame = frames.recv() => {
                        let Some(text) = frame else {
                            let frame = CloseFrame { code: Code::Normal, reason: "".into() };
                            let _ = socket.close(Some(frame)).await;
                            return;
                        };
                        if socket.send(Message::text(text)).await.is_err() {
                            break CloseCode::ABNORMAL;
                        }
                    }
                    message = socket.next() => match message {
                        Some(Ok(message @ (Message::Text(_) | Message::Binary(_)))) => {
                            let _ = heard.send(Heard::Frame(id, message.into_data()));
                        }
                        Some(Ok(Message::Close(frame))) => {
                            let code = frame.map_or(1005, |frame| frame.code.into());
                            break CloseCode::from_event(code);
                        }
                        Some(Ok(_)) => {}
                        Some(Err(_)) | None => break CloseCode::ABNORMAL,
                    }
                }
            }
        }
    };
    let _ = heard.send(Heard::Closed(id, code));
}
