//! Predictions.

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use serde::Deserialize;
use serde_json::json;

use super::{TwitchClient, message};
use crate::{ChatCredentials, PlatformError, Result, http::Answer};
use shared::engagement::{
    NewPrediction, PlatformPrediction, PredictionChange, PredictionOutcome, PredictionStatus,
};

#[derive(Deserialize)]
struct Predictions {
    data: Vec<Prediction>,
}

#[derive(Deserialize)]
struct Prediction {
    id: String,
    title: String,
    winning_outcome_id: Option<String>,
    outcomes: Vec<Outcome>,
    /// Seconds.
    prediction_window: i64,
    status: String,
    created_at: DateTime<Utc>,
    ended_at: Option<DateTime<Utc>>,
    locked_at: Option<DateTime<Utc>>,
}

#[derive(Deserialize)]
struct Outcome {
    id: String,
    title: String,
    #[serde(default)]
    users: i64,
    #[serde(default)]
    channel_points: i64,
}

impl TwitchClient {
    pub(super) async fn begin_prediction(
        &self,
        credentials: &ChatCredentials,
        prediction: &NewPrediction,
    ) -> Result<PlatformPrediction> {
        let outcomes: Vec<_> = prediction.outcomes.iter().map(|title| json!({ "title": title })).collect();
        let body = json!({
            "broadcaster_id": prediction.channel_id,
            "title": prediction.title,
            "outcomes": outcomes,
            "prediction_window": prediction.window.as_secs(),
        });
        let request = self.http.post(self.helix_url(&["predictions"])).json(&body);
        let request = self.acting(request, credentials)?;
        the_prediction(self.http.send("create_prediction", request).await?)
    }

    pub(super) async fn change_prediction(
        &self,
        credentials: &ChatCredentials,
        channel_id: &str,
        prediction_id: &str,
        change: &PredictionChange,
    ) -> Result<PlatformPrediction> {
        let status = match change {
            PredictionChange::Locked => "LOCKED",
            PredictionChange::Resolved { .. } => "RESOLVED",
            PredictionChange::Cancelled => "CANCELED",
        };
        let mut body = json!({ "broadcaster_id": channel_id, "id": prediction_id, "status": status });
        if let PredictionChange::Resolved { winning_outcome_id } = change {
            body["winning_outcome_id"] = json!(winning_outcome_id);
        }
        let request = self.http.patch(self.helix_url(&["predictions"])).json(&body);
        let request = self.acting(request, credentials)?;
        the_prediction(self.http.send("end_prediction", request).await?)
    }
}

fn the_prediction(answer: Answer) -> Result<PlatformPrediction> {
    let found = answer.success(message)?.json::<Predictions>()?.data.into_iter().next();
    let found = found.ok_or_else(|| PlatformError::invalid("no prediction in the answer"))?;
    let status = PredictionStatus::parse(&found.status);
    let started_at = found.created_at.trunc_subsecs(3);
    let window = TimeDelta::try_seconds(found.prediction_window).unwrap_or_default();
    Ok(PlatformPrediction {
        id: found.id,
        title: found.title,
        outcomes: found.outcomes.into_iter().map(PredictionOutcome::from).collect(),
        status: status.ok_or_else(|| PlatformError::invalid("a prediction of an unknown status"))?,
        winning_outcome_id: found.winning_outcome_id.filter(|id| !id.is_empty()),
        started_at,
        locks_at: found.locked_at.map_or(started_at + window, |at| at.trunc_subsecs(3)),
        ended_at: found.ended_at.map(|at| at.trunc_subsecs(3)),
    })
}

impl From<Outcome> for PredictionOutcome {
    fn from(outcome: Outcome) -> Self {
        let Outcome { id, title, users, channel_points } = outcome;
        Self { id, title, users, channel_points }
    }
}
