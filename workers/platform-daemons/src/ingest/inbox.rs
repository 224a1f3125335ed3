//! The inbox of webhook deliveries.

use std::collections::HashSet;

use chrono::{DateTime, Duration, Utc};
use diesel::{
    OptionalExtension, QueryableByName,
    prelude::*,
    sql_query,
    sql_types::{Array, BigInt, Bool, Jsonb, Nullable, Record, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, without_waiting};
use serde_json::Value;
use shared::{Result, schema::webhook_inbox};
use uuid::Uuid;

use super::accounts::{Columns, Listening, listening_to};

/// Maximum age at which an open delivery delays later ones of its channel. An older one has lost its process
/// or cannot be handled.
const MAX_BLOCKING_AGE: Duration = Duration::seconds(3);
/// Maximum age at which a delivery is handled in batches of other processes. Older ones only where their own
/// job waits.
const MAX_BATCHED_AGE: Duration = Duration::seconds(30);
/// Maximum time by which deliveries arrive out of order. The index of open deliveries is read only this far
/// back: earlier ones have been handled, and their dead entries may be many.
const REORDER_WINDOW: Duration = Duration::seconds(30);
/// Maximum number of deliveries in a batch.
pub(super) const BATCH_SIZE: usize = 100;

/// Platform and the platform's id of the channel.
pub(super) type Channel = (String, String);

/// Delivery that was not handled yet.
#[derive(Debug, QueryableByName)]
pub(super) struct Delivery {
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    #[diesel(sql_type = Text)]
    pub platform: String,
    #[diesel(sql_type = Text)]
    pub delivery_id: String,
    #[diesel(sql_type = Text)]
    pub event_type: String,
    #[diesel(sql_type = Jsonb)]
    pub body: Value,
    #[diesel(sql_type = Timestamptz)]
    pub sent_at: DateTime<Utc>,
    #[diesel(sql_type = Timestamptz)]
    pub received_at: DateTime<Utc>,
    /// Platform's id of the channel, where the delivery names one.
    #[diesel(sql_type = Nullable<Text>)]
    pub channel_id: Option<String>,
    /// Handled once already, but its effects were lost with the data of Redis.
    #[diesel(sql_type = Bool)]
    pub is_reopened: bool,
    /// True when its handlers ran the first time.
    #[diesel(sql_type = Bool)]
    has_triggered: bool,
    /// True when an earlier recent delivery of the channel is open.
    #[diesel(sql_type = Bool)]
    pub is_preceded: bool,
    /// Accounts that have connected that channel, when they were read together with the delivery.
    #[diesel(sql_type = Nullable<Array<Record<Columns>>>)]
    listening: Option<Vec<Listening>>,
}

#[derive(QueryableByName)]
struct Open {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

impl Delivery {
    /// Returns the channel of the delivery, where it names one.
    pub fn channel(&self) -> Option<Channel> {
        Some((self.platform.clone(), self.channel_id.clone()?))
    }

    /// Returns the accounts that have connected a channel, when they were read together with the delivery.
    pub fn listening_to(&self, channel_id: &str) -> Option<&[Listening]> {
        self.listening.as_deref().filter(|_| self.channel_id.as_deref() == Some(channel_id))
    }

    /// True when handlers may run. Reasons against handlers the first time, such as an own line or a removed
    /// one, cannot be found again for a reopened delivery.
    pub const fn may_trigger(&self) -> bool {
        !self.is_reopened || self.has_triggered
    }

    /// True when later deliveries of its channel wait for it.
    pub fn blocks_channel(&self, now: DateTime<Utc>) -> bool {
        self.received_at > now - MAX_BLOCKING_AGE
    }
}

/// Returns an open delivery with its audience; `None` when it was handled or deleted.
pub(super) async fn open(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<Delivery>> {
    let sql = format!(
        "SELECT id, platform, delivery_id, event_type, body, sent_at, received_at, channel_id,
            is_reopened, has_triggered,
            EXISTS (SELECT FROM webhook_inbox AS earlier
                WHERE earlier.platform = delivery.platform AND earlier.channel_id = delivery.channel_id
                    AND earlier.handled_at IS NULL AND earlier.received_at > $2
                    AND (earlier.sent_at, earlier.id) < (delivery.sent_at, delivery.id)
                    AND earlier.sent_at > delivery.sent_at - INTERVAL '30 seconds') AS is_preceded,
            CASE WHEN channel_id IS NOT NULL THEN {} END AS listening
        FROM webhook_inbox AS delivery WHERE id = $1 AND handled_at IS NULL",
        listening_to("delivery.platform", "delivery.channel_id")
    );
    Ok(sql_query(sql)
        .bind::<SqlUuid, _>(id)
        .bind::<Timestamptz, _>(now - MAX_BATCHED_AGE)
        .prepared()
        .get_result(connection)
        .await
        .optional()?)
}

/// Returns the first open deliveries of a channel in their order, at most [`BATCH_SIZE`]: recent ones, and
/// those in `ids`, the earliest of which was sent at `earliest`.
pub(super) async fn ready(
    connection: &mut AsyncPgConnection,
    (platform, channel_id): &Channel,
    ids: &[Uuid],
    earliest: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<Vec<Delivery>> {
    let sql = "SELECT id, platform, delivery_id, event_type, body, sent_at, received_at, channel_id,
            is_reopened, has_triggered,
            false AS is_preceded, NULL AS listening
        FROM webhook_inbox
        WHERE platform = $1 AND channel_id = $2 AND handled_at IS NULL AND sent_at > $3
            AND (received_at > $4 OR id = ANY($5))
        ORDER BY sent_at, id LIMIT $6";
    Ok(sql_query(sql)
        .bind::<Text, _>(platform)
        .bind::<Text, _>(channel_id)
        .bind::<Timestamptz, _>(earliest - REORDER_WINDOW)
        .bind::<Timestamptz, _>(now - MAX_BATCHED_AGE)
        .bind::<Array<SqlUuid>, _>(ids)
        .bind::<BigInt, _>(i64::try_from(BATCH_SIZE).unwrap_or(i64::MAX))
        .prepared()
        .load(connection)
        .await?)
}

/// Returns those of the deliveries that are not handled yet.
pub(super) async fn still_open(connection: &mut AsyncPgConnection, ids: &[Uuid]) -> Result<HashSet<Uuid>> {
    let sql = "SELECT id FROM webhook_inbox WHERE id = ANY($1) AND handled_at IS NULL";
    let open: Vec<Open> = sql_query(sql).bind::<Array<SqlUuid>, _>(ids).prepared().load(connection).await?;
    Ok(open.into_iter().map(|open| open.id).collect())
}

/// Marks deliveries as handled, and for which of them handlers run. A delivery whose mark is lost is handled
/// again, without a second effect.
pub(super) async fn mark_handled(
    connection: &mut AsyncPgConnection,
    done: &[(Uuid, bool)],
    now: DateTime<Utc>,
) -> Result<()> {
    let inbox = webhook_inbox::table;
    for triggered in [true, false] {
        let of_kind = done.iter().filter(|(_, has_triggered)| *has_triggered == triggered);
        let ids: Vec<Uuid> = of_kind.map(|(id, _)| *id).collect();
        let handled = (webhook_inbox::handled_at.eq(now), webhook_inbox::has_triggered.eq(triggered));
        match &*ids {
            [] => {}
            // Mostly it is one, and PostgreSQL plans a list anew at every execution.
            [id] => {
                let delivery = inbox.filter(webhook_inbox::id.eq(id).and(without_waiting()));
                diesel::update(delivery).set(handled).prepared().execute(connection).await?;
            }
            ids => {
                let deliveries = inbox.filter(webhook_inbox::id.eq_any(ids).and(without_waiting()));
                diesel::update(deliveries).set(handled).prepared().execute(connection).await?;
            }
        }
    }
    Ok(())
}
