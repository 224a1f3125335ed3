//! Chat commands: templates of responses, and the announcement of changed global commands
//! (reference/bots.md#bot-commands).

mod template;

pub use template::{Values, expand, fill};

use foundation::redis::Redis;
use shared::Result;

/// Channel that announces changes of global commands, without the deployment's prefix. Changes of an
/// account's own commands are announced on the account's channel.
pub const GLOBAL_COMMANDS: &str = "bot_modules:global";

/// Makes the workers read the commands of every account again.
///
/// # Errors
/// Redis failure. Workers still poll every 60 s.
pub async fn global_commands_changed(redis: &Redis) -> Result<()> {
    redis.publish(&redis.key(GLOBAL_COMMANDS), br#"{"type":"refresh"}"#).await
}
