//! Predictions among viewers (specification C B13). Only Twitch has them; what it says of them keeps them current.

pub mod graphql;
pub mod rest;

use std::{ops::RangeInclusive, time::Duration};

use api_core::{
    ApiError, Cx, Input, Operation, Page, PageRequest, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    graphql::Int64,
    validate,
};
use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    audit,
    catalogue::{AccountPermission, Feature},
    events::Event,
    platforms::{NewPrediction, Platform, PlatformPrediction, PredictionChange},
    predictions,
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
/// In seconds.
const WINDOWS: RangeInclusive<i32> = 30..=1800;

/// A prediction.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct Prediction {
    pub id: Uuid,
    pub account_id: Uuid,
    pub platform: String,
    /// The platform's id.
    pub platform_prediction_id: String,
    pub title: String,
    pub outcomes: Vec<PredictionOutcome>,
    pub status: PredictionStatus,
    /// Only of a resolved one.
    pub winning_outcome_id: Option<String>,
    pub started_at: Timestamp,
    /// When it locks by itself, or locked.
    pub locks_at: Timestamp,
    pub ended_at: Option<Timestamp>,
}

/// What may be predicted.
#[derive(Debug, Clone, Serialize, Deserialize, GraphQLObject, ToSchema)]
pub struct PredictionOutcome {
    /// The platform's id.
    pub id: String,
    pub title: String,
    /// How many viewers predicted it.
    pub users: Int64,
    /// How many points they set on it.
    pub channel_points: Int64,
}

/// Where a prediction stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PredictionStatus {
    /// Viewers may predict.
    Active,
    /// Nobody predicts any more.
    Locked,
    /// The outcome came about.
    Resolved,
    /// Everybody got their points back.
    Cancelled,
}

/// A prediction to begin.
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
    /// How long viewers may predict: 30 to 1800.
    #[schema(extensions(("minimum" = json!(WINDOWS.start())), ("maximum" = json!(WINDOWS.end()))))]
    pub window_secs: i32,
}

/// What is to become of a prediction.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "status": "locked" }))]
pub struct EndPredictionInput {
    pub status: PredictionEnding,
    /// The platform's id of the outcome that came about; needed for `resolved`, and only there.
    pub winning_outcome_id: Option<String>,
}

/// What becomes of a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PredictionEnding {
    /// Nobody predicts any more; it still has to be resolved or cancelled.
    Locked,
    Resolved,
    /// Everybody gets their points back.
    Cancelled,
}

/// The account's predictions.
pub static PREDICTIONS: Operation<AccountCaller> =
    Operation::account("predictions", AccountPermission::ChatPrediction, Grants::Nothing)
        .feature(Feature::Multichat);

/// One page of the account's predictions, newest first.
///
/// # Errors
/// As the rule; 400 for a wrong page.
pub async fn predictions(cx: &Cx, page: Input<PageRequest>) -> Result<Page<Prediction>> {
    let caller = cx.authorize(&PREDICTIONS).await?;
    votes::page::<predictions::Prediction, _>(&caller, page?.check()?).await
}

/// Begin a prediction.
pub static CREATE_PREDICTION: Operation<AccountCaller> =
    Operation::account("createPrediction", AccountPermission::ChatPrediction, Grants::Nothing)
        .feature(Feature::Multichat);

/// Begins a prediction on the account's channel.
///
/// # Errors
/// As the rule; 400 for a wrong input, a platform without predictions, or what the platform refuses (one at a time); 409
/// when the account is not connected.
pub async fn create_prediction(cx: &Cx, input: Input<CreatePredictionInput>) -> Result<Prediction> {
    let caller = cx.authorize(&CREATE_PREDICTION).await?;
    let input = input?;
    let platform = interactive_platform("prediction", &input.platform)?;
    let title = validate::text("title", &input.title, 1, MAX_TITLE_LENGTH)?;
    let outcomes = super::titles("outcomes", &input.outcomes, 2, 10, MAX_OUTCOME_LENGTH)?;
    let window = super::seconds("window_secs", input.window_secs, &WINDOWS)?;
    let account = caller.account.0;
    let mut acting = own_channel(cx, account, platform).await?;
    let wanted = &NewPrediction {
        channel_id: acting.channel_id.clone(),
        title,
        outcomes,
        window: Duration::from_secs(window),
    };
    let client = cx.state().platforms.client(platform);
    let begun = acting
        .call(cx, |credentials| async move { client.create_prediction(&credentials, wanted).await })
        .await?
        .map_err(Obstacle::into_error)?;
    let entry = audit::Entry {
        metadata: json!({ "platform": platform, "title": begun.title }),
        ..cx.audit("prediction:created", "prediction", &begun.id)
    };
    votes::record::<predictions::Prediction, _>(cx, account, platform, &begun, entry).await
}

/// Lock, resolve or cancel a prediction.
pub static END_PREDICTION: Operation<AccountCaller> =
    Operation::account("endPrediction", AccountPermission::ChatPrediction, Grants::Nothing)
        .feature(Feature::Multichat);

/// Locks, resolves or cancels a prediction.
///
/// # Errors
/// As the rule; 400 for another status, a winner where none is wanted or that is no outcome, or what the platform
/// refuses; 404 when the account has no such prediction; 409 when it is locked or has ended already or the account is not
/// connected.
pub async fn end_prediction(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<EndPredictionInput>,
) -> Result<Prediction> {
    let caller = cx.authorize(&END_PREDICTION).await?;
    let (id, input) = (id?, input?);
    let change = change(&input)?;
    let account = caller.account.0;
    let prediction: Prediction = votes::find::<predictions::Prediction, _>(&caller, id).await?;
    must_allow(&prediction, &change)?;
    let platform: Platform = prediction.platform.parse().map_err(ApiError::internal)?;
    let mut acting = own_channel(cx, account, platform).await?;
    let client = cx.state().platforms.client(platform);
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
    votes::record::<predictions::Prediction, _>(cx, account, platform, &changed, entry).await
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

    async fn keep(
        connection: &mut AsyncPgConnection,
        account: Uuid,
        platform: Platform,
        stated: &PlatformPrediction,
        now: DateTime<Utc>,
    ) -> shared::Result<Option<Self>> {
        predictions::keep(connection, account, platform, stated, now).await
    }

    fn announcement(&self, source: &str, at: DateTime<Utc>) -> Event {
        self.announcement(source, at)
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
