//! Commands for the page of an account that controls OBS itself (reference/obs.md#commands).

use chrono::{DateTime, Utc};
use foundation::events::{Channel, Event, EventLog};
use serde_json::json;
use shared::{Result, id, id::AccountId};

use super::ObsCommand;

/// Publishes a command for the account's own page. Whether one listens is not known.
///
/// # Errors
/// A failure of Redis.
pub async fn relay(
    events: &EventLog,
    account: AccountId,
    command: &ObsCommand,
    now: DateTime<Utc>,
) -> Result<()> {
    let data = json!({
        "command_id": id::new(),
        "command": command.name(),
        "scene": command.scene(),
        "source": command.source().map(|(source, _)| source),
        "visible": command.source().map(|(_, visible)| visible),
        "issued_at": shared::clock::rfc3339(now),
    });
    events.append(&Event::new(Channel::Obs(account.uuid()), "obs:command", data, now)).await?;
    Ok(())
}
