//! A WebSocket client, as a dashboard or an overlay would be.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async, tungstenite::Message};

/// Longest wait for a frame that is expected.
const FRAME_TIMEOUT: Duration = Duration::from_secs(15);

pub struct Socket {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
    /// Frames that arrived while another was awaited.
    waiting: Vec<Value>,
}

impl Socket {
    /// Connects with a WebSocket token and reads the greeting.
    pub async fn connect(origin: &str, token: &str) -> Result<(Self, Value)> {
        let address = format!("{}/v1/ws?token={token}", origin.replacen("http", "ws", 1));
        let (stream, _) = connect_async(address).await.context("the WebSocket does not open")?;
        let mut socket = Self { stream, waiting: Vec::new() };
        let hello = socket.expect(|frame| frame["type"] == "connected").await?;
        Ok((socket, hello))
    }

    /// Subscribes and waits for the confirmation.
    pub async fn subscribe(&mut self, channel: &str) -> Result<()> {
        let frame = json!({ "type": "subscribe", "channel": channel });
        self.stream.send(Message::text(frame.to_string())).await?;
        let answer = self
            .expect(|frame| {
                frame["channel"] == channel && (frame["type"] == "subscribed" || frame["type"] == "error")
            })
            .await?;
        if answer["type"] == "error" {
            bail!("subscribing to {channel} was refused: {answer}");
        }
        Ok(())
    }

    /// The next frame of an event type that meets a condition; others are kept for later.
    pub async fn event(&mut self, event_type: &str, wanted: impl Fn(&Value) -> bool) -> Result<Value> {
        self.expect(|frame| {
            frame["type"] == "event" && frame["event_type"] == event_type && wanted(&frame["data"])
        })
        .await
        .with_context(|| format!("waiting for {event_type}"))
    }

    /// Number of kept frames that meet a condition: those that arrived without being awaited.
    pub fn count_waiting(&self, wanted: impl Fn(&Value) -> bool) -> usize {
        self.waiting.iter().filter(|frame| wanted(frame)).count()
    }

    /// Keeps the frames that arrive within a time.
    pub async fn listen(&mut self, during: Duration) -> Result<()> {
        let until = tokio::time::Instant::now() + during;
        while let Ok(frame) = tokio::time::timeout_at(until, self.frame()).await {
            let frame = frame?;
            self.waiting.push(frame);
        }
        Ok(())
    }

    async fn expect(&mut self, wanted: impl Fn(&Value) -> bool) -> Result<Value> {
        if let Some(index) = self.waiting.iter().position(&wanted) {
            return Ok(self.waiting.remove(index));
        }
        let until = tokio::time::Instant::now() + FRAME_TIMEOUT;
        loop {
            let frame =
                tokio::time::timeout_at(until, self.frame()).await.context("nothing came in time")??;
            if wanted(&frame) {
                return Ok(frame);
            }
            self.waiting.push(frame);
        }
    }

    async fn frame(&mut self) -> Result<Value> {
        loop {
            match self.stream.next().await.context("the socket was closed")?? {
                Message::Text(text) => return Ok(serde_json::from_str(&text)?),
                Message::Close(reason) => bail!("the socket was closed: {reason:?}"),
                _ => {}
            }
        }
    }
}
