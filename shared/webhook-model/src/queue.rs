//! Deliveries that wait (reference/webhooks.md#queue). Each endpoint has one row for an event, so a repeated call adds
//! nothing.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, column};
use live_model::{ChatMessage, EventRow};
use shared::Result;
use uuid::Uuid;

use crate::{
    event_types::{CHAT_MESSAGE, is_chosen},
    features::FeaturesOff,
};

/// Time within which a delivery is tried (reference/webhooks.md#retries).
pub const MAX_RETRY_DURATION: TimeDelta = TimeDelta::days(3);
/// Maximum number of deliveries of an endpoint that wait; further events are left out
/// (reference/webhooks.md#queue).
pub const MAX_WAITING: i64 = 10_000;
/// Time for which a full queue takes nothing, so that its deliveries are not counted for each event
/// (reference/webhooks.md#queue).
pub const FULL_TTL: TimeDelta = TimeDelta::seconds(5);
/// Maximum number of chat messages that an endpoint gets within a minute; further ones are left out
/// (reference/webhooks.md#event-types).
pub const MAX_CHAT_PER_MINUTE: i64 = 60;

/// Stored event or chat message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence<'a> {
    /// Account.
    pub account_id: Uuid,
    /// Id of the event or message.
    pub id: Uuid,
    /// Type.
    pub event_type: &'a str,
    /// Time.
    pub occurred_at: DateTime<Utc>,
    /// Place in the trace that its deliveries continue, as the value of `traceparent`.
    pub traceparent: Option<&'a str>,
    /// Value of `tracestate` that belongs to it.
    pub tracestate: Option<&'a str>,
}

/// Numbers of deliveries of one call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Added {
    /// Deliveries that wait now.
    pub added: i64,
    /// Deliveries that were left out at a bound.
    pub skipped: i64,
}

#[derive(QueryableByName)]
struct Endpoint {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
    #[diesel(sql_type = Array<Text>)]
    event_types: Vec<String>,
}

/// An endpoint and an occurrence that it receives.
type Pair<'a> = (&'a Endpoint, &'a Occurrence<'a>);

#[derive(QueryableByName)]
struct Counted {
    #[diesel(sql_type = BigInt)]
    added: i64,
    #[diesel(sql_type = BigInt)]
    skipped: i64,
}

/// Enabled endpoints of accounts, locked in the order of their ids: of two transactions that add deliveries of one
/// endpoint the second counts those of the first.
const LOCK: &str = "
    SELECT id, account_id, event_types FROM webhook_endpoints WHERE account_id = ANY ($1) AND is_enabled
    ORDER BY id FOR NO KEY UPDATE";

/// Adds the deliveries that are not known, as far as there is room, and makes their endpoints due. Those that wait are
/// counted when the places that were free at the last count are used: deliveries leave the queue without a note of it.
const ADD: &str = "
    WITH given AS (
        SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $13, $14)
            AS given (id, account_id, endpoint_id, event_id, event_type, occurred_at, traceparent, tracestate)
    ), fresh AS (
        SELECT given.*,
            row_number() OVER (PARTITION BY given.endpoint_id ORDER BY given.occurred_at, given.event_id) AS place,
            row_number() OVER (PARTITION BY given.endpoint_id, given.event_type
                ORDER BY given.occurred_at, given.event_id) AS place_of_type
        FROM given WHERE NOT EXISTS (
            SELECT FROM webhook_deliveries AS known
            WHERE known.endpoint_id = given.endpoint_id AND known.event_id = given.event_id)
    ), room AS (
        SELECT wanted.endpoint_id, wanted.events, coalesce(endpoint.full_until > $8, false) AS is_full,
            CASE
                WHEN endpoint.full_until > $8 THEN 0
                WHEN endpoint.free_places >= wanted.events THEN endpoint.free_places
                ELSE greatest($9 - (SELECT count(*) FROM (
                    SELECT FROM webhook_deliveries AS waiting
                    WHERE waiting.endpoint_id = endpoint.id AND waiting.status = 'pending' LIMIT $9
                ) AS counted), 0)
            END AS places,
            CASE WHEN wanted.has_chat THEN $10 - (
                SELECT count(*) FROM webhook_deliveries AS recent
                WHERE recent.account_id = wanted.account_id AND recent.endpoint_id = wanted.endpoint_id
                    AND recent.event_type = $11 AND recent.created_at > $8 - interval '1 minute'
            ) ELSE 0 END AS chat_places
        FROM (
            SELECT account_id, endpoint_id, count(*) AS events, bool_or(event_type = $11) AS has_chat
            FROM fresh GROUP BY 1, 2
        ) AS wanted JOIN webhook_endpoints AS endpoint ON endpoint.id = wanted.endpoint_id
    ), added AS (
        INSERT INTO webhook_deliveries
            (id, account_id, endpoint_id, event_id, event_type, occurred_at, expires_at, created_at, traceparent,
            tracestate)
        SELECT fresh.id, fresh.account_id, fresh.endpoint_id, fresh.event_id, fresh.event_type, fresh.occurred_at,
            $7, $8, fresh.traceparent, fresh.tracestate
        FROM fresh JOIN room ON room.endpoint_id = fresh.endpoint_id
        WHERE fresh.place <= room.places AND (fresh.event_type <> $11 OR fresh.place_of_type <= room.chat_places)
        ON CONFLICT DO NOTHING RETURNING endpoint_id
    ), counted AS (
        SELECT room.endpoint_id, room.events, room.places, room.is_full,
            (SELECT count(*) FROM added WHERE added.endpoint_id = room.endpoint_id) AS kept
        FROM room
    )
    UPDATE webhook_endpoints AS endpoint SET
        due_at = CASE WHEN counted.kept > 0 THEN coalesce(endpoint.due_at, greatest($8, endpoint.retry_at))
            ELSE endpoint.due_at END,
        skipped_count = endpoint.skipped_count + counted.events - counted.kept,
        free_places = greatest(counted.places - counted.kept, 0),
        full_until = CASE
            WHEN counted.is_full THEN endpoint.full_until
            WHEN counted.events > counted.places THEN $12
        END
    FROM counted WHERE endpoint.id = counted.endpoint_id
    RETURNING counted.kept AS added, counted.events - counted.kept AS skipped";

impl<'a> Occurrence<'a> {
    /// Occurrence of an event.
    #[must_use]
    pub fn of_event(row: &'a EventRow) -> Self {
        let event = &row.event;
        Self {
            account_id: event.account_id,
            id: event.id,
            event_type: &event.event_type,
            occurred_at: event.occurred_at,
            traceparent: row.traceparent.as_deref(),
            tracestate: row.tracestate.as_deref(),
        }
    }

    /// Occurrence of a chat message; `None` for one that is counted only, or was removed.
    #[must_use]
    pub fn of_message(message: &ChatMessage) -> Option<Self> {
        (message.counted_as.is_none() && !message.is_deleted).then_some(Self {
            account_id: message.account_id,
            id: message.id,
            event_type: CHAT_MESSAGE,
            occurred_at: message.sent_at,
            traceparent: None,
            tracestate: None,
        })
    }
}

/// Adds a delivery for each endpoint that receives an occurrence, unless the feature of its type is off for the account.
/// Call it after the rows of the occurrences were stored. It may be repeated.
///
/// # Errors
/// A failure of the database: then nothing was added.
pub async fn add(
    connection: &mut AsyncPgConnection,
    occurrences: &[Occurrence<'_>],
    now: DateTime<Utc>,
) -> Result<Added> {
    if occurrences.is_empty() {
        return Ok(Added::default());
    }
    connection
        .transaction(async |connection| {
            let endpoints = lock(connection, occurrences).await?;
            let chosen = switched_on(connection, chosen(&endpoints, occurrences)).await?;
            if chosen.is_empty() {
                return Ok(Added::default());
            }
            insert(connection, &chosen, now).await
        })
        .await
}

/// Pairs of an endpoint and an occurrence that it receives, each once.
fn chosen<'a>(endpoints: &'a [Endpoint], occurrences: &'a [Occurrence<'_>]) -> Vec<Pair<'a>> {
    let mut of_accounts: HashMap<Uuid, Vec<&Endpoint>> = HashMap::new();
    for endpoint in endpoints {
        of_accounts.entry(endpoint.account_id).or_default().push(endpoint);
    }
    let mut seen = HashSet::new();
    let mut pairs = Vec::new();
    for occurrence in
        occurrences.iter().filter(|occurrence| seen.insert((occurrence.account_id, occurrence.id)))
    {
        let of_account = of_accounts.get(&occurrence.account_id).into_iter().flatten();
        let receives = |endpoint: &&&Endpoint| is_chosen(&endpoint.event_types, occurrence.event_type);
        pairs.extend(of_account.filter(receives).map(|endpoint| (*endpoint, occurrence)));
    }
    pairs
}

/// Drops the pairs of accounts whose feature is off: one statement for all, and none without a pair.
async fn switched_on<'a>(
    connection: &mut AsyncPgConnection,
    mut pairs: Vec<Pair<'a>>,
) -> Result<Vec<Pair<'a>>> {
    if pairs.is_empty() {
        return Ok(pairs);
    }
    let mut accounts = column(&pairs, |(endpoint, _)| endpoint.account_id);
    accounts.sort_unstable();
    accounts.dedup();
    let off = FeaturesOff::read(connection, &accounts).await?;
    pairs.retain(|(endpoint, occurrence)| !off.concern(endpoint.account_id, occurrence.event_type));
    Ok(pairs)
}

async fn lock(connection: &mut AsyncPgConnection, occurrences: &[Occurrence<'_>]) -> Result<Vec<Endpoint>> {
    let mut accounts = column(occurrences, |occurrence| occurrence.account_id);
    accounts.sort_unstable();
    accounts.dedup();
    Ok(sql_query(LOCK).bind::<Array<SqlUuid>, _>(accounts).prepared().load(connection).await?)
}

async fn insert(
    connection: &mut AsyncPgConnection,
    chosen: &[Pair<'_>],
    now: DateTime<Utc>,
) -> Result<Added> {
    let counted: Vec<Counted> = sql_query(ADD)
        .bind::<Array<SqlUuid>, _>(column(chosen, |_| shared::id::new()))
        .bind::<Array<SqlUuid>, _>(column(chosen, |(endpoint, _)| endpoint.account_id))
        .bind::<Array<SqlUuid>, _>(column(chosen, |(endpoint, _)| endpoint.id))
        .bind::<Array<SqlUuid>, _>(column(chosen, |(_, occurrence)| occurrence.id))
        .bind::<Array<Text>, _>(column(chosen, |(_, occurrence)| occurrence.event_type))
        .bind::<Array<Timestamptz>, _>(column(chosen, |(_, occurrence)| occurrence.occurred_at))
        .bind::<Timestamptz, _>(now + MAX_RETRY_DURATION)
        .bind::<Timestamptz, _>(now)
        .bind::<BigInt, _>(MAX_WAITING)
        .bind::<BigInt, _>(MAX_CHAT_PER_MINUTE)
        .bind::<Text, _>(CHAT_MESSAGE)
        .bind::<Timestamptz, _>(now + FULL_TTL)
        .bind::<Array<Nullable<Text>>, _>(column(chosen, |(_, occurrence)| occurrence.traceparent))
        .bind::<Array<Nullable<Text>>, _>(column(chosen, |(_, occurrence)| occurrence.tracestate))
        .prepared()
        .load(connection)
        .await?;
    Ok(counted.iter().fold(Added::default(), |sum, one| Added {
        added: sum.added + one.added,
        skipped: sum.skipped + one.skipped,
    }))
}
