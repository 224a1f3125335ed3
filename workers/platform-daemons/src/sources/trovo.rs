//! Trovo's chat socket: a token that opens it once, AUTH, then PING at the gap that the last PONG named
//! (reference/platforms.md#trovo-chat-socket).

use std::{sync::Arc, time::Duration};

use live_model::trovo::chats;
use serde_json::{Value, json};
use shared::platform::Platform;
use tokio::time::Instant;

use super::{
    Interruption, Reader, Source,
    socket::{Socket, SocketEvent},
};

/// Interval of PING until Trovo names one.
const INITIAL_PING_INTERVAL: Duration = Duration::from_secs(30);
/// Minimum interval of PING, whatever Trovo names.
const MIN_PING_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum interval of PING, whatever Trovo names.
const MAX_PING_INTERVAL: Duration = Duration::from_secs(120);
/// Maximum time until the response to AUTH or PING.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);

/// Source of Trovo's chats.
pub(super) struct Trovo;

/// Time of the next PING, and of the latest PONG.
struct Heartbeat {
    gap: Duration,
    ask_at: Instant,
    answer_by: Option<Instant>,
    asked: u64,
}

impl Source for Trovo {
    const PLATFORM: Platform = Platform::Trovo;

    async fn read(&self, reader: &Arc<Reader>) -> Result<(), Interruption> {
        let (context, channel) = (&reader.context, &reader.channel);
        let trovo = context.platforms.trovo();
        let token = trovo.chat_token(channel.client_id.as_deref(), &channel.channel_id).await?;
        let mut socket = Socket::connect(&context.config.ingest.trovo_chat_url).await?;
        authenticate(&mut socket, token.expose()).await?;
        let opened_at = context.clock.now();
        reader.is_reading(Platform::Trovo).await;
        let mut heartbeat = Heartbeat::new();
        loop {
            let heard = tokio::select! {
                () = reader.stop.cancelled() => {
                    socket.close().await;
                    return Ok(());
                }
                () = tokio::time::sleep_until(heartbeat.due()) => {
                    heartbeat.ask(&mut socket).await?;
                    continue;
                }
                heard = socket.next() => heard?,
            };
            match heard {
                SocketEvent::Json(message) => match message["type"].as_str() {
                    Some("CHAT") => {
                        let now = context.clock.now();
                        // A token that opens several channels names each; ours opens one.
                        let named = message["channel_info"]["channel_id"].as_str();
                        if named.is_some_and(|named| named != channel.channel_id) {
                            continue;
                        }
                        match chats(&channel.channel_id, &message["data"], now, Some(opened_at)) {
                            Some(chats) => reader.intake.write_with_retries(reader, &chats).await?,
                            None => tracing::warn!(channel = channel.channel_id, "a chat is not readable"),
                        }
                    }
                    Some("PONG") => heartbeat.answered(&message["data"]),
                    _ => {}
                },
                SocketEvent::KeepAlive => {}
                SocketEvent::Closed(why) => return Err(closed(why)),
            }
        }
    }
}

async fn authenticate(socket: &mut Socket, token: &str) -> Result<(), Interruption> {
    const NONCE: &str = "auth";
    socket.send(&json!({ "type": "AUTH", "nonce": NONCE, "data": { "token": token } })).await?;
    let answered = async {
        loop {
            match socket.next().await? {
                SocketEvent::Json(message) if message["type"] == "RESPONSE" && message["nonce"] == NONCE => {
                    let error = message["error"].as_str().filter(|error| !error.is_empty());
                    return error.map_or(Ok(()), |error| {
                        // A token is valid for one opening; the next attempt gets another.
                        Err(Interruption::Broken(format!("Trovo does not open the chat: {error}")))
                    });
                }
                SocketEvent::Closed(why) => return Err(closed(why)),
                _ => {}
            }
        }
    };
    tokio::time::timeout(RESPONSE_TIMEOUT, answered)
        .await
        .unwrap_or_else(|_elapsed| Err(Interruption::Broken("Trovo does not answer".into())))
}

impl Heartbeat {
    fn new() -> Self {
        // Immediately: the response states the gap.
        Self { gap: INITIAL_PING_INTERVAL, ask_at: Instant::now(), answer_by: None, asked: 0 }
    }

    fn due(&self) -> Instant {
        self.answer_by.unwrap_or(self.ask_at)
    }

    async fn ask(&mut self, socket: &mut Socket) -> Result<(), Interruption> {
        if self.answer_by.is_some() {
            return Err(Interruption::Broken("Trovo does not answer".into()));
        }
        self.asked += 1;
        socket.send(&json!({ "type": "PING", "nonce": format!("ping-{}", self.asked) })).await?;
        self.answer_by = Some(Instant::now() + RESPONSE_TIMEOUT);
        Ok(())
    }

    fn answered(&mut self, data: &Value) {
        if let Some(gap) = data["gap"].as_u64() {
            self.gap = Duration::from_secs(gap).clamp(MIN_PING_INTERVAL, MAX_PING_INTERVAL);
        }
        (self.ask_at, self.answer_by) = (Instant::now() + self.gap, None);
    }
}

fn closed(why: Option<(u16, String)>) -> Interruption {
    let why = why.map_or_else(String::new, |(code, reason)| format!(" with {code} {reason}"));
    Interruption::Broken(format!("Trovo closed the socket{why}"))
}
