//! Inbox: each delivery of a platform is written here, once, before it is handled
//! (reference/ingest.md#deliveries).

use std::ops::RangeInclusive;

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bool, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use uuid::Uuid;

use foundation::db::{Prepare, column};
use shared::{Result, platform::Platform};

/// Age beyond which the sweep gives a delivery no further job. The queue knows a job's key for a day, also
/// that of a dead one: a delivery whose job has died gets no second one within that day, and a delivery that
/// waited through a long outage is still handled.
pub const SWEEP_WINDOW: chrono::Duration = chrono::Duration::hours(12);

/// Deliveries of one statement.
const BATCH_SIZE: usize = 500;

/// Trusted delivery: its signature was checked, or we have fetched it ourselves.
#[derive(Debug, Clone, PartialEq)]
pub struct Inbound {
    /// Platform of the delivery.
    pub platform: Platform,
    /// Id, unique on its platform.
    pub delivery_id: String,
    /// Type in the words of the platform.
    pub event_type: String,
    /// Payload in the form of the platform.
    pub body: Value,
    /// Time of the delivery by the platform's clock.
    pub sent_at: DateTime<Utc>,
}

#[derive(QueryableByName)]
struct Accepted {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

/// Writes deliveries. Returns the ids of the new ones. Each is handled by a
/// [`foundation::jobs::HandleDelivery`] job, which the caller adds after its commit. The periodic sweep of
/// the inbox finds those that were left.
///
/// # Errors
/// A failure of the database. Then no delivery of the last statement is written.
pub async fn accept(
    connection: &mut AsyncPgConnection,
    deliveries: &[Inbound],
    now: DateTime<Utc>,
) -> Result<Vec<Uuid>> {
    let mut accepted = Vec::with_capacity(deliveries.len());
    for batch in deliveries.chunks(BATCH_SIZE) {
        let new: Vec<Accepted> = sql_query(
            "INSERT INTO webhook_inbox (id, platform, delivery_id, event_type, body, sent_at, channel_id, received_at)
             SELECT told.*, $8 FROM unnest($1, $2, $3, $4, $5, $6, $7) AS told
             ON CONFLICT (platform, delivery_id) DO NOTHING RETURNING id",
        )
        .bind::<Array<SqlUuid>, _>(column(batch, |_| shared::id::new()))
        .bind::<Array<Text>, _>(column(batch, |delivery| delivery.platform.slug()))
        .bind::<Array<Text>, _>(column(batch, |delivery| delivery.delivery_id.as_str()))
        .bind::<Array<Text>, _>(column(batch, |delivery| delivery.event_type.as_str()))
        .bind::<Array<Jsonb>, _>(column(batch, |delivery| &delivery.body))
        .bind::<Array<Timestamptz>, _>(column(batch, |delivery| delivery.sent_at))
        .bind::<Array<Nullable<Text>>, _>(column(batch, channel_of))
        .bind::<Timestamptz, _>(now)
        .prepared()
        .load(connection)
        .await?;
        accepted.extend(new.into_iter().map(|new| new.id));
    }
    Ok(accepted)
}

/// Selection of deliveries that are to be handled again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reopening {
    /// Period in which they were handled.
    pub handled: RangeInclusive<DateTime<Utc>>,
    /// True to include those that were handled again before.
    pub repeatedly: bool,
}

/// Marks up to `limit` deliveries as unhandled, with the record that they were published before. Returns
/// their number. The periodic sweep of the inbox adds their jobs.
///
/// # Errors
/// A failure of the database.
pub async fn reopen(connection: &mut AsyncPgConnection, reopening: &Reopening, limit: i64) -> Result<usize> {
    let sql = "UPDATE webhook_inbox SET handled_at = NULL, is_reopened = true
        WHERE id IN (SELECT id FROM webhook_inbox
            WHERE handled_at BETWEEN $1 AND $2 AND (NOT is_reopened OR $3) ORDER BY handled_at LIMIT $4)";
    Ok(sql_query(sql)
        .bind::<Timestamptz, _>(reopening.handled.start())
        .bind::<Timestamptz, _>(reopening.handled.end())
        .bind::<Bool, _>(reopening.repeatedly)
        .bind::<BigInt, _>(limit)
        .execute(connection)
        .await?)
}

/// Id on the platform of the channel of a delivery, when it names one.
fn channel_of(delivery: &Inbound) -> Option<String> {
    let body = &delivery.body;
    let places: &[&str] = match delivery.platform {
        Platform::Twitch => &[
            "/event/broadcaster_user_id",
            "/event/to_broadcaster_user_id",
            "/subscription/condition/broadcaster_user_id",
            "/subscription/condition/to_broadcaster_user_id",
        ],
        Platform::Kick => &["/broadcaster/user_id"],
        _ => &["/channel_id"],
    };
    places.iter().find_map(|place| match body.pointer(place)? {
        Value::String(id) if !id.is_empty() => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    })
}

/// Payload in a form that PostgreSQL can store: without NUL characters, which a platform may send.
#[must_use]
pub fn storable(value: Value) -> Value {
    match value {
        Value::String(text) if text.contains('\0') => Value::String(text.replace('\0', "\u{fffd}")),
        Value::Array(items) => Value::Array(items.into_iter().map(storable).collect()),
        Value::Object(fields) => Value::Object(
            fields
                .into_iter()
                .map(|(name, value)| (name.replace('\0', "\u{fffd}"), storable(value)))
                .collect(),
        ),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn channel_of_reads_the_channel_per_platform() {
        let named = |platform, body| {
            let (delivery_id, event_type) = ("d".to_owned(), "t".to_owned());
            let sent_at = DateTime::UNIX_EPOCH;
            channel_of(&Inbound { platform, delivery_id, event_type, body, sent_at })
        };
        let one = Some("1".to_owned());
        assert_eq!(named(Platform::Twitch, json!({ "event": { "broadcaster_user_id": "1" } })), one);
        assert_eq!(named(Platform::Twitch, json!({ "event": { "to_broadcaster_user_id": "1" } })), one);
        let ended = json!({ "subscription": { "condition": { "broadcaster_user_id": "1" } } });
        assert_eq!(named(Platform::Twitch, ended), one);
        assert_eq!(named(Platform::Kick, json!({ "broadcaster": { "user_id": 1 } })), one);
        assert_eq!(named(Platform::Trovo, json!({ "channel_id": "1" })), one);
        assert_eq!(named(Platform::Youtube, json!({ "channel_id": null })), None);
    }

    #[test]
    fn storable_replaces_nul_characters_everywhere() {
        let value = storable(json!({ "a\0": ["b\0c", { "d": "\0" }], "e": 1 }));
        assert_eq!(value, json!({ "a\u{fffd}": ["b\u{fffd}c", { "d": "\u{fffd}" }], "e": 1 }));
    }
}
