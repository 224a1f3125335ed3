//! Sending of a chat message to a platform (reference/chat.md#sending).

pub mod graphql;
pub mod rest;

use api_core::{
    Cx, Input, Operation, Result,
    access::{AccountCaller, AnyOperation, Grants},
    http::metering,
    validate,
};
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use platforms::SentMessage;
use serde::{Deserialize, Serialize};
use shared::{catalogue::AccountPermission, platform::Platform};
use utoipa::ToSchema;

use super::{
    acting::{As, Obstacle, acting},
    chat_platform,
    delivery::{Outgoing, deliver},
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&SEND_CHAT_TO_PLATFORM];

const MAX_ID_LENGTH: usize = 255;
/// Text for a failure that the caller cannot influence.
const GENERIC_FAILURE: &str = "The message could not be sent";

/// Message for one platform.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "platform": "twitch", "message": "Hello chat", "send_as": "user" }))]
pub struct SendChatToPlatformInput {
    /// `twitch`, `youtube`, `kick` or `trovo`.
    #[schema(extensions(("enum" = json!(super::CHAT_PLATFORMS))))]
    pub platform: String,
    /// 1 to 500 characters on Twitch and Kick, 200 on YouTube, 300 on Trovo.
    #[schema(extensions(("maxLength" = json!(max_message_length()))))]
    pub message: String,
    /// The platform's id of the message to reply to; YouTube and Trovo have no replies.
    #[schema(extensions(("maxLength" = json!(MAX_ID_LENGTH))))]
    pub reply_to_message_id: Option<String>,
    /// `user` when absent.
    pub send_as: Option<ChatSender>,
}

/// Sender of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChatSender {
    /// The person, through the login that is assigned to them, else the channel.
    #[default]
    User,
    /// The bot.
    Bot,
}

/// Result of sending.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct GqlSendResult {
    /// True when the platform accepted the message.
    pub sent: bool,
    /// The platform's id of the message; null on Trovo, which returns none.
    pub message_id: Option<String>,
    /// Reason of the failure; null on success.
    pub error: Option<String>,
    /// Code of the failure; absent on success.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<SendErrorCode>,
    /// Slug of the platform.
    pub platform: String,
}

/// Reason why a message was not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SendErrorCode {
    /// The sender's own login at the platform must be connected again.
    #[graphql(name = "login_reconnect_required")]
    LoginReconnectRequired,
    /// A failure of Lumio.
    #[graphql(name = "internal_error")]
    InternalError,
    /// The platform refused, or there is no channel to send to.
    #[graphql(name = "send_failed")]
    SendFailed,
}

pub static SEND_CHAT_TO_PLATFORM: Operation<AccountCaller> =
    Operation::account("sendChatToPlatform", AccountPermission::ChatWrite, Grants::Nothing)
        .idempotent_by_claim();

/// Longest message of all platforms, in characters.
fn max_message_length() -> Option<usize> {
    super::CHAT_PLATFORMS.into_iter().filter_map(Platform::chat_message_limit).max()
}

/// Sends a chat message to one platform.
///
/// As `user` the message is sent through the login that is assigned to the acting person, else as the
/// channel; as `bot` through the bot of the account. A message of a bot triggers no handler when the platform
/// delivers it back. A refusal of the platform, a missing connection and a failure of the server are 200 with
/// `sent: false` and an error code.
///
/// (reference/chat.md#sending)
///
/// # Errors
/// 401 or 403 by the access rule; 400 for an unknown platform, an empty message or one that is too long for
/// the platform; 429 for more than 20 messages in 30 seconds of an account and platform, and when a budget of messages
/// is used up.
#[api_core::operation]
pub async fn send_chat_to_platform(cx: &Cx, input: Input<SendChatToPlatformInput>) -> Result<GqlSendResult> {
    let caller = cx.authorize(&SEND_CHAT_TO_PLATFORM).await?;
    let input = input?;
    let platform = chat_platform(&input.platform)?;
    let max = platform.chat_message_limit().unwrap_or(0);
    let text = validate::text("message", &input.message, 1, max)?;
    let reply_to = input.reply_to_message_id;
    let reply_to =
        reply_to.map(|id| validate::text("reply_to_message_id", &id, 1, MAX_ID_LENGTH)).transpose()?;
    let sender = input.send_as.unwrap_or_default();
    let who = match sender {
        ChatSender::User => As::User(cx.person()?),
        ChatSender::Bot => As::Bot,
    };
    // Messages that people write may trigger the bot.
    let message = Outgoing {
        text: &text,
        reply_to: reply_to.as_deref(),
        is_own: sender == ChatSender::Bot,
        install: None,
    };
    match send(cx, caller.account.uuid(), platform, who, &message).await {
        Ok(Ok(sent)) => Ok(GqlSendResult {
            sent: true,
            message_id: sent.message_id,
            error: None,
            error_code: None,
            platform: platform.slug().to_owned(),
        }),
        Ok(Err(Obstacle::TooFast(too_fast))) => Err(too_fast.refusal(cx)),
        Ok(Err(Obstacle::BudgetReached(stop))) => Err(metering::refusal(cx.state(), &stop)),
        Ok(Err(obstacle)) => Ok(not_sent(cx, platform, &obstacle)),
        // The cause was logged where the error was made.
        Err(error) if error.code.status().is_server_error() => {
            cx.withhold_answer();
            Ok(failed(platform, SendErrorCode::InternalError, GENERIC_FAILURE.to_owned()))
        }
        Err(error) => Err(error),
    }
}

async fn send(
    cx: &Cx,
    account: uuid::Uuid,
    platform: Platform,
    who: As,
    message: &Outgoing<'_>,
) -> Result<Result<SentMessage, Obstacle>> {
    match acting(cx, account, Some(platform), who).await? {
        Ok(mut acting) => deliver(cx, account, &mut acting, message).await,
        Err(obstacle) => Ok(Err(obstacle)),
    }
}

fn not_sent(cx: &Cx, platform: Platform, obstacle: &Obstacle) -> GqlSendResult {
    if obstacle.is_internal() {
        cx.withhold_answer();
        tracing::warn!(%platform, %obstacle, "a chat message could not be sent");
        return failed(platform, SendErrorCode::InternalError, GENERIC_FAILURE.to_owned());
    }
    let code = match obstacle {
        Obstacle::LoginReconnectRequired { .. } => SendErrorCode::LoginReconnectRequired,
        _ => SendErrorCode::SendFailed,
    };
    failed(platform, code, obstacle.to_string())
}

fn failed(platform: Platform, code: SendErrorCode, error: String) -> GqlSendResult {
    GqlSendResult {
        sent: false,
        message_id: None,
        error: Some(error),
        error_code: Some(code),
        platform: platform.slug().to_owned(),
    }
}
