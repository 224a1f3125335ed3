//! WebSocket that carries JSON.

use std::time::Duration;

use futures::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async_with_config,
    tungstenite::{self, Message, protocol::WebSocketConfig},
};
use url::Url;

use super::Interruption;

/// Maximum time to open a socket.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum time to send a message.
const SEND_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum time to close a socket.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
/// Maximum pause that a refused connection is granted.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(600);
/// Maximum size of a message, in bytes.
const MAX_BYTES: usize = 1024 * 1024;

/// Open socket.
pub struct Socket {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

/// Received message, or the end of the connection.
#[derive(Debug, PartialEq)]
pub enum SocketEvent {
    /// Text message.
    Json(Value),
    /// Ping, pong or another message that is not text.
    KeepAlive,
    /// Close: code and reason when there was a close frame.
    Closed(Option<(u16, String)>),
}

impl Socket {
    /// Connects.
    ///
    /// # Errors
    /// `Later` for a 429 with `Retry-After`; `Broken` when connecting fails otherwise or takes too long. The
    /// error omits the address: its query may be a secret.
    pub async fn connect(url: &Url) -> Result<Self, Interruption> {
        let config =
            WebSocketConfig::default().max_message_size(Some(MAX_BYTES)).max_frame_size(Some(MAX_BYTES));
        let connect = connect_async_with_config(url.as_str(), Some(config), true);
        match tokio::time::timeout(CONNECT_TIMEOUT, connect).await {
            Ok(Ok((stream, _answer))) => Ok(Self { stream }),
            Ok(Err(error)) => Err(refusal(&error)),
            Err(_elapsed) => Err(Interruption::Broken("the socket cannot be opened in time".into())),
        }
    }

    /// Returns the next message. Cancellation-safe: nothing is lost.
    ///
    /// # Errors
    /// `Broken` for a broken connection or a message that is not JSON.
    pub async fn next(&mut self) -> Result<SocketEvent, Interruption> {
        match self.stream.next().await {
            Some(Ok(Message::Text(text))) => serde_json::from_str(&text)
                .map(SocketEvent::Json)
                .map_err(|_malformed| Interruption::Broken("a message is not JSON".into())),
            Some(Ok(Message::Close(frame))) => {
                Ok(SocketEvent::Closed(frame.map(|frame| (frame.code.into(), frame.reason.to_string()))))
            }
            Some(Ok(_)) => Ok(SocketEvent::KeepAlive),
            Some(Err(error)) => Err(Interruption::Broken(format!("the socket broke: {error}"))),
            None => Ok(SocketEvent::Closed(None)),
        }
    }

    /// Sends a message.
    ///
    /// # Errors
    /// `Broken` when that fails or takes too long.
    pub async fn send(&mut self, message: &Value) -> Result<(), Interruption> {
        let send = self.stream.send(Message::text(message.to_string()));
        match tokio::time::timeout(SEND_TIMEOUT, send).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(Interruption::Broken(format!("the socket broke: {error}"))),
            Err(_elapsed) => Err(Interruption::Broken("the socket takes nothing".into())),
        }
    }

    /// Closes the socket.
    pub async fn close(mut self) {
        // A peer that does not answer is dropped.
        let _left = tokio::time::timeout(CLOSE_TIMEOUT, self.stream.close(None)).await;
    }
}

/// Reason why a socket was not opened.
fn refusal(error: &tungstenite::Error) -> Interruption {
    let why = format!("the socket cannot be opened: {error}");
    let tungstenite::Error::Http(answer) = error else { return Interruption::Broken(why) };
    let retry_after = answer.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
    match (answer.status().as_u16(), retry_after) {
        (429, Some(seconds)) => {
            Interruption::Later { pause: Duration::from_secs(seconds).min(MAX_RETRY_AFTER), why }
        }
        _ => Interruption::Broken(why),
    }
}
