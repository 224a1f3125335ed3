//! A client of the WebSocket protocol.

use std::time::Duration;

use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{Error, Message, client::IntoClientRequest, http::HeaderValue},
};
use uuid::Uuid;

use crate::DEADLINE;

/// Parameters of a client's connection.
#[derive(Clone, Debug, Default)]
pub struct SocketRequest {
    base: String,
    query: Option<String>,
    bearer: Option<String>,
    origin: Option<String>,
    cookie: Option<String>,
}

/// An open socket that was greeted.
pub struct Socket {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
    pub hello: Value,
    /// Reason of the close frame, when there was one.
    pub close_reason: String,
}

/// A received message.
#[derive(Debug, Clone, PartialEq)]
pub enum Heard {
    Frame(Value),
    /// A close frame and its code, or 1006 when the connection broke without one.
    Closed(u16),
}

/// A refused upgrade.
#[derive(Debug, Clone)]
pub struct RefusedUpgrade {
    pub status: u16,
    pub body: Value,
}

impl SocketRequest {
    /// A request without a credential to the server at `base` (`http://…`).
    #[must_use]
    pub fn to(base: impl Into<String>) -> Self {
        Self { base: base.into(), ..Self::default() }
    }

    /// The credential by header.
    #[must_use]
    pub fn bearer(mut self, token: &str) -> Self {
        self.bearer = Some(token.to_owned());
        self
    }

    /// The credential by query.
    #[must_use]
    pub fn query(mut self, token: &str) -> Self {
        self.query = Some(token.to_owned());
        self
    }

    #[must_use]
    pub fn origin(mut self, origin: &str) -> Self {
        self.origin = Some(origin.to_owned());
        self
    }

    #[must_use]
    pub fn cookie(mut self, cookie: &str) -> Self {
        self.cookie = Some(cookie.to_owned());
        self
    }

    /// Connects and reads the greeting.
    pub async fn try_connect(&self) -> Result<Socket, RefusedUpgrade> {
        let query = self.query.as_ref().map(|token| format!("?token={token}")).unwrap_or_default();
        let url = format!("{}/v1/ws{query}", self.base.replacen("http", "ws", 1));
        let mut request = url.into_client_request().expect("a sound address");
        let bearer = self.bearer.as_ref().map(|token| format!("Bearer {token}"));
        for (name, value) in [("authorization", &bearer), ("origin", &self.origin), ("cookie", &self.cookie)]
        {
            if let Some(value) = value {
                request.headers_mut().insert(name, HeaderValue::from_str(value).expect("a sound header"));
            }
        }
        match connect_async(request).await {
            Ok((stream, _)) => {
                let mut socket = Socket { stream, hello: Value::Null, close_reason: String::new() };
                socket.hello = socket.frame().await;
                Ok(socket)
            }
            Err(Error::Http(response)) => {
                let body = response.body().as_deref().unwrap_or_default();
                let body = serde_json::from_slice(body).unwrap_or(Value::Null);
                Err(RefusedUpgrade { status: response.status().as_u16(), body })
            }
            Err(error) => panic!("no upgrade: {error}"),
        }
    }

    /// Connects; the server must agree.
    pub async fn connect(&self) -> Socket {
        match self.try_connect().await {
            Ok(socket) => socket,
            Err(refused) => panic!("refused: {refused:?}"),
        }
    }

    /// Connects; the server must refuse.
    pub async fn refused(&self) -> RefusedUpgrade {
        match self.try_connect().await {
            Ok(_) => panic!("not refused: {self:?}"),
            Err(refused) => refused,
        }
    }
}

impl Socket {
    /// Next received message of any kind.
    pub async fn hear(&mut self) -> Heard {
        tokio::time::timeout(DEADLINE, self.hear_without_end()).await.expect("something arrives in time")
    }

    async fn hear_without_end(&mut self) -> Heard {
        loop {
            return match self.stream.next().await {
                Some(Ok(Message::Text(text))) => {
                    Heard::Frame(serde_json::from_str(&text).expect("a frame is JSON"))
                }
                Some(Ok(Message::Close(Some(close)))) => {
                    self.close_reason = close.reason.to_string();
                    Heard::Closed(close.code.into())
                }
                Some(Ok(Message::Close(None))) => Heard::Closed(1005),
                Some(Ok(_)) => continue,
                Some(Err(_)) | None => Heard::Closed(1006),
            };
        }
    }

    /// The next frame.
    pub async fn frame(&mut self) -> Value {
        match self.hear().await {
            Heard::Frame(frame) => frame,
            Heard::Closed(code) => panic!("closed with {code} instead of a frame"),
        }
    }

    /// Next frame, if one arrives within a time.
    pub async fn frame_within(&mut self, wait_timeout: Duration) -> Option<Value> {
        match tokio::time::timeout(wait_timeout, self.hear_without_end()).await {
            Ok(Heard::Frame(frame)) => Some(frame),
            Ok(Heard::Closed(code)) => panic!("closed with {code} instead of a frame"),
            Err(_) => None,
        }
    }

    /// Every frame until the server closes, and the close code.
    pub async fn until_closed(&mut self) -> (Vec<Value>, u16) {
        let mut frames = Vec::new();
        loop {
            match self.hear().await {
                Heard::Frame(frame) => frames.push(frame),
                Heard::Closed(code) => return (frames, code),
            }
        }
    }

    pub async fn send(&mut self, frame: Value) {
        self.send_message(Message::text(frame.to_string())).await;
    }

    pub async fn send_message(&mut self, message: Message) {
        self.stream.send(message).await.expect("the socket takes a frame");
    }

    /// Writes bytes past the protocol.
    pub async fn send_bytes(&mut self, bytes: &[u8]) {
        use tokio::io::AsyncWriteExt;
        let MaybeTlsStream::Plain(stream) = self.stream.get_mut() else { panic!("a plain connection") };
        stream.write_all(bytes).await.expect("the connection takes bytes");
    }

    /// Reads bytes without the protocol, which sends no pongs, until there are as many as expected or the server has
    /// closed.
    pub async fn bytes(&mut self, count: usize, wait_timeout: Duration) -> Vec<u8> {
        use tokio::io::AsyncReadExt;
        let MaybeTlsStream::Plain(stream) = self.stream.get_mut() else { panic!("a plain connection") };
        let mut bytes = Vec::new();
        let mut limited = stream.take(count as u64);
        let read = tokio::time::timeout(wait_timeout, limited.read_to_end(&mut bytes)).await;
        read.expect("something arrives in time").expect("the connection can be read");
        bytes
    }

    /// Sends a frame and reads the next.
    pub async fn ask(&mut self, frame: Value) -> Value {
        self.send(frame).await;
        self.frame().await
    }

    /// Subscribes; must succeed.
    pub async fn subscribe(&mut self, channel: &str) {
        let answer = self.ask(json!({ "type": "subscribe", "channel": channel })).await;
        assert_eq!(answer, json!({ "type": "subscribed", "channel": channel }));
    }

    /// Subscribes after an event; returns `recovered`.
    pub async fn resume(&mut self, channel: &str, after: Uuid) -> bool {
        let answer = self.ask(json!({ "type": "subscribe", "channel": channel, "after": after })).await;
        assert_eq!(answer["type"], "subscribed", "{answer}");
        answer["recovered"].as_bool().expect("the answer says whether it recovered")
    }

    /// Code of the error that a frame gets.
    pub async fn error_of(&mut self, frame: Value) -> String {
        let answer = self.ask(frame).await;
        assert_eq!(answer["type"], "error", "{answer}");
        assert!(!answer["message"].as_str().unwrap_or_default().is_empty(), "{answer}");
        answer["code"].as_str().expect("an error has a code").to_owned()
    }

    /// Asserts that nothing waits to be read.
    pub async fn is_quiet(&mut self) {
        let answer = self.ask(json!({ "type": "ping", "ts": "quiet" })).await;
        assert_eq!(answer, json!({ "type": "pong", "ts": "quiet" }));
    }
}
