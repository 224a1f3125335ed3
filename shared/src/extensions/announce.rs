//! Telling workers and open sockets that the installs of an account changed (specification C B8, §11.5).

use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    Result,
    bots::GLOBAL_COMMANDS as EVERYBODY,
    clock::Clock,
    events::{Channel, Event, EventLog},
    redis::Redis,
};

/// Where workers hear what is announced on the control channels of all accounts, each frame with its `account_id`,
/// without the deployment's prefix. One channel and no pattern, which sharded channels of a cluster do not have
/// (specification E, 32).
pub const CONTROL_OF_ALL: &str = "bot_modules";

/// The control channel of an account's bot modules, without the deployment's prefix.
#[must_use]
pub fn bot_modules_channel(account_id: Uuid) -> String {
    format!("bot_modules:{account_id}")
}

/// Tells the workers to read the feeds of an account again: `{ "type": "refresh" }`.
///
/// # Errors
/// When Redis cannot be reached; workers poll every 60 s all the same.
pub async fn refresh(redis: &Redis, account_id: Uuid) -> Result<()> {
    control(redis, account_id, &json!({ "type": "refresh" })).await
}

/// Tells the workers to stop the triggers of an install at once: `{ "type": "kill", "install_id" }`.
///
/// # Errors
/// When Redis cannot be reached; workers poll every 60 s all the same.
pub async fn kill(redis: &Redis, account_id: Uuid, install_id: Uuid) -> Result<()> {
    control(redis, account_id, &json!({ "type": "kill", "install_id": install_id })).await
}

/// Tells the workers to stop an extension, or one version of it, in every account at once:
/// `{ "type": "stop", "extension_id", "version_id" }`.
///
/// # Errors
/// When Redis cannot be reached; workers poll every 60 s all the same.
pub async fn stop(redis: &Redis, extension_id: Uuid, version_id: Option<Uuid>) -> Result<()> {
    let frame = json!({ "type": "stop", "extension_id": extension_id, "version_id": version_id });
    redis.publish(&redis.key(EVERYBODY), frame.to_string().as_bytes()).await
}

/// Tells the workers to look again whether an extension runs, in every account: `{ "type": "resume", "extension_id" }`.
///
/// # Errors
/// When Redis cannot be reached; workers poll every 60 s all the same.
pub async fn resume(redis: &Redis, extension_id: Uuid) -> Result<()> {
    let frame = json!({ "type": "resume", "extension_id": extension_id });
    redis.publish(&redis.key(EVERYBODY), frame.to_string().as_bytes()).await
}

/// Tells sockets on `extensions:{account_id}` (`install:created`, `install:updated`, `install:removed`,
/// `install:update_available`, `bot_module:killed`).
///
/// # Errors
/// When Redis cannot be reached.
pub async fn tell(
    events: &EventLog,
    clock: &Clock,
    account_id: Uuid,
    event_type: &str,
    data: Value,
) -> Result<()> {
    let event = Event::new(Channel::Extensions(account_id), event_type, data, clock.now());
    events.append(&event).await.map(drop)
}

async fn control(redis: &Redis, account_id: Uuid, frame: &Value) -> Result<()> {
    let mut of_all = frame.clone();
    of_all["account_id"] = json!(account_id);
    redis.publish(&redis.key(CONTROL_OF_ALL), of_all.to_string().as_bytes()).await?;
    redis.publish(&redis.key(bot_modules_channel(account_id)), frame.to_string().as_bytes()).await
}
