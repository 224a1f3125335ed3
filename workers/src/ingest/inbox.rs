//! The inbox of webhook deliveries.

use chrono::{DateTime, Duration, Utc};
use diesel::{
    OptionalExtension, QueryableByName,
    prelude::*,
    sql_query,
    sql_types::{Array, Bool, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use shared::{Result, db::schema::webhook_inbox};
use uuid::Uuid;

/// An earlier delivery that came longer ago and is still open holds nobody up.
const WAITED_FOR: Duration = Duration::seconds(3);

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
    /// The platform's id of the channel, where the delivery names one.
    #[diesel(sql_type = Nullable<Text>)]
    pub channel_id: Option<String>,
    /// Whether an earlier delivery of the channel that came a moment ago is open.
    #[diesel(sql_type = Bool)]
    pub is_preceded: bool,
}

#[derive(QueryableByName)]
struct Preceded {
    #[diesel(sql_type = Bool)]
    is_preceded: bool,
}

/// Of `delivery`, as of `$2`, but for those of `$3`. Only the last seconds of the index are read: what is before them has
/// been handled, and its dead entries may be many.
const IS_PRECEDED: &str = "EXISTS (SELECT FROM webhook_inbox AS earlier
    WHERE earlier.platform = delivery.platform AND earlier.channel_id = delivery.channel_id
        AND earlier.handled_at IS NULL AND earlier.received_at > $2 AND earlier.id <> ALL($3)
        AND (earlier.sent_at, earlier.id) < (delivery.sent_at, delivery.id)
        AND earlier.sent_at > delivery.sent_at - INTERVAL '30 seconds') AS is_preceded";

/// The delivery; `None` when it was handled or forgotten.
pub(super) async fn open(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<Delivery>> {
    let sql = format!(
        "SELECT id, platform, delivery_id, event_type, body, sent_at, channel_id, {IS_PRECEDED}
         FROM webhook_inbox AS delivery WHERE id = $1 AND handled_at IS NULL"
    );
    Ok(sql_query(sql)
        .bind::<SqlUuid, _>(id)
        .bind::<Timestamptz, _>(now - WAITED_FOR)
        .bind::<Array<SqlUuid>, _>(&[] as &[Uuid])
        .get_result(connection)
        .await
        .optional()?)
}

/// Whether an earlier delivery of the same channel that came a moment ago is open, but for those that are `done`.
pub(super) async fn is_preceded(
    connection: &mut AsyncPgConnection,
    delivery: &Delivery,
    done: &[Uuid],
    now: DateTime<Utc>,
) -> Result<bool> {
    let sql = format!("SELECT {IS_PRECEDED} FROM webhook_inbox AS delivery WHERE id = $1");
    let found: Option<Preceded> = sql_query(sql)
        .bind::<SqlUuid, _>(delivery.id)
        .bind::<Timestamptz, _>(now - WAITED_FOR)
        .bind::<Array<SqlUuid>, _>(done)
        .get_result(connection)
        .await
        .optional()?;
    Ok(found.is_some_and(|found| found.is_preceded))
}

pub(super) async fn mark_handled(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<()> {
    diesel::update(webhook_inbox::table.find(id))
        .set(webhook_inbox::handled_at.eq(now))
        .execute(connection)
        .await?;
    Ok(())
}
