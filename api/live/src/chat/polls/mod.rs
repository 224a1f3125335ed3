//! Polls among viewers (reference/chat.md#polls). Only Twitch has them; its reports keep them current.

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
use live_model::polls;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, Feature},
    engagement::{NewPoll, PlatformPoll, PollEnd},
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
pub static OPERATIONS: &[&dyn AnyOperation] = &[&POLLS, &CREATE_POLL, &END_POLL];

const MAX_TITLE_LENGTH: usize = 60;
const MAX_CHOICE_LENGTH: usize = 25;
/// Allowed durations in seconds.
const DURATIONS: RangeInclusive<i32> = 15..=1800;

/// Poll among viewers.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct Poll {
    /// Id of the poll.
    pub id: Uuid,
    /// Account of the channel.
    pub account_id: Uuid,
    /// `twitch`.
    pub platform: String,
    /// The platform's id of the poll.
    pub platform_poll_id: String,
    /// Question.
    pub title: String,
    /// Choices in their order.
    pub choices: Vec<PollChoice>,
    /// State.
    pub status: PollStatus,
    /// The platform's id of the winner; null until the end, and for a tie or without votes.
    pub winning_choice_id: Option<String>,
    /// Time of the start.
    pub started_at: Timestamp,
    /// Time of its end without a call.
    pub ends_at: Timestamp,
    /// Time of its end; null while it runs.
    pub ended_at: Option<Timestamp>,
}

/// Choice of a poll.
#[derive(Debug, Clone, Serialize, Deserialize, GraphQLObject, ToSchema)]
pub struct PollChoice {
    /// The platform's id of the choice.
    pub id: String,
    /// Text of the choice.
    pub title: String,
    /// Number of votes.
    pub votes: Int64,
}

/// State of a poll.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PollStatus {
    /// Viewers may vote.
    Active,
    /// Its time has passed.
    Completed,
    /// Ended before its time.
    Terminated,
    /// Ended and hidden from viewers.
    Archived,
    /// Removed by the platform.
    Moderated,
    /// Ended for a reason that the platform does not know.
    Invalid,
}

/// Input of a new poll.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({
    "platform": "twitch",
    "title": "Which game next?",
    "choices": ["Chess", "Go"],
    "duration_secs": 60,
}))]
pub struct CreatePollInput {
    /// `twitch`.
    #[schema(extensions(("enum" = json!(super::INTERACTIVE_PLATFORMS))))]
    pub platform: String,
    /// 1 to 60 characters.
    #[schema(extensions(("maxLength" = json!(MAX_TITLE_LENGTH))))]
    pub title: String,
    /// 2 to 5, each of 1 to 25 characters.
    #[schema(extensions(("maxLength" = json!(MAX_CHOICE_LENGTH))))]
    pub choices: Vec<String>,
    /// 15 to 1800.
    #[schema(extensions(("minimum" = json!(DURATIONS.start())), ("maximum" = json!(DURATIONS.end()))))]
    pub duration_secs: i32,
}

/// Input of an end.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "status": "terminated" }))]
pub struct EndPollInput {
    /// Kind of the end.
    pub status: PollEnding,
}

/// Kind of an end before the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PollEnding {
    /// Viewers still see it.
    Terminated,
    /// Viewers no longer see it.
    Archived,
}

pub static POLLS: Operation<AccountCaller> =
    Operation::account("polls", AccountPermission::ChatPoll, Grants::Nothing)
        .feature(Feature::Multichat)
        .polled();

/// Returns one page of the account's polls, newest first.
///
/// (reference/chat.md#polls)
///
/// # Errors
/// 401 or 403 by the access rule; 400 for an invalid page.
#[api_core::operation]
pub async fn polls(cx: &Cx, page: Input<CursorRequest>) -> Result<CursorPage<Poll>> {
    let caller = cx.authorize(&POLLS).await?;
    votes::page::<polls::Poll, _>(&caller, page?.check(cx, &POLLS, &())?).await
}

pub static CREATE_POLL: Operation<AccountCaller> =
    Operation::account("createPoll", AccountPermission::ChatPoll, Grants::Nothing)
        .feature(Feature::Multichat)
        .idempotent_by_claim();

/// Starts a poll on the account's channel.
///
/// The poll is published as `poll:updated` on the chat channel. The platform allows one poll at a time.
///
/// (reference/chat.md#polls)
///
/// # Errors
/// 401 or 403 by the access rule; 400 for invalid input, a platform without polls, or a refusal of the
/// platform; 409 when the account is not connected.
#[api_core::operation]
pub async fn create_poll(cx: &Cx, input: Input<CreatePollInput>) -> Result<Poll> {
    let caller = cx.authorize(&CREATE_POLL).await?;
    let input = input?;
    let platform = interactive_platform("poll", &input.platform)?;
    let title = validate::text("title", &input.title, 1, MAX_TITLE_LENGTH)?;
    let choices = super::titles("choices", &input.choices, 2, 5, MAX_CHOICE_LENGTH)?;
    let duration = super::seconds("duration_secs", input.duration_secs, &DURATIONS)?;
    let account = caller.account.uuid();
    let mut acting = own_channel(cx, account, platform).await?;
    let wanted = &NewPoll {
        channel_id: acting.channel_id.clone(),
        title,
        choices,
        duration: Duration::from_secs(duration),
    };
    let client = cx.state().platforms().client(platform);
    let begun = acting
        .call(cx, |credentials| async move { client.create_poll(&credentials, wanted).await })
        .await?
        .map_err(Obstacle::into_error)?;
    let entry = audit::Entry {
        metadata: json!({ "platform": platform, "title": begun.title }),
        ..cx.audit("poll:created", "poll", &begun.id)
    };
    votes::record::<polls::Poll, _>(cx, &caller, platform, &begun, entry).await
}

pub static END_POLL: Operation<AccountCaller> =
    Operation::account("endPoll", AccountPermission::ChatPoll, Grants::Nothing).feature(Feature::Multichat);

/// Ends a poll before its time.
///
/// A `terminated` poll stays visible to viewers, an `archived` one does not. The change is published as
/// `poll:updated`.
///
/// (reference/chat.md#polls)
///
/// # Errors
/// 401 or 403 by the access rule; 400 for an invalid status or a refusal of the platform; 404 when the
/// account has no such poll; 409 when the poll has ended or the account is not connected.
#[api_core::operation]
pub async fn end_poll(cx: &Cx, id: Input<Uuid>, input: Input<EndPollInput>) -> Result<Poll> {
    let caller = cx.authorize(&END_POLL).await?;
    let (id, input) = (id?, input?);
    let account = caller.account.uuid();
    let poll: Poll = votes::find::<polls::Poll, _>(&caller, id).await?;
    if poll.status != PollStatus::Active {
        return Err(ApiError::conflict("The poll has ended"));
    }
    let platform: Platform = poll.platform.parse().map_err(ApiError::internal)?;
    let mut acting = own_channel(cx, account, platform).await?;
    let end = match input.status {
        PollEnding::Terminated => PollEnd::Terminated,
        PollEnding::Archived => PollEnd::Archived,
    };
    let client = cx.state().platforms().client(platform);
    let (channel_id, poll_id) = (acting.channel_id.clone(), poll.platform_poll_id.as_str());
    let channel_id = channel_id.as_str();
    let ended = acting
        .call(cx, |credentials| async move { client.end_poll(&credentials, channel_id, poll_id, end).await })
        .await?
        .map_err(Obstacle::into_error)?;
    let entry = audit::Entry {
        metadata: json!({ "platform": platform, "title": ended.title, "status": ended.status }),
        ..cx.audit("poll:ended", "poll", id)
    };
    votes::record::<polls::Poll, _>(cx, &caller, platform, &ended, entry).await
}

impl Vote for polls::Poll {
    type Stated = PlatformPoll;

    const NAME: &'static str = "Poll";
    const TABLE: &'static str = "polls";
    const PLATFORM_ID: &'static str = "platform_poll_id";

    fn id_of(stated: &PlatformPoll) -> &str {
        &stated.id
    }

    async fn upsert(
        connection: &mut AsyncPgConnection,
        account: Uuid,
        platform: Platform,
        stated: &PlatformPoll,
        now: DateTime<Utc>,
    ) -> shared::Result<Option<Self>> {
        polls::upsert(connection, account, platform, stated, now).await
    }

    fn announcement(&self, source: &str, at: DateTime<Utc>) -> Event {
        self.announcement(source, at)
    }

    fn position(&self) -> Position {
        Position { at: self.started_at, id: self.id }
    }
}

impl TryFrom<polls::Poll> for Poll {
    type Error = ApiError;

    fn try_from(poll: polls::Poll) -> Result<Self> {
        Ok(Self {
            id: poll.id,
            account_id: poll.account_id,
            platform: poll.platform,
            platform_poll_id: poll.platform_poll_id,
            title: poll.title,
            choices: serde_json::from_value(poll.choices)?,
            status: serde_json::from_value(poll.status.into())?,
            winning_choice_id: poll.winning_choice_id,
            started_at: poll.started_at.into(),
            ends_at: poll.ends_at.into(),
            ended_at: poll.ended_at.map(Timestamp::from),
        })
    }
}
