//! Predictions among viewers (reference/chat.md#predictions). Only Twitch has them; its reports keep them
//! current.

pub mod graphql;
pub mod rest;

use platform_access::PlatformAccess as _;
use std::{ops::RangeInclusive, time::Duration};

use api_core::{
    ApiError, CursorPage, CursorRequest, Cx, Input, Operation, Position, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    graphql::Int64,
    validate,
};
use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use foundation::{audit, events::Event};
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use live_model::predictions;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, Feature},
    engagement::{NewPrediction, PlatformPrediction, PredictionChange},
    platform::Platform,
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    acting::{Obstacle, own_channel},
    interactive_platform,
    votes::{self, Vote},
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&PREDICTIONS, &CREATE_PREDICTION, &END_PREDICTION];

const MAX_TITLE_LENGTH: usize = 45;
const MAX_OUTCOME_LENGTH: usize = 25;
/// Allowed windows in seconds.
const WINDOWS: RangeInclusive<i32> = 30..=1800;

/// Prediction among viewers.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct Prediction {
    /// Id of the prediction.
    pub id: Uuid,
    /// Account of the channel.
    pub account_id: Uuid,
    /// `twitch`.
    pub platform: String,
    /// The platform's id of the prediction.
    pub platform_prediction_id: String,
    /// Question.
    pub title: String,
    /// Outcomes in their order.
    pub outcomes: Vec<PredictionOutcome>,
    /// State.
    pub status: PredictionStatus,
    /// The platform's id of the outcome that occurred; null unless it is resolved.
    pub winning_outcome_id: Option<String>,
    /// Time of the start.
    pub started_at: Timestamp,
    /// Time at which it locks without a call, or was locked.
    pub locks_at: Timestamp,
    /// Time of its end; null until then.
    pub ended_at: Option<Timestamp>,
}

/// Outcome of a prediction.
#[derive(Debug, Clone, Serialize, Deserialize, GraphQLObject, ToSchema)]
pub struct PredictionOutcome {
    /// The platform's id of the outcome.
    pub id: String,
    /// Text of the outcome.
    pub title: String,
    /// Number of viewers who predicted it.
    pub users: Int64,
    /// Channel points on it.
    pub channel_points: Int64,
}

/// State of a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PredictionStatus {
    /// Viewers may predict.
    Active,
    /// Viewers may not predict any more.
    Locked,
    /// The outcome is known.
    Resolved,
    /// All points were returned.
    Cancelled,
}

/// Input of a new prediction.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({
    "platform": "twitch",
    "title": "Will we win?",
    "outcomes": ["Yes", "No"],
    "window_secs": 120,
}))]
pub struct CreatePredictionInput {
    /// `twitch`.
    #[schema(extensions(("enum" = json!(super::INTERACTIVE_PLATFORMS))))]
    pub platform: String,
    /// 1 to 45 characters.
    #[schema(extensions(("maxLength" = json!(MAX_TITLE_LENGTH))))]
    pub title: String,
    /// 2 to 10, each of 1 to 25 characters.
    #[schema(extensions(("maxLength" = json!(MAX_OUTCOME_LENGTH))))]
    pub outcomes: Vec<String>,
    /// Seconds in which viewers may predict: 30 to 1800.
    #[schema(extensions(("minimum" = json!(WINDOWS.start())), ("maximum" = json!(WINDOWS.end()))))]
    pub window_secs: i32,
}

/// Input of a change.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "status": "locked" }))]
pub struct EndPredictionInput {
    /// New state.
    pub status: PredictionEnding,
    /// The platform's id of the outcome that occurred; required for `resolved` and not allowed otherwise.
    pub winning_outcome_id: Option<String>,
}

/// New state of a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PredictionEnding {
    /// Viewers may not predict any more; it must still be resolved or cancelled.
    Locked,
    /// The outcome is known.
    Resolved,
    /// All points are returned.
    Cancelled,
}

pub static PREDICTIONS: Operation<AccountCaller> =
    Operation::account("predictions", AccountPermission::ChatPrediction, Grants::Nothing)
        .feature(Feature::Multichat)
        .polled();

/// Returns one page of the account's predictions, newest first.
///
/// (reference/chat.md#predictions)
///
/// # Errors
/// 401 or 403 by the access rule; 400 for an invalid page.
#[api_core::operation]
pub async fn predictions(cx: &Cx, page: Input<CursorRequest>) -> Result<CursorPage<Prediction>> {
    let caller = cx.authorize(&PREDICTIONS).await?;
    votes::page::<predictions::Prediction, _>(&caller, page?.check(cx, &PREDICTIONS, &())?).await
}

pub static CREATE_PREDICTION: Operation<AccountCaller> =
    Operation::account("createPrediction", AccountPermission::ChatPrediction, Grants::Nothing)
        .feature(Feature::Multichat)
        .idempotent_by_claim();

/// Starts a prediction on the account's channel.
///
/// The prediction is published as `prediction:updated` on the chat channel. The platform allows one
/// prediction at a time.
///
/// (reference/chat.md#predictions)
///
/// # Errors
/// 401 or 403 by the access rule; 400 for invalid input, a platform without predictions, or a refusal of the
/// platform; 409 when the account is not connected.
#[api_core::operation]
pub async fn create_prediction(cx: &Cx, input: Input<CreatePredictionInput>) -> Result<Prediction> {
    let caller = cx.authorize(&CREATE_PREDICTION).await?;
    let input = input?;
    let platform = interactive_platform("prediction", &input.platform)?;
    let title = validate::text("title", &input.title, 1, MAX_TITLE_LENGTH)?;
    let outcomes = super::titles("outcomes", &input.outcomes, 2, 10, MAX_OUTCOME_LENGTH)?;
    let window = super::seconds("window_secs", input.window_secs, &WINDOWS)?;
    let account = caller.account.uuid();
    let mut acting = own_channel(cx, account, platform).await?;
    let wanted = &NewPrediction {
        channel_id: acting.channel_id.clone(),
        title,
        outcomes,
        window: Duration::from_secs(window),
    };
    let client = cx.state().platforms().client(platform);
    let begun = acting
        .call(cx, |credentials| async move { client.create_prediction(&credentials, wanted).await })
        .await?
        .map_err(Obstacle::into_error)?;
    let entry = audit::Entry {
        metadata: json!({ "platform": platform, "title": begun.title }),
        ..cx.audit("prediction:created", "prediction", &begun.id)
    };
    votes::record::<predictions::Prediction, _>(cx, &caller, platform, &begun, entry).await
}

pub static END_PREDICTION: Operation<AccountCaller> =
    Operation::account("endPrediction", AccountPermission::ChatPrediction, Grants::Nothing)
        .feature(Feature::Multichat);

/// Locks, resolves or cancels a prediction.
///
/// A locked prediction must still be resolved or cancelled. A cancelled one returns all points. The change is
/// published as `prediction:updated`.
///
/// (reference/chat.md#predictions)
///
/// # Errors
/// 401 or 403 by the access rule; 400 for an invalid status, a winner that is not allowed or is no outcome,
/// or a refusal of the platform; 404 when the account has no such prediction; 409 when it is locked already,
/// has ended, or the account is not connected.
#[api_core::operation]
pub async fn end_prediction(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<EndPredictionInput>,
) -> Result<Prediction> {
    let caller = cx.authorize(&END_PREDICTION).await?;
    let (id, input) = (id?, input?);
    let change = change(&input)?;
    let account = caller.account.uuid();
    let prediction: Prediction = votes::find::<predictions::Prediction, _>(&caller, id).await?;
    must_allow(&prediction, &change)?;
    let platform: Platform = prediction.platform.parse().map_err(ApiError::internal)?;
    let mut acting = own_channel(cx, account, platform).await?;
    let client = cx.state().platforms().client(platform);
    let (channel_id, prediction_id) = (acting.channel_id.clone(), prediction.platform_prediction_id.as_str());
    let (channel_id, wanted) = (channel_id.as_str(), &change);
    let changed = acting
        .call(cx, |credentials| async move {
            client.end_prediction(&credentials, channel_id, prediction_id, wanted).await
        })
        .await?
        .map_err(Obstacle::into_error)?;
    let entry = audit::Entry {
        metadata: json!({
            "platform": platform,
            "title": changed.title,
            "winning_outcome_id": changed.winning_outcome_id,
        }),
        ..cx.audit(past(&change), "prediction", id)
    };
    votes::record::<predictions::Prediction, _>(cx, &caller, platform, &changed, entry).await
}

fn change(input: &EndPredictionInput) -> Result<PredictionChange> {
    let winner = input.winning_outcome_id.as_deref();
    match (input.status, winner) {
        (PredictionEnding::Resolved, Some(winner)) => {
            Ok(PredictionChange::Resolved { winning_outcome_id: winner.to_owned() })
        }
        (PredictionEnding::Resolved, None) => {
            Err(ApiError::invalid("winning_outcome_id is required for resolved"))
        }
        (_, Some(_)) => Err(ApiError::invalid("winning_outcome_id is only for resolved")),
        (PredictionEnding::Locked, None) => Ok(PredictionChange::Locked),
        (PredictionEnding::Cancelled, None) => Ok(PredictionChange::Cancelled),
    }
}

fn must_allow(prediction: &Prediction, change: &PredictionChange) -> Result<()> {
    if let PredictionChange::Resolved { winning_outcome_id } = change
        && !prediction.outcomes.iter().any(|outcome| outcome.id == *winning_outcome_id)
    {
        return Err(ApiError::invalid("winning_outcome_id must be the id of one of the outcomes"));
    }
    match (prediction.status, change) {
        (PredictionStatus::Resolved | PredictionStatus::Cancelled, _) => {
            Err(ApiError::conflict("The prediction has ended"))
        }
        (PredictionStatus::Locked, PredictionChange::Locked) => {
            Err(ApiError::conflict("The prediction is locked already"))
        }
        _ => Ok(()),
    }
}

const fn past(change: &PredictionChange) -> &'static str {
    match change {
        PredictionChange::Locked => "prediction:locked",
        PredictionChange::Resolved { .. } => "prediction:resolved",
        PredictionChange::Cancelled => "prediction:cancelled",
    }
}

impl Vote for predictions::Prediction {
    type Stated = PlatformPrediction;

    const NAME: &'static str = "Prediction";
    const TABLE: &'static str = "predictions";
    const PLATFORM_ID: &'static str = "platform_prediction_id";

    fn id_of(stated: &PlatformPrediction) -> &str {
        &stated.id
    }

    async fn upsert(
        connection: &mut AsyncPgConnection,
        account: Uuid,
        platform: Platform,
        stated: &PlatformPrediction,
        now: DateTime<Utc>,
    ) -> shared::Result<Option<Self>> {
        predictions::upsert(connection, account, platform, stated, now).await
    }

    fn announcement(&self, source: &str, at: DateTime<Utc>) -> Event {
        self.announcement(source, at)
    }

    fn position(&self) -> Position {
        Position { at: self.started_at, id: self.id }
    }
}

impl TryFrom<predictions::Prediction> for Prediction {
    type Error = ApiError;

    fn try_from(prediction: predictions::Prediction) -> Result<Self> {
        Ok(Self {
            id: prediction.id,
            account_id: prediction.account_id,
            platform: prediction.platform,
            platform_prediction_id: prediction.platform_prediction_id,
            title: prediction.title,
            outcomes: serde_json::from_value(prediction.outcomes)?,
            status: serde_json::from_value(prediction.status.into())?,
            winning_outcome_id: prediction.winning_outcome_id,
            started_at: prediction.started_at.into(),
            locks_at: prediction.locks_at.into(),
            ended_at: prediction.ended_at.map(Timestamp::from),
        })
    }
}
