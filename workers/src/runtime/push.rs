//! `ctx.push`: events for the pages of an install (specification C B3.3, §11.4).

use std::time::Duration;

use sandbox::{HostError, Push};
use serde_json::{Value, json};
use shared::{
    clock::Clock,
    events::{Channel, Event, EventLog},
    redis::Redis,
};
use tokio::sync::Mutex;
use uuid::Uuid;

/// Largest payload, in bytes of JSON.
const MAX_PAYLOAD_BYTES: usize = 64 * 1024;
const MAX_TOPIC_LENGTH: usize = 128;
/// Messages of an install in one second.
const PER_SECOND: i64 = 100;
/// Messages that a mutation may hold back until it is kept.
const MAX_HELD: usize = 100;
const REDIS_TIMEOUT: Duration = Duration::from_secs(2);

/// The way to the pages of every install. Cheap to clone.
#[derive(Clone)]
pub struct Pushes {
    redis: Redis,
    events: EventLog,
    clock: Clock,
}

/// The way to the pages of one, for one invocation.
pub struct PushLine {
    pushes: Pushes,
    install_id: Uuid,
    /// What a mutation pushes is told when it is kept, and never when it is undone.
    held: Option<Mutex<Vec<Push>>>,
}

impl Pushes {
    pub fn new(redis: Redis, clock: Clock) -> Self {
        Self { events: EventLog::new(redis.clone()), redis, clock }
    }

    /// The line of an install; `holds_back` for a mutation.
    pub fn of(&self, install_id: Uuid, holds_back: bool) -> PushLine {
        PushLine { pushes: self.clone(), install_id, held: holds_back.then(Mutex::default) }
    }
}

impl PushLine {
    /// Pushes, or notes what to push.
    ///
    /// # Errors
    /// What the handler reads: a payload that is too large, too many messages.
    pub async fn push(&self, push: &Push) -> Result<Value, HostError> {
        if !(1..=MAX_TOPIC_LENGTH).contains(&push.topic.len()) {
            return Err(HostError::argument(format!(
                "ctx.push: the topic must have 1 to {MAX_TOPIC_LENGTH} bytes"
            )));
        }
        let size = push.payload.to_string().len();
        if size > MAX_PAYLOAD_BYTES {
            let message =
                format!("ctx.push: the payload is {size} bytes of JSON; the limit is {MAX_PAYLOAD_BYTES}");
            return Err(HostError::limit(message));
        }
        let Some(held) = &self.held else { return self.send(push).await };
        let mut held = held.lock().await;
        if held.len() >= MAX_HELD {
            return Err(HostError::limit(format!("ctx.push: a mutation pushes at most {MAX_HELD} messages")));
        }
        held.push(push.clone());
        Ok(Value::Null)
    }

    /// Pushes what was held back.
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
            Ok(Ok(false)) => Err(HostError::limit(format!(
                "ctx.push: at most {PER_SECOND} messages of an install in a second"
            ))),
            Ok(Err(error)) => {
                tracing::warn!(%error, "a message for the pages of an install was not pushed");
                Err(unreachable())
            }
            Err(_elapsed) => Err(unreachable()),
        }
    }

    /// False when there were too many in this second.
    async fn deliver(&self, push: &Push) -> shared::Result<bool> {
        let Pushes { redis, events, clock } = &self.pushes;
        let now = clock.now();
        let counter = redis.key(format_args!("ext_push:{}:{}", self.install_id, now.timestamp()));
        let mut connection = redis.get().await?;
        let (count,): (i64,) = redis::pipe()
            .atomic()
            .cmd("INCR")
            .arg(&counter)
            .cmd("EXPIRE")
            .arg(&counter)
            .arg(5)
            .ignore()
            .query_async(&mut *connection)
            .await?;
        drop(connection);
        if count > PER_SECOND {
            return Ok(false);
        }
        let data = json!({ "topic": push.topic, "payload": push.payload });
        events.publish(&Event::new(Channel::ExtStorage(self.install_id), "ext:push", data, now)).await?;
        Ok(true)
    }
}
