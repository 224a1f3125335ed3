//! Announcements to workers and open sockets that an account's installs changed
//! (reference/extensions.md#announcements).

use serde_json::{Value, json};
use uuid::Uuid;

use crate::bots::GLOBAL_COMMANDS as EVERYBODY;
use foundation::{
    events::{Channel, Event, EventLog},
    redis::Redis,
};
use shared::{Result, clock::Clock};

/// Channel with the control frames of all accounts, each with its `account_id`, without the deployment's
/// prefix. Workers subscribe to this one channel and to no pattern, because sharded channels of a cluster
/// have no patterns (reference/storage.md#control-channels).
pub const CONTROL_OF_ALL: &str = "bot_modules";

/// Control channel of one account, without the deployment's prefix.
#[must_use]
pub fn bot_modules_channel(account_id: Uuid) -> String {
    format!("bot_modules:{account_id}")
}

/// Makes the workers read the feeds of an account again: `{ "type": "refresh" }`.
///
/// # Errors
/// Redis failure. Workers still poll every 60 s.
pub async fn refresh(redis: &Redis, account_id: Uuid) -> Result<()> {
    control(redis, account_id, &json!({ "type": "refresh" })).await
}

/// Makes the workers stop the triggers of an install at once: `{ "type": "kill", "install_id" }`.
///
/// # Errors
/// Redis failure. Workers still poll every 60 s.
pub async fn kill(redis: &Redis, account_id: Uuid, install_id: Uuid) -> Result<()> {
    control(redis, account_id, &json!({ "type": "kill", "install_id": install_id })).await
}

/// Makes the workers stop an extension, or one version of it, in every account at once: `{ "type": "stop",
/// "extension_id", "version_id" }`.
///
/// # Errors
/// Redis failure. Workers still poll every 60 s.
pub async fn stop(redis: &Redis, extension_id: Uuid, version_id: Option<Uuid>) -> Result<()> {
    let frame = json!({ "type": "stop", "extension_id": extension_id, "version_id": version_id });
    redis.publish(&redis.key(EVERYBODY), frame.to_string().as_bytes()).await
}

/// Makes the workers read again, in every account, if an extension runs: `{ "type": "resume", "extension_id"
/// }`.
///
/// # Errors
/// Redis failure. Workers still poll every 60 s.
pub async fn resume(redis: &Redis, extension_id: Uuid) -> Result<()> {
    let frame = json!({ "type": "resume", "extension_id": extension_id });
    redis.publish(&redis.key(EVERYBODY), frame.to_string().as_bytes()).await
}

/// Publishes an event to sockets on `extensions:{account_id}` (`install:created`, `install:updated`,
/// `install:removed`, `install:update_available`, `bot_module:killed`).
///
/// # Errors
/// Redis failure.
pub async fn publish(
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
