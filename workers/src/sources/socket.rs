//! A WebSocket that speaks JSON.

use std::time::Duration;

use futures::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async_with_config,
    tungstenite::{Message, protocol::WebSocketConfig},
};
use url::Url;

use super::Interruption;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const SEND_TIMEOUT: Duration = Duration::from_secs(5);
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
/// Longest message that is read.
const MAX_BYTES: usize = 1024 * 1024;

/// An open socket.
pub(super) struct Socket {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

/// What arrives.
#[derive(Debug, PartialEq)]
pub(super) enum Heard {
    Json(Value),
    /// A sign of life without content.
    Sign,
    /// It was closed: code and reason when there was a close frame.
    Closed(Option<(u16, String)>),
}

impl Socket {
    /// Connects.
    ///
    /// # Errors
    /// `Broken` when that does not succeed in time. The address stays out of it: its query may be a secret.
    pub async fn connect(url: &Url) -> Result<Self, Interruption> {
        let config =
            WebSocketConfig::default().max_message_size(Some(MAX_BYTES)).max_frame_size(Some(MAX_BYTES));
        let connect = connect_async_with_config(url.as_str(), Some(config), true);
        match tokio::time::timeout(CONNECT_TIMEOUT, connect).await {
            Ok(Ok((stream, _answer))) => Ok(Self { stream }),
            Ok(Err(error)) => Err(Interruption::Broken(format!("the socket cannot be opened: {error}"))),
            Err(_elapsed) => Err(Interruption::Broken("the socket cannot be opened in time".into())),
        }
    }

    /// What arrives next. Safe to be given up: nothing is lost then.
    ///
    /// # Errors
    /// `Broken` when the connection is, or when what arrives is no JSON.
    pub async fn next(&mut self) -> Result<Heard, Interruption> {
        match self.stream.next().await {
            Some(Ok(Message::Text(text))) => serde_json::from_str(&text)
                .map(Heard::Json)
                .map_err(|_malformed| Interruption::Broken("a message is not JSON".into())),
            Some(Ok(Message::Close(frame))) => {
                Ok(Heard::Closed(frame.map(|frame| (frame.code.into(), frame.reason.to_string()))))
            }
            Some(Ok(_)) => Ok(Heard::Sign),
            Some(Err(error)) => Err(Interruption::Broken(format!("the socket broke: {error}"))),
            None => Ok(Heard::Closed(None)),
        }
    }

    /// Sends a message.
    ///
    /// # Errors
    /// `Broken` when that does not succeed in time.
    pub async fn send(&mut self, message: &Value) -> Result<(), Interruption> {
        let send = self.stream.send(Message::text(message.to_string()));
        match tokio::time::timeout(SEND_TIMEOUT, send).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(Interruption::Broken(format!("the socket broke: {error}"))),
            Err(_elapsed) => Err(Interruption::Broken("the socket takes nothing".into())),
        }
    }

    /// Takes leave.
    pub async fn close(mut self) {
        // Whoever does not answer is left.
        let _left = tokio::time::timeout(CLOSE_TIMEOUT, self.stream.close(None)).await;
    }
}
