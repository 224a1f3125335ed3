//! Bots: what a command's answer says, and telling workers of commands that changed (specification C B11.2).

mod template;

pub use template::{Values, expand};

use crate::{Result, redis::Redis};

/// Where workers hear of global commands that changed, without the deployment's prefix. An account's own are announced
/// as its modules are.
pub const GLOBAL_COMMANDS: &str = "bot_modules:global";

/// Tells the workers to read the commands of every account again.
///
/// # Errors
/// When Redis cannot be reached; workers look every 60 s all the same.
pub async fn global_commands_changed(redis: &Redis) -> Result<()> {
    redis.publish(&redis.key(GLOBAL_COMMANDS), br#"{"type":"refresh"}"#).await
}
