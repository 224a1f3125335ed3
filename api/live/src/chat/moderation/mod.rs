//! Moderation of chats and its log (reference/chat.md#moderation).

mod db;
mod execute;
pub mod graphql;
mod order;
pub mod rest;
mod target;

use api_core::{
    ApiError, CursorPage, CursorRequest, Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    validate,
};
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use platforms::PlatformError;
use serde::{Deserialize, Serialize};
use shared::{
    catalogue::{AccountPermission, Feature},
    platform::Platform,
};
use utoipa::ToSchema;
use uuid::Uuid;

pub(crate) use execute::execute;
pub(crate) use order::Order;

use super::{
    acting::{As, Obstacle},
    chat_platform,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&MODERATE_CHAT, &MODERATION_LOG];

const MIN_TIMEOUT_SECS: u32 = 1;
const MAX_ID_LENGTH: usize = 255;
const MAX_REASON_LENGTH: usize = 500;

/// Action and its target.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({
    "action": "timeout",
    "platform": "twitch",
    "user_id": "12345678",
    "duration_secs": 600,
    "reason": "spam",
}))]
pub struct ModerationInput {
    /// Action; REST accepts upper and lower case.
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
    /// Seconds, needed for `TIMEOUT`: 1 to 86400 on YouTube, to 1209600 elsewhere.
    #[schema(extensions(("minimum" = json!(MIN_TIMEOUT_SECS)), ("maximum" = json!(max_timeout_secs()))))]
    pub duration_secs: Option<i32>,
    /// At most 500 characters. Kept in the log, and sent to platforms that take one.
    #[schema(extensions(("maxLength" = json!(MAX_REASON_LENGTH))))]
    pub reason: Option<String>,
    /// YouTube only: chat of one of the channel's broadcasts; that of the active one when absent.
    #[schema(extensions(("maxLength" = json!(MAX_ID_LENGTH))))]
    pub live_chat_id: Option<String>,
}

/// Moderation action. REST accepts upper and lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ModerationAction {
    /// Bans a user.
    #[serde(alias = "BAN")]
    Ban,
    /// Times a user out.
    #[serde(alias = "TIMEOUT")]
    Timeout,
    /// Removes a message.
    #[serde(alias = "DELETE")]
    Delete,
}

/// Result of a moderation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct GqlModerationResult {
    /// True when the platform did it.
    pub success: bool,
    /// Reason of the failure; null on success.
    pub details: Option<String>,
}

/// Attempt to moderate.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ModerationLogEntry {
    /// Id of the attempt.
    pub id: Uuid,
    /// Platform; null when no channel could be determined.
    pub platform: Option<String>,
    /// Attempted action.
    pub action: ModerationLogAction,
    /// The platform's id of the user, or of the message of a `DELETE`.
    pub target: String,
    /// Caller.
    pub moderator: Moderator,
    /// Given reason.
    pub reason: Option<String>,
    /// Seconds of a `TIMEOUT`.
    pub duration_secs: Option<i32>,
    /// True when the platform did it.
    pub success: bool,
    /// Reason of the failure; null on success.
    pub details: Option<String>,
    /// Time of the attempt.
    pub created_at: Timestamp,
}

/// Caller of a moderation.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct Moderator {
    /// Kind of the caller.
    #[serde(rename = "type")]
    #[graphql(name = "type")]
    pub kind: ModeratorType,
    /// Id of the user, key, extension or automation; null for the system.
    pub id: Option<Uuid>,
    /// Name; null when the user, key, extension or automation no longer exists.
    pub display_name: Option<String>,
}

/// Kind of a caller that moderates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModeratorType {
    /// A person.
    User,
    /// A service key of the account.
    ServiceKey,
    /// An extension.
    Extension,
    /// An automation of the account.
    Automation,
    /// Lumio itself.
    System,
}

/// Action in the log. Only extensions lift bans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ModerationLogAction {
    /// Ban of a user.
    Ban,
    /// Time-out of a user.
    Timeout,
    /// Removal of a message.
    Delete,
    /// Lift of a ban.
    Unban,
}

pub static MODERATE_CHAT: Operation<AccountCaller> = Operation::account_any(
    "moderateChat",
    &[AccountPermission::ChatBan, AccountPermission::ChatTimeout, AccountPermission::ChatDelete],
    Grants::Nothing,
)
.feature(Feature::Multichat)
.idempotent_by_claim();

/// Bans a user, times a user out, or removes a message, in the name of the account's channel.
///
/// A removed message, and after a ban or time-out every earlier message of the user, is marked as deleted and
/// published on the chat channel. The attempt is written to the moderation log and to the audit log; of the
/// attempts beyond the rate limit only the first in 30 seconds. A refusal of the platform, and a message that
/// is not one of the account's chat, is 200 with `success: false`. Bans cannot be lifted by this operation.
///
/// (reference/chat.md#moderation)
///
/// # Errors
/// 401 or 403 by the access rule; 403 without the permission of the action, and for a target that must not be
/// moderated; 400 for invalid input or an action that the platform does not have; 429 beyond the rate limit
/// of the account and platform.
#[api_core::operation]
pub async fn moderate_chat(cx: &Cx, input: Input<ModerationInput>) -> Result<GqlModerationResult> {
    let caller = cx.authorize(&MODERATE_CHAT).await?;
    let input = input?;
    cx.require(permission_for(input.action)).await?;
    let order = order(cx, caller.account.uuid(), &input)?;
    // An own task: a caller that disconnects must not prevent the record of an effect.
    let task_cx = cx.clone();
    let task = tokio::spawn(async move { execute(&task_cx, &order).await });
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

pub static MODERATION_LOG: Operation<AccountCaller> =
    Operation::account("moderationLog", AccountPermission::ChatRead, Grants::Nothing)
        .feature(Feature::Multichat)
        .polled();

/// Returns one page of the account's moderation log, newest first.
///
/// The log is kept as long as chat messages.
///
/// (reference/chat.md#moderation-log)
///
/// # Errors
/// 401 or 403 by the access rule; 400 for an invalid page.
#[api_core::operation]
pub async fn moderation_log(cx: &Cx, query: Input<CursorRequest>) -> Result<CursorPage<ModerationLogEntry>> {
    let caller = cx.authorize(&MODERATION_LOG).await?;
    let part = query?.check(cx, &MODERATION_LOG, &())?;
    db::page(&mut *caller.db().await?, caller.account.uuid(), part).await
}

fn permission_for(action: ModerationAction) -> AccountPermission {
    match action {
        ModerationAction::Ban => AccountPermission::ChatBan,
        ModerationAction::Timeout => AccountPermission::ChatTimeout,
        ModerationAction::Delete => AccountPermission::ChatDelete,
    }
}

/// Order of a checked input (reference/chat.md#input).
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

/// Longest time-out of all platforms, in seconds.
fn max_timeout_secs() -> Option<u32> {
    super::CHAT_PLATFORMS.into_iter().map(Platform::max_timeout_secs).max()
}

fn duration(platform: Platform, given: Option<i32>) -> Result<u32> {
    let given = given.ok_or_else(|| ApiError::invalid("duration_secs is required for TIMEOUT"))?;
    let max = platform.max_timeout_secs();
    match u32::try_from(given) {
        Ok(secs) if (MIN_TIMEOUT_SECS..=max).contains(&secs) => Ok(secs),
        _ => {
            let message = format!("duration_secs must be between {MIN_TIMEOUT_SECS} and {max}");
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
    /// Text in columns and in messages.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Ban => "ban",
            Self::Timeout => "timeout",
            Self::Delete => "delete",
            Self::Unban => "unban",
        }
    }

    /// Action in the audit log (reference/accounts.md#audit-log).
    const fn past(self) -> &'static str {
        match self {
            Self::Ban => "chat:user_banned",
            Self::Timeout => "chat:user_timed_out",
            Self::Delete => "chat:message_deleted",
            Self::Unban => "chat:user_unbanned",
        }
    }
}
