//! How connections are: what their platforms deliver, when they last told something, and what the daemon that reads the
//! channel is doing. Written by the daemons, read by whoever shows it.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use diesel::{
    prelude::*,
    sql_query,
    sql_types::{Array, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::{
    Result,
    db::schema::{connection_events, connection_readers, webhook_subscriptions},
};

/// The health of one connection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Health {
    /// What was asked of the platform: the platform's type and, when it does not deliver, why.
    pub subscriptions: BTreeMap<String, Option<String>>,
    /// When the last event of each type happened: `chat:message`, `chat:delete_message`, `chat:clear_user`,
    /// `chat:clear` and the types of C B12.2.
    pub last_events: BTreeMap<String, DateTime<Utc>>,
    /// Of channels that a daemon reads: over a socket or by polling.
    pub reader: Option<ReaderHealth>,
}

/// What the daemon that reads a channel is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReaderHealth {
    pub state: ReaderState,
    /// Why, in words for people.
    pub detail: Option<String>,
    pub since: DateTime<Utc>,
}

/// States of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReaderState {
    /// On its way.
    Connecting,
    /// What happens arrives.
    Reading,
    /// Later again: the connection broke, the platform asked for a pause, the quota is spent, the channel is offline.
    Waiting,
    /// The platform says no.
    Refused,
}

impl ReaderState {
    pub const ALL: [Self; 4] = [Self::Connecting, Self::Reading, Self::Waiting, Self::Refused];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Connecting => "connecting",
            Self::Reading => "reading",
            Self::Waiting => "waiting",
            Self::Refused => "refused",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}

/// The health of connections; one that nothing is known of is not among them.
///
/// # Errors
/// When the database fails.
pub async fn of(connection: &mut AsyncPgConnection, connections: &[Uuid]) -> Result<HashMap<Uuid, Health>> {
    let mut health: HashMap<Uuid, Health> = HashMap::new();
    let subscriptions: Vec<(Uuid, String, Option<String>)> = webhook_subscriptions::table
        .filter(webhook_subscriptions::connection_id.eq_any(connections))
        .select((
            webhook_subscriptions::connection_id,
            webhook_subscriptions::event_type,
            webhook_subscriptions::refusal,
        ))
        .load(connection)
        .await?;
    for (id, event_type, refusal) in subscriptions {
        health.entry(id).or_default().subscriptions.insert(event_type, refusal);
    }
    let events: Vec<(Uuid, String, DateTime<Utc>)> = connection_events::table
        .filter(connection_events::connection_id.eq_any(connections))
        .select(connection_events::all_columns)
        .load(connection)
        .await?;
    for (id, event_type, at) in events {
        health.entry(id).or_default().last_events.insert(event_type, at);
    }
    let readers: Vec<(Uuid, String, Option<String>, DateTime<Utc>)> = connection_readers::table
        .filter(connection_readers::connection_id.eq_any(connections))
        .select(connection_readers::all_columns)
        .load(connection)
        .await?;
    for (id, state, detail, since) in readers {
        let reader = ReaderState::parse(&state).map(|state| ReaderHealth { state, detail, since });
        health.entry(id).or_default().reader = reader;
    }
    Ok(health)
}

/// Notes what the daemon that reads a channel is doing; `since` moves only when the state changes.
///
/// # Errors
/// When the database fails.
pub async fn note_reader(
    connection: &mut AsyncPgConnection,
    connection_id: Uuid,
    state: ReaderState,
    detail: Option<&str>,
    now: DateTime<Utc>,
) -> Result<()> {
    // A channel that was disconnected meanwhile has no health.
    let sql = "
        INSERT INTO connection_readers (connection_id, state, detail, since)
        SELECT id, $2, $3, $4 FROM channel_connections WHERE id = $1
        ON CONFLICT (connection_id) DO UPDATE SET
            since = CASE WHEN connection_readers.state = excluded.state THEN connection_readers.since
                         ELSE excluded.since END,
            state = excluded.state, detail = excluded.detail";
    sql_query(sql)
        .bind::<SqlUuid, _>(connection_id)
        .bind::<Text, _>(state.as_str())
        .bind::<Nullable<Text>, _>(detail)
        .bind::<Timestamptz, _>(now)
        .execute(connection)
        .await?;
    Ok(())
}

/// When something was told of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub account_id: Uuid,
    pub platform: &'static str,
    pub event_type: String,
    pub at: DateTime<Utc>,
}

/// Notes the last events of channels, in one statement.
///
/// # Errors
/// When the database fails.
pub async fn note_events(connection: &mut AsyncPgConnection, told: &[Told]) -> Result<()> {
    if told.is_empty() {
        return Ok(());
    }
    let sql = "
        INSERT INTO connection_events (connection_id, event_type, last_event_at)
        SELECT channel.id, told.event_type, max(told.at)
        FROM unnest($1, $2, $3, $4) AS told (account_id, platform, event_type, at)
        JOIN channel_connections AS channel
            ON channel.account_id = told.account_id AND channel.platform = told.platform
        GROUP BY channel.id, told.event_type ORDER BY channel.id, told.event_type
        ON CONFLICT (connection_id, event_type) DO UPDATE SET last_event_at = excluded.last_event_at
        WHERE connection_events.last_event_at < excluded.last_event_at";
    sql_query(sql)
        .bind::<Array<SqlUuid>, Vec<Uuid>>(told.iter().map(|one| one.account_id).collect())
        .bind::<Array<Text>, Vec<&str>>(told.iter().map(|one| one.platform).collect())
        .bind::<Array<Text>, Vec<&str>>(told.iter().map(|one| one.event_type.as_str()).collect())
        .bind::<Array<Timestamptz>, Vec<DateTime<Utc>>>(told.iter().map(|one| one.at).collect())
        .execute(connection)
        .await?;
    Ok(())
}
