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
use serde_json::Value;
use shared::{
    Result,
    db::{Prepare, schema::webhook_inbox, without_waiting},
};
use uuid::Uuid;

use super::{
    accounts::{Columns, Listening, listening_to},
    order::{Channel, Wanted},
};

/// A delivery that came longer ago and is still open holds nobody up: it has lost its process or cannot be handled.
const WAITED_FOR: Duration = Duration::seconds(3);
/// What came longer ago is taken along only by a process where its job waits.
const TAKEN_ALONG: Duration = Duration::seconds(30);
/// Deliveries are sent in order but for so much. Only so far back the index of open deliveries is read: what is before
/// has been handled, and its dead entries may be many.
const OUT_OF_ORDER: Duration = Duration::seconds(30);
/// Most deliveries that are taken along.
pub(super) const BATCH: usize = 100;

/// A delivery that was not handled yet.
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
    /// The platform's id of the channel, where the delivery names one.
    #[diesel(sql_type = Nullable<Text>)]
    pub channel_id: Option<String>,
    /// Handled once already: what it came to was lost with the data of Redis.
    #[diesel(sql_type = Bool)]
    pub is_reopened: bool,
    /// Whether handlers were to run for it then.
    #[diesel(sql_type = Bool)]
    has_triggered: bool,
    /// Whether an earlier delivery of the channel that came a moment ago is open.
    #[diesel(sql_type = Bool)]
    pub is_preceded: bool,
    /// Who has connected that channel, when it was asked together with the delivery.
    #[diesel(sql_type = Nullable<Array<Record<Columns>>>)]
    listening: Option<Vec<Listening>>,
}

#[derive(QueryableByName)]
struct Open {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

impl Delivery {
    /// The channel that it tells of, where it names one.
    pub fn channel(&self) -> Option<Channel> {
        Some((self.platform.clone(), self.channel_id.clone()?))
    }

    /// Who has connected a channel, when it is the one that it names and that was asked together with it.
    pub fn listening_to(&self, channel_id: &str) -> Option<&[Listening]> {
        self.listening.as_deref().filter(|_| self.channel_id.as_deref() == Some(channel_id))
    }

    /// Whether handlers may run for it: what they were not to run for at first, an own line or one that had been removed,
    /// cannot be told any more when it was reopened.
    pub const fn may_trigger(&self) -> bool {
        !self.is_reopened || self.has_triggered
    }

    /// Whether later ones of its channel wait for it.
    pub fn is_waited_for(&self, now: DateTime<Utc>) -> bool {
        self.received_at > now - WAITED_FOR
    }
}

/// The delivery with its audience; `None` when it was handled or forgotten.
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
        .bind::<Timestamptz, _>(now - TAKEN_ALONG)
        .prepared()
        .get_result(connection)
        .await
        .optional()?)
}

/// The first open deliveries of a channel in their order, at most [`BATCH`]: those that came lately, and those that are
/// wanted.
pub(super) async fn ready(
    connection: &mut AsyncPgConnection,
    (platform, channel_id): &Channel,
    wanted: &Wanted,
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
        .bind::<Timestamptz, _>(wanted.earliest - OUT_OF_ORDER)
        .bind::<Timestamptz, _>(now - TAKEN_ALONG)
        .bind::<Array<SqlUuid>, _>(&wanted.ids)
        .bind::<BigInt, _>(i64::try_from(BATCH).unwrap_or(i64::MAX))
        .prepared()
        .load(connection)
        .await?)
}

/// Those of the deliveries that are not handled yet.
pub(super) async fn still_open(connection: &mut AsyncPgConnection, ids: &[Uuid]) -> Result<HashSet<Uuid>> {
    let sql = "SELECT id FROM webhook_inbox WHERE id = ANY($1) AND handled_at IS NULL";
    let open: Vec<Open> = sql_query(sql).bind::<Array<SqlUuid>, _>(ids).prepared().load(connection).await?;
    Ok(open.into_iter().map(|open| open.id).collect())
}

/// Notes that deliveries are handled, and for which of them handlers are to run. One of which that is lost is handled
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
            // Mostly it is one, and for a list PostgreSQL makes a plan at every execution.
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
