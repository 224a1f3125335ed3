//! `ctx.push`: messages for the pages of an install (reference/handlers.md#push).

use std::time::Duration;

use extension_model::limits::{LimitKey, ResolvedLimits};
use foundation::{
    events::{Channel, Event, EventLog},
    limits::FixedWindow,
    redis::Redis,
};
use sandbox::{HostError, Push};
use serde_json::{Value, json};
use shared::clock::Clock;
use tokio::sync::Mutex;
use uuid::Uuid;

/// Maximum length of a topic, in bytes.
const MAX_TOPIC_LENGTH: usize = 128;
/// Maximum number of messages that a mutation buffers until its commit.
pub(crate) const MAX_BUFFERED_MESSAGES: usize = 100;
/// Maximum wait for the publication of a message.
const REDIS_TIMEOUT: Duration = Duration::from_secs(2);

/// Publisher to the pages of every install. Cheap to clone.
#[derive(Clone)]
pub struct Pushes {
    redis: Redis,
    events: EventLog,
    clock: Clock,
}

/// Publisher of one invocation to the pages of its install.
pub struct PushLine {
    pushes: Pushes,
    install_id: Uuid,
    /// Maximum size of a payload, in bytes of JSON.
    max_bytes: usize,
    /// Maximum number of messages of the install in one second.
    max_per_second: u32,
    /// Messages of a mutation: published after the commit, dropped at a rollback.
    held: Option<Mutex<Vec<Push>>>,
}

impl Pushes {
    /// Returns a publisher.
    pub fn new(redis: Redis, clock: Clock) -> Self {
        Self { events: EventLog::new(redis.clone()), redis, clock }
    }

    /// Returns the publisher of an install, within the limits of its extension; `holds_back` buffers messages
    /// for a mutation.
    pub fn of(&self, install_id: Uuid, holds_back: bool, limits: &ResolvedLimits) -> PushLine {
        PushLine {
            pushes: self.clone(),
            install_id,
            max_bytes: limits.size(LimitKey::PushBytes),
            max_per_second: u32::try_from(limits.value(LimitKey::PushPerSecond)).unwrap_or(u32::MAX),
            held: holds_back.then(Mutex::default),
        }
    }
}

impl PushLine {
    /// Publishes or buffers a message.
    ///
    /// # Errors
    /// `Argument` for an invalid topic, `Limit` for a payload that is too large and for too many messages,
    /// `Internal` while Redis is away.
    pub async fn push(&self, push: &Push) -> Result<Value, HostError> {
        checked(push, self.max_bytes)?;
        let Some(held) = &self.held else { return self.send(push).await };
        let mut held = held.lock().await;
        if held.len() >= MAX_BUFFERED_MESSAGES {
            return Err(too_many_buffered());
        }
        held.push(push.clone());
        Ok(Value::Null)
    }

    /// Publishes the buffered messages.
    pub async fn release(&self) {
        let Some(held) = &self.held else { return };
        for push in std::mem::take(&mut *held.lock().await) {
            if let Err(error) = self.send(&push).await {
                tracing::debug!(install_id = %self.install_id, %error, "a message for pages was not pushed");
            }
        }
    }

    async fn send(&self, push: &Push) -> Result<Value, HostError> {
        let unreachable = || HostError::internal("ctx.push: messages cannot be delivered now");
        match tokio::time::timeout(REDIS_TIMEOUT, self.deliver(push)).await {
            Ok(Ok(true)) => Ok(Value::Null),
            Ok(Ok(false)) => Err(too_fast(self.max_per_second)),
            Ok(Err(error)) => {
                tracing::warn!(%error, "a message for the pages of an install was not pushed");
                Err(unreachable())
            }
            Err(_elapsed) => Err(unreachable()),
        }
    }

    /// Publishes a message; false beyond the limit of this second.
    async fn deliver(&self, push: &Push) -> shared::Result<bool> {
        let Pushes { redis, events, clock } = &self.pushes;
        let now = clock.now();
        let key = redis.key(format_args!("ext_push:{}:{}", self.install_id, now.timestamp()));
        let count = FixedWindow { key, ttl_secs: 5 }.count(redis).await?;
        if count > self.max_per_second {
            return Ok(false);
        }
        let data = json!({ "topic": push.topic, "payload": push.payload });
        events.publish(&Event::new(Channel::ExtStorage(self.install_id), "ext:push", data, now)).await?;
        Ok(true)
    }
}

/// Checks topic and payload of a message.
///
/// # Errors
/// `Argument` for an invalid topic, `Limit` for a payload that is too large.
pub(crate) fn checked(push: &Push, max_bytes: usize) -> Result<(), HostError> {
    if !(1..=MAX_TOPIC_LENGTH).contains(&push.topic.len()) {
        return Err(HostError::argument(format!(
            "ctx.push: the topic must have 1 to {MAX_TOPIC_LENGTH} bytes"
        )));
    }
    let size = push.payload.to_string().len();
    if size > max_bytes {
        let message = format!("ctx.push: the payload is {size} bytes of JSON; the limit is {max_bytes}");
        return Err(HostError::limit(message));
    }
    Ok(())
}

/// Returns the refusal of a message that a mutation cannot buffer.
pub(crate) fn too_many_buffered() -> HostError {
    HostError::limit(format!("ctx.push: a mutation pushes at most {MAX_BUFFERED_MESSAGES} messages"))
}

/// Returns the refusal of a message beyond the limit of a second.
pub(crate) fn too_fast(max_per_second: u32) -> HostError {
    HostError::limit(format!("ctx.push: at most {max_per_second} messages of an install in a second"))
}
