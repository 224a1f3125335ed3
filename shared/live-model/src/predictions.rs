//! Predictions of connected channels, as their platform last stated them (reference/chat.md#predictions).

use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*, query_dsl::methods::FilterDsl, upsert::excluded};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use foundation::events::{Channel, Event};
use shared::{
    Result,
    clock::{serialize_optional_rfc3339, serialize_rfc3339},
    engagement::PlatformPrediction,
    platform::Platform,
    schema::predictions::{self, dsl},
};

/// Stored prediction.
#[derive(Debug, Clone, PartialEq, Serialize, Queryable, QueryableByName, Selectable)]
#[diesel(table_name = predictions)]
pub struct Prediction {
    /// Id of the prediction.
    pub id: Uuid,
    /// Account of the channel.
    pub account_id: Uuid,
    /// Slug of the platform.
    pub platform: String,
    /// Id on the platform.
    pub platform_prediction_id: String,
    /// Question.
    pub title: String,
    /// `[{ id, title, users, channel_points }]`
    pub outcomes: Value,
    /// State of the prediction.
    pub status: String,
    /// Id of the outcome that won; `None` unless it is resolved.
    pub winning_outcome_id: Option<String>,
    /// Start.
    #[serde(serialize_with = "serialize_rfc3339")]
    pub started_at: DateTime<Utc>,
    /// Scheduled lock, or the time at which it was locked.
    #[serde(serialize_with = "serialize_rfc3339")]
    pub locks_at: DateTime<Utc>,
    /// Time of the resolution or cancellation; `None` before.
    #[serde(serialize_with = "serialize_optional_rfc3339")]
    pub ended_at: Option<DateTime<Utc>>,
}

impl Prediction {
    /// Log event that publishes the prediction. A repeated `source` has no effect.
    #[must_use]
    pub fn announcement(&self, source: &str, at: DateTime<Utc>) -> Event {
        let data = json!({ "platform": self.platform, "prediction": self });
        let source = format!("prediction:{}:{source}", self.id);
        Event::of_source(Channel::Chat(self.account_id), "prediction:updated", data, at, &source)
    }
}

/// Stores the state of a prediction that a platform reported. Returns the prediction, or `None` when a newer
/// state is stored. A locked one does not open again, and an ended one does not become active again, whatever
/// arrives late.
///
/// # Errors
/// A failure of the database.
pub async fn upsert(
    connection: &mut AsyncPgConnection,
    account_id: Uuid,
    platform: Platform,
    prediction: &PlatformPrediction,
    stated_at: DateTime<Utc>,
) -> Result<Option<Prediction>> {
    let is_end = excluded(dsl::status).eq_any(["resolved", "cancelled"]);
    let is_lock = excluded(dsl::status).eq("locked").and(dsl::status.eq("active"));
    let is_newer = dsl::status.eq(excluded(dsl::status)).and(dsl::updated_at.le(excluded(dsl::updated_at)));
    Ok(insert_into(predictions::table)
        .values((
            dsl::id.eq(shared::id::new()),
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
            dsl::updated_at.eq(stated_at),
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
