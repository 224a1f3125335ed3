//! Moderating chats, and the log of it (specification B §4.7, C B13).

mod carry_out;
mod db;
pub mod graphql;
pub mod rest;
mod target;

use api_core::{
    ApiError, Cx, Input, Operation, Page, PageRequest, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    validate,
};
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use shared::{
    catalogue::{AccountPermission, Feature},
    platforms::{Platform, PlatformError},
};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

pub(crate) use carry_out::{Order, carry_out};

use super::{
    acting::{As, Obstacle},
    chat_platform,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&MODERATE_CHAT, &MODERATION_LOG];

const MIN_TIMEOUT_SECS: u32 = 1;
const MAX_ID_LENGTH: usize = 255;
const MAX_REASON_LENGTH: usize = 500;

/// What is to be done to whom.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({
    "action": "timeout",
    "platform": "twitch",
    "user_id": "12345678",
    "duration_secs": 600,
    "reason": "spam",
}))]
pub struct ModerationInput {
    pub action: ModerationAction,
    /// `twitch`, `youtube`, `kick` or `trovo`.
    #[schema(extensions(("enum" = json!(super::CHAT_PLATFORMS))))]
    pub platform: String,
    /// The platform's id of the user; needed for `BAN` and `TIMEOUT`.
    #[schema(extensions(("maxLength" = json!(MAX_ID_LENGTH))))]
    pub user_id: Option<String>,
    /// The platform's id of a message of the account's chat; needed for `DELETE`.
    #[schema(extensions(("maxLength" = json!(MAX_ID_LENGTH))))]
    pub message_id: Option<String>,
    /// Needed for `TIMEOUT`: 1 to 86400 on YouTube, to 1209600 elsewhere.
    #[schema(extensions(("minimum" = json!(MIN_TIMEOUT_SECS)), ("maximum" = json!(max_timeout_secs()))))]
    pub duration_secs: Option<i32>,
    /// At most 500 characters; kept in the log and told to the platform where it takes one.
    #[schema(extensions(("maxLength" = json!(MAX_REASON_LENGTH))))]
    pub reason: Option<String>,
    /// YouTube only, of one of the channel's broadcasts; found by the active one when absent.
    #[schema(extensions(("maxLength" = json!(MAX_ID_LENGTH))))]
    pub live_chat_id: Option<String>,
}

/// What may be done. REST takes it in either case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ModerationAction {
    #[serde(alias = "BAN")]
    Ban,
    #[serde(alias = "TIMEOUT")]
    Timeout,
    #[serde(alias = "DELETE")]
    Delete,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct GqlModerationResult {
    pub success: bool,
    /// Why it failed.
    pub details: Option<String>,
}

/// An attempt to moderate.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ModerationLogEntry {
    pub id: Uuid,
    /// Null when the account has no channel that could have been meant.
    pub platform: Option<String>,
    pub action: ModerationLogAction,
    /// The platform's id of the user, or of the message of a `DELETE`.
    pub target: String,
    pub moderator: Moderator,
    pub reason: Option<String>,
    /// Of a `TIMEOUT`.
    pub duration_secs: Option<i32>,
    pub success: bool,
    /// Why it failed.
    pub details: Option<String>,
    pub created_at: Timestamp,
}

/// Who moderated.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct Moderator {
    #[serde(rename = "type")]
    #[graphql(name = "type")]
    pub kind: ModeratorType,
    /// Null for the system.
    pub id: Option<Uuid>,
    /// Null when there is no such user, key or extension any longer.
    pub display_name: Option<String>,
}

/// What somebody is who moderated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModeratorType {
    User,
    ServiceKey,
    Extension,
    System,
}

/// What was attempted. Only extensions lift bans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ModerationLogAction {
    Ban,
    Timeout,
    Delete,
    Unban,
}

/// Which page of the log.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ModerationLogQuery {
    /// 1 or more; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i32>,
    /// 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i32>,
}

/// Ban a user, time them out, or remove a message.
pub static MODERATE_CHAT: Operation<AccountCaller> = Operation::account_any(
    "moderateChat",
    &[AccountPermission::ChatBan, AccountPermission::ChatTimeout, AccountPermission::ChatDelete],
    Grants::Nothing,
)
.feature(Feature::Multichat);

/// Bans a user, times them out, or removes a message, in the name of the account's channel. Every attempt is logged; of
/// those that come too fast for the account and the platform the first in 30 seconds.
///
/// # Errors
/// As the rule; 403 without the permission of the action, 400 for a wrong input or an action that the platform does not
/// have, 403 for a target that must not be moderated, 429 for more actions in 30 seconds than may be. Other failures are an
/// answer with `success: false`, also a message that is none of the account's chat (specification E, 25).
pub async fn moderate_chat(cx: &Cx, input: Input<ModerationInput>) -> Result<GqlModerationResult> {
    let caller = cx.authorize(&MODERATE_CHAT).await?;
    let input = input?;
    cx.require(permission_for(input.action)).await?;
    let order = order(cx, caller.account.0, &input)?;
    // On a task of its own: a caller that hangs up must not keep an effect from being recorded.
    let task_cx = cx.clone();
    let task = tokio::spawn(async move { carry_out(&task_cx, &order).await });
    match task.await.map_err(ApiError::internal)?? {
        Ok(_platform) => Ok(GqlModerationResult { success: true, details: None }),
        Err(Obstacle::Unsupported { platform, .. }) => {
            let action = input.action.as_str();
            Err(ApiError::bad_request(format!("{action} is not supported on {platform}")))
        }
        Err(Obstacle::TooFast(too_fast)) => Err(too_fast.refusal(cx)),
        Err(
            obstacle @ (Obstacle::OwnChannel
            | Obstacle::UnknownChat
            | Obstacle::Platform(PlatformError::Forbidden { .. })),
        ) => Err(obstacle.into_error()),
        Err(obstacle) => Ok(GqlModerationResult { success: false, details: Some(obstacle.to_string()) }),
    }
}

/// The log of moderation.
pub static MODERATION_LOG: Operation<AccountCaller> =
    Operation::account("moderationLog", AccountPermission::ChatRead, Grants::Nothing)
        .feature(Feature::Multichat);

/// One page of the account's moderation log, newest first.
///
/// # Errors
/// As the rule; 400 for a wrong page.
pub async fn moderation_log(cx: &Cx, query: Input<ModerationLogQuery>) -> Result<Page<ModerationLogEntry>> {
    let caller = cx.authorize(&MODERATION_LOG).await?;
    let ModerationLogQuery { page, limit } = query?;
    let window = PageRequest { page: page.map(i64::from), limit: limit.map(i64::from) }.check()?;
    db::page(&mut *caller.db().await?, caller.account.0, window).await
}

fn permission_for(action: ModerationAction) -> AccountPermission {
    match action {
        ModerationAction::Ban => AccountPermission::ChatBan,
        ModerationAction::Timeout => AccountPermission::ChatTimeout,
        ModerationAction::Delete => AccountPermission::ChatDelete,
    }
}

/// The input, checked (B §4.7 rule 1).
fn order(cx: &Cx, account: Uuid, input: &ModerationInput) -> Result<Order> {
    let platform = chat_platform(&input.platform)?;
    let target = match input.action {
        ModerationAction::Delete => id_of("message_id", input.message_id.as_deref(), input.action)?,
        _ => id_of("user_id", input.user_id.as_deref(), input.action)?,
    };
    let duration_secs = match input.action {
        ModerationAction::Timeout => Some(duration(platform, input.duration_secs)?),
        _ => None,
    };
    let reason = input.reason.as_deref().filter(|reason| !reason.trim().is_empty());
    let live_chat_id = input.live_chat_id.as_deref();
    if live_chat_id.is_some() && platform != Platform::Youtube {
        return Err(ApiError::invalid("live_chat_id is only for youtube"));
    }
    Ok(Order {
        account,
        who: As::Channel,
        platform: Some(platform),
        action: input.action.into(),
        target,
        duration_secs,
        reason: reason.map(|reason| validate::text("reason", reason, 1, MAX_REASON_LENGTH)).transpose()?,
        live_chat_id: live_chat_id
            .map(|id| validate::text("live_chat_id", id, 1, MAX_ID_LENGTH))
            .transpose()?,
        moderator: cx.actor(),
        ip: cx.request().truncated_ip(),
    })
}

fn id_of(field: &str, given: Option<&str>, action: ModerationAction) -> Result<String> {
    let given =
        given.ok_or_else(|| ApiError::invalid(format!("{field} is required for {}", action.as_str())))?;
    validate::text(field, given, 1, MAX_ID_LENGTH)
}

/// The seconds of the longest time-out that any of the platforms has.
fn max_timeout_secs() -> Option<u32> {
    super::CHAT_PLATFORMS.into_iter().map(Platform::longest_timeout_secs).max()
}

fn duration(platform: Platform, given: Option<i32>) -> Result<u32> {
    let given = given.ok_or_else(|| ApiError::invalid("duration_secs is required for TIMEOUT"))?;
    let longest = platform.longest_timeout_secs();
    match u32::try_from(given) {
        Ok(secs) if (MIN_TIMEOUT_SECS..=longest).contains(&secs) => Ok(secs),
        _ => {
            let message = format!("duration_secs must be between {MIN_TIMEOUT_SECS} and {longest}");
            Err(ApiError::invalid(message))
        }
    }
}

impl ModerationAction {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Ban => "BAN",
            Self::Timeout => "TIMEOUT",
            Self::Delete => "DELETE",
        }
    }
}

impl From<ModerationAction> for ModerationLogAction {
    fn from(action: ModerationAction) -> Self {
        match action {
            ModerationAction::Ban => Self::Ban,
            ModerationAction::Timeout => Self::Timeout,
            ModerationAction::Delete => Self::Delete,
        }
    }
}

impl ModerationLogAction {
    /// The text in columns, and what an action is called where the platform has none.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Ban => "ban",
            Self::Timeout => "timeout",
            Self::Delete => "delete",
            Self::Unban => "unban",
        }
    }

    /// What the audit trail calls it (C §14).
    const fn past(self) -> &'static str {
        match self {
            Self::Ban => "chat:user_banned",
            Self::Timeout => "chat:user_timed_out",
            Self::Delete => "chat:message_deleted",
            Self::Unban => "chat:user_unbanned",
        }
    }
}
