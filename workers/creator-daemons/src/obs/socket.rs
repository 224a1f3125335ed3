//! WebSocket to an OBS: bounded messages, and a time limit on every step.

use std::{net::SocketAddr, time::Duration};

use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::{net::TcpStream, time::timeout};
use tokio_tungstenite::{
    WebSocketStream, client_async_with_config,
    tungstenite::{Message, protocol::WebSocketConfig},
};

use super::ended::Ended;

/// Maximum size of a message of OBS, in bytes (reference/obs.md#connection).
const MAX_MESSAGE_BYTES: usize = 1024 * 1024;
/// Number of addresses of a host that are tried (reference/obs.md#connection).
const MAX_ADDRESSES: usize = 4;
/// Maximum time to connect to one address.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(4);
/// Maximum time to send a message.
const SEND_TIMEOUT: Duration = Duration::from_secs(4);
/// Maximum time to close a socket.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// Open socket.
pub(super) struct Socket {
    stream: WebSocketStream<TcpStream>,
}

/// Received message.
#[derive(Debug, PartialEq)]
pub(super) enum Received {
    /// A message of the protocol: its op code and data.
    Message(u64, Value),
    /// Ping, pong or another message without content.
    KeepAlive,
}

impl Socket {
    /// Connects to one of the addresses. `host` is the name in the request.
    ///
    /// # Errors
    /// `Unreachable`, or `ForeignProtocol` when the host has no WebSocket.
    pub async fn connect(host: &str, addresses: &[SocketAddr]) -> Result<Self, Ended> {
        let stream = connect(addresses).await.ok_or(Ended::Unreachable)?;
        let config = WebSocketConfig::default()
            .max_message_size(Some(MAX_MESSAGE_BYTES))
            .max_frame_size(Some(MAX_MESSAGE_BYTES));
        match client_async_with_config(format!("ws://{host}/"), stream, Some(config)).await {
            Ok((stream, _answer)) => Ok(Self { stream }),
            Err(_refused) => Err(Ended::ForeignProtocol),
        }
    }

    /// Returns the next message. Cancellation-safe: nothing is lost.
    ///
    /// # Errors
    /// The reason of a closed connection, or `ForeignProtocol`.
    pub async fn next(&mut self) -> Result<Received, Ended> {
        match self.stream.next().await {
            Some(Ok(Message::Text(text))) => {
                let message: Value =
                    serde_json::from_str(&text).map_err(|_malformed| Ended::ForeignProtocol)?;
                let op = message["op"].as_u64().ok_or(Ended::ForeignProtocol)?;
                Ok(Received::Message(op, message["d"].clone()))
            }
            Some(Ok(Message::Close(frame))) => Err(Ended::of_close(frame.map(|frame| frame.code.into()))),
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => Ok(Received::KeepAlive),
            Some(Ok(Message::Binary(_))) => Err(Ended::ForeignProtocol),
            Some(Err(_)) | None => Err(Ended::Closed),
        }
    }

    /// Sends a message of the protocol.
    ///
    /// # Errors
    /// `Closed`, or `Silent` when OBS takes nothing.
    pub async fn send(&mut self, op: u8, data: &Value) -> Result<(), Ended> {
        self.send_message(Message::text(json!({ "op": op, "d": data }).to_string())).await
    }

    /// Sends a ping.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    pub async fn ping(&mut self) -> Result<(), Ended> {
        self.send_message(Message::Ping(Vec::new().into())).await
    }

    async fn send_message(&mut self, message: Message) -> Result<(), Ended> {
        match timeout(SEND_TIMEOUT, self.stream.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_broken)) => Err(Ended::Closed),
            Err(_elapsed) => Err(Ended::Silent),
        }
    }

    /// Closes the socket. It waits for the close frame of OBS, which counts a connection that ends before as lost.
    pub async fn close(mut self) {
        let closed = async {
            if self.stream.close(None).await.is_ok() {
                while let Some(Ok(_ignored)) = self.stream.next().await {}
            }
        };
        // A peer that does not answer is dropped.
        let _elapsed = timeout(CLOSE_TIMEOUT, closed).await;
    }
}

async fn connect(addresses: &[SocketAddr]) -> Option<TcpStream> {
    for address in addresses.iter().take(MAX_ADDRESSES) {
        if let Ok(Ok(stream)) = timeout(CONNECT_TIMEOUT, TcpStream::connect(address)).await {
            // Small messages are sent immediately.
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "messages to OBS are sent with a delay");
            }
            return Some(stream);
        }
    }
    None
}
