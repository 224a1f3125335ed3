//! Connections to platforms (reference/connections.md#connections): their applications, scopes, and
//! announcements of their changes. The API creates and ends connections; workers follow up.

pub mod applications;
pub mod bots;
pub mod health;
pub mod quota;
pub mod revocations;
mod scopes;
pub mod status;

use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

pub use scopes::{DISCORD_PERMISSIONS, discord_guild_scopes, scopes};

use foundation::{
    events::{Channel, Event},
    jobs::PublishEvent,
    outbox,
};
use shared::{Result, connection::ConnectionKind};

/// Change of a connection, for the dashboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Update {
    /// It was created.
    Connected,
    /// It was connected again.
    Reconnected,
    /// It was removed.
    Disconnected,
    /// Its platform no longer accepts its tokens.
    Flagged,
    /// The reconnect flag was cleared, or the switch of the bot was changed.
    Changed,
}

/// Writes `connections:updated` for publication after the commit
/// (reference/connections.md#events-of-connections).
///
/// # Errors
/// A failure of the database, which also fails the transaction of the caller.
pub async fn announce(
    connection: &mut AsyncPgConnection,
    account: Uuid,
    kind: ConnectionKind,
    platform: &str,
    update: Update,
    now: DateTime<Utc>,
) -> Result<()> {
    let data = json!({ "kind": kind, "platform": platform, "action": update });
    let event = Event::new(Channel::Account(account), "connections:updated", data, now);
    let key = format!("connections:{}", event.id);
    outbox::add(connection, &PublishEvent { event }, &key).await
}
