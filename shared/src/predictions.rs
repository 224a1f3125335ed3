//! Predictions of connected channels (specification C B13), as their platform last stated them.

use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*, query_dsl::methods::FilterDsl, upsert::excluded};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    Result,
    clock::{serialize_optional_rfc3339, serialize_rfc3339},
    db::schema::predictions::{self, dsl},
    events::{Channel, Event},
    platforms::{Platform, PlatformPrediction},
};

/// A stored prediction.
#[derive(Debug, Clone, PartialEq, Serialize, Queryable, QueryableByName, Selectable)]
#[diesel(table_name = predictions)]
pub struct Prediction {
    pub id: Uuid,
    pub account_id: Uuid,
    pub platform: String,
    /// The platform's id.
    pub platform_prediction_id: String,
    pub title: String,
    /// `[{ id, title, users, channel_points }]`
    pub outcomes: Value,
    pub status: String,
    /// Only of a resolved one.
    pub winning_outcome_id: Option<String>,
    #[serde(serialize_with = "serialize_rfc3339")]
    pub started_at: DateTime<Utc>,
    /// When it locks by itself, or locked.
    #[serde(serialize_with = "serialize_rfc3339")]
    pub locks_at: DateTime<Utc>,
    #[serde(serialize_with = "serialize_optional_rfc3339")]
    pub ended_at: Option<DateTime<Utc>>,
}

impl Prediction {
    /// The event that tells of it; a repeated `source` tells nothing new.
    #[must_use]
    pub fn announcement(&self, source: &str, at: DateTime<Utc>) -> Event {
        let data = json!({ "platform": self.platform, "prediction": self });
        let source = format!("prediction:{}:{source}", self.id);
        Event::of_source(Channel::Chat(self.account_id), "prediction:updated", data, at, &source)
    }
}

/// Stores what a platform says of a prediction; answers the prediction, or none when something newer is stored. One that
/// is locked does not open again, and one that has ended does not go on, whatever comes late.
///
/// # Errors
/// When the database fails.
pub async fn keep(
    connection: &mut AsyncPgConnection,
    account_id: Uuid,
    platform: Platform,
    prediction: &PlatformPrediction,
    said_at: DateTime<Utc>,
) -> Result<Option<Prediction>> {
    let is_end = excluded(dsl::status).eq_any(["resolved", "cancelled"]);
    let is_lock = excluded(dsl::status).eq("locked").and(dsl::status.eq("active"));
    let is_newer = dsl::status.eq(excluded(dsl::status)).and(dsl::updated_at.le(excluded(dsl::updated_at)));
    Ok(insert_into(predictions::table)
        .values((
            dsl::id.eq(crate::id::new()),
            dsl::account_id.eq(account_id),
            dsl::platform.eq(platform.slug()),
            dsl::platform_prediction_id.eq(&prediction.id),
            dsl::title.eq(&prediction.title),
            dsl::outcomes.eq(serde_json::to_value(&prediction.outcomes)?),
            dsl::status.eq(prediction.status.as_str()),
            dsl::winning_outcome_id.eq(prediction.winning_outcome_id.as_deref()),
            dsl::started_at.eq(prediction.started_at),
            dsl::locks_at.eq(prediction.locks_at),
            dsl::ended_at.eq(prediction.ended_at),
            dsl::updated_at.eq(said_at),
        ))
        .on_conflict((dsl::account_id, dsl::platform, dsl::platform_prediction_id))
        .do_update()
        .set((
            dsl::title.eq(excluded(dsl::title)),
            dsl::outcomes.eq(excluded(dsl::outcomes)),
            dsl::status.eq(excluded(dsl::status)),
            dsl::winning_outcome_id.eq(excluded(dsl::winning_outcome_id)),
            dsl::locks_at.eq(excluded(dsl::locks_at)),
            dsl::ended_at.eq(excluded(dsl::ended_at)),
            dsl::updated_at.eq(excluded(dsl::updated_at)),
        ))
        .filter(is_end.or(is_lock).or(is_newer))
        .returning(Prediction::as_returning())
        .get_result(connection)
        .await
        .optional()?)
}
