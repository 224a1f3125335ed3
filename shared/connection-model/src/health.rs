//! Health of connections: deliveries of their platforms, times of the last events, and the state of the
//! daemon that reads the channel (reference/connections.md#health). Daemons write it.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use diesel::{
    deserialize::{self, FromSql, FromSqlRow},
    dsl::sql,
    expression::SqlLiteral,
    pg::{Pg, PgValue},
    prelude::*,
    sql_query,
    sql_types::{Array, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Deserialize;
use uuid::Uuid;

use shared::{Result, schema::channel_connections};

/// Health of a row of `channel_connections`, as one more column of the selecting statement.
const OF_ROW: &str = "jsonb_build_object(
    'subscriptions', (SELECT coalesce(jsonb_object_agg(event_type, refusal), '{}') FROM webhook_subscriptions
        WHERE connection_id = channel_connections.id),
    'last_events', (SELECT coalesce(jsonb_object_agg(event_type, last_event_at), '{}') FROM connection_events
        WHERE connection_id = channel_connections.id),
    'reader', (SELECT jsonb_build_object('state', state, 'detail', detail, 'since', since) FROM connection_readers
        WHERE connection_id = channel_connections.id))";

/// Type of [`of_row`].
pub type OfRow = SqlLiteral<Jsonb>;

/// Health of a row of `channel_connections`, selected beside its columns, so that a list is one statement.
pub fn of_row() -> OfRow {
    sql::<Jsonb>(OF_ROW)
}

/// Health of one connection.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, FromSqlRow)]
pub struct Health {
    /// Requested deliveries: the platform's type, and the reason of the platform when it does not deliver.
    pub subscriptions: BTreeMap<String, Option<String>>,
    /// Time of the last event of each type: `chat:message`, `chat:delete_message`, `chat:clear_user`,
    /// `chat:clear` and the types of the catalogue (reference/events.md#catalogue).
    pub last_events: BTreeMap<String, DateTime<Utc>>,
    /// State of the reader, for channels that a daemon reads over a socket or by polling.
    pub reader: Option<ReaderHealth>,
}

/// State of the daemon that reads a channel (reference/ingest.md#reader-states).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ReaderHealth {
    /// State of the reader.
    pub state: ReaderState,
    /// Reason of the state, for people.
    pub detail: Option<String>,
    /// Start of the state.
    pub since: DateTime<Utc>,
}

/// States of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReaderState {
    /// It is connecting.
    Connecting,
    /// Events arrive.
    Reading,
    /// It waits for the next attempt: the connection broke, the platform requested a pause, the quota is
    /// spent, or the channel is offline.
    Waiting,
    /// The platform refuses the reader.
    Refused,
}

impl FromSql<Jsonb, Pg> for Health {
    fn from_sql(stored: PgValue<'_>) -> deserialize::Result<Self> {
        let health: serde_json::Value = FromSql::<Jsonb, Pg>::from_sql(stored)?;
        Ok(serde_json::from_value(health)?)
    }
}

impl ReaderState {
    /// All states.
    pub const ALL: [Self; 4] = [Self::Connecting, Self::Reading, Self::Waiting, Self::Refused];

    /// Text in columns and JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Connecting => "connecting",
            Self::Reading => "reading",
            Self::Waiting => "waiting",
            Self::Refused => "refused",
        }
    }
}

/// Health of the given connections. Ids of no connection are left out.
///
/// # Errors
/// A failure of the database.
pub async fn of(connection: &mut AsyncPgConnection, connections: &[Uuid]) -> Result<HashMap<Uuid, Health>> {
    let health: Vec<(Uuid, Health)> = channel_connections::table
        .filter(channel_connections::id.eq_any(connections))
        .select((channel_connections::id, of_row()))
        .load(connection)
        .await?;
    Ok(health.into_iter().collect())
}

/// Records the state of the daemon that reads a channel; `since` changes only with the state.
///
/// # Errors
/// A failure of the database.
pub async fn record_reader(
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

/// Time of an event of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastEvent {
    /// Account of the channel.
    pub account_id: Uuid,
    /// Slug of the platform.
    pub platform: &'static str,
    /// Type of the event.
    pub event_type: String,
    /// Time of the event.
    pub at: DateTime<Utc>,
}

/// Records the last events of channels, in one statement.
///
/// # Errors
/// A failure of the database.
pub async fn record_events(connection: &mut AsyncPgConnection, events: &[LastEvent]) -> Result<()> {
    if events.is_empty() {
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
        .bind::<Array<SqlUuid>, Vec<Uuid>>(events.iter().map(|one| one.account_id).collect())
        .bind::<Array<Text>, Vec<&str>>(events.iter().map(|one| one.platform).collect())
        .bind::<Array<Text>, Vec<&str>>(events.iter().map(|one| one.event_type.as_str()).collect())
        .bind::<Array<Timestamptz>, Vec<DateTime<Utc>>>(events.iter().map(|one| one.at).collect())
        .execute(connection)
        .await?;
    Ok(())
}
