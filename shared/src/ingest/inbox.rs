//! The inbox: every delivery of a platform is written here, once, before anything is done about it (D §1).

use std::ops::RangeInclusive;

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bool, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use uuid::Uuid;

use crate::{
    Result,
    db::{Prepare, column},
    platforms::Platform,
};

/// Deliveries of one statement.
const BATCH: usize = 500;

/// A delivery that is believed: its signature was checked, or we have fetched it ourselves.
#[derive(Debug, Clone, PartialEq)]
pub struct Inbound {
    pub platform: Platform,
    /// Names it once on its platform.
    pub delivery_id: String,
    pub event_type: String,
    pub body: Value,
    /// The platform's time of the delivery.
    pub sent_at: DateTime<Utc>,
}

#[derive(QueryableByName)]
struct Accepted {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

/// Writes deliveries; answers the ids of those that were not there before. Each is handled by a
/// [`crate::jobs::HandleDelivery`] job, which the caller adds after its commit; the periodic sweep of the inbox does
/// what was left undone.
///
/// # Errors
/// When the database fails: then none of the last statement's deliveries is written.
pub async fn accept(
    connection: &mut AsyncPgConnection,
    deliveries: &[Inbound],
    now: DateTime<Utc>,
) -> Result<Vec<Uuid>> {
    let mut accepted = Vec::with_capacity(deliveries.len());
    for batch in deliveries.chunks(BATCH) {
        let new: Vec<Accepted> = sql_query(
            "INSERT INTO webhook_inbox (id, platform, delivery_id, event_type, body, sent_at, channel_id, received_at)
             SELECT told.*, $8 FROM unnest($1, $2, $3, $4, $5, $6, $7) AS told
             ON CONFLICT (platform, delivery_id) DO NOTHING RETURNING id",
        )
        .bind::<Array<SqlUuid>, _>(column(batch, |_| crate::id::new()))
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

/// Deliveries that are to be handled again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reopening {
    /// When they were handled.
    pub handled: RangeInclusive<DateTime<Utc>>,
    /// Also those that were handled again before.
    pub repeatedly: bool,
}

/// Has deliveries handled again, the first `limit` of them, as ones that were told before; answers how many. The periodic
/// sweep of the inbox gives them jobs.
///
/// # Errors
/// When the database fails.
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

/// The platform's id of the channel that a delivery tells of, where it names one.
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

/// A payload as PostgreSQL can hold it: without NUL characters, which a platform may send.
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
    fn a_delivery_names_its_channel_where_its_platform_writes_it() {
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
    fn nul_characters_are_replaced_wherever_they_stand() {
        let value = storable(json!({ "a\0": ["b\0c", { "d": "\0" }], "e": 1 }));
        assert_eq!(value, json!({ "a\u{fffd}": ["b\u{fffd}c", { "d": "\u{fffd}" }], "e": 1 }));
    }
}
