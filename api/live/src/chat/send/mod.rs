//! Sending a chat message to a platform (specification A §2.8 rule 4, B §4.7, C B13).

pub mod graphql;
pub mod rest;

use api_core::{
    Cx, Input, Operation, Result,
    access::{AccountCaller, AnyOperation, Grants},
    validate,
};
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use shared::{
    catalogue::AccountPermission,
    platforms::{Platform, SentMessage},
};
use utoipa::ToSchema;

use super::{
    acting::{As, Obstacle, acting},
    chat_platform,
    delivery::{Outgoing, deliver},
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&SEND_CHAT_TO_PLATFORM];

const MAX_ID_LENGTH: usize = 255;
/// What is told of a failure that the caller can do nothing about.
const SCRUBBED: &str = "The message could not be sent";

/// A message for one platform.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "platform": "twitch", "message": "Hello chat", "send_as": "user" }))]
pub struct SendChatToPlatformInput {
    /// `twitch`, `youtube`, `kick` or `trovo`.
    #[schema(extensions(("enum" = json!(super::CHAT_PLATFORMS))))]
    pub platform: String,
    /// 1 to 500 characters on Twitch and Kick, 200 on YouTube, 300 on Trovo.
    #[schema(extensions(("maxLength" = json!(max_message_length()))))]
    pub message: String,
    /// The platform's id of the message that this answers; YouTube and Trovo have no replies.
    #[schema(extensions(("maxLength" = json!(MAX_ID_LENGTH))))]
    pub reply_to_message_id: Option<String>,
    /// `user` when absent.
    pub send_as: Option<ChatSender>,
}

/// In whose name a message is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChatSender {
    /// The acting person's own, through the sign-in that is assigned to them, else the channel's.
    #[default]
    User,
    /// The bot's.
    Bot,
}

/// What came of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct GqlSendResult {
    pub sent: bool,
    /// The platform's id of the message; Trovo gives none.
    pub message_id: Option<String>,
    /// Why it was not sent.
    pub error: Option<String>,
    /// Absent on success.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<SendErrorCode>,
    pub platform: String,
}

/// Why a message was not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SendErrorCode {
    /// The sender's own sign-in at the platform must be connected again.
    #[graphql(name = "login_reconnect_required")]
    LoginReconnectRequired,
    /// It lies with Lumio.
    #[graphql(name = "internal_error")]
    InternalError,
    /// The platform refused, or there is no channel to send to.
    #[graphql(name = "send_failed")]
    SendFailed,
}

/// Send a chat message to one platform.
pub static SEND_CHAT_TO_PLATFORM: Operation<AccountCaller> =
    Operation::account("sendChatToPlatform", AccountPermission::ChatWrite, Grants::Nothing);

/// The length of the longest message that any of the platforms takes.
fn max_message_length() -> Option<usize> {
    super::CHAT_PLATFORMS.into_iter().filter_map(Platform::chat_message_limit).max()
}

/// Sends a chat message to one platform.
///
/// # Errors
/// As the rule; 400 for an unknown platform or a message that the platform does not take, 429 for more than 20 messages
/// in 30 seconds. That the platform refuses is an answer with `sent: false`.
pub async fn send_chat_to_platform(cx: &Cx, input: Input<SendChatToPlatformInput>) -> Result<GqlSendResult> {
    let caller = cx.authorize(&SEND_CHAT_TO_PLATFORM).await?;
    let input = input?;
    let platform = chat_platform(&input.platform)?;
    let longest = platform.chat_message_limit().unwrap_or(0);
    let text = validate::text("message", &input.message, 1, longest)?;
    let reply_to = input.reply_to_message_id;
    let reply_to =
        reply_to.map(|id| validate::text("reply_to_message_id", &id, 1, MAX_ID_LENGTH)).transpose()?;
    let sender = input.send_as.unwrap_or_default();
    let who = match sender {
        ChatSender::User => As::User(cx.person()?),
        ChatSender::Bot => As::Bot,
    };
    // What people write themselves may well trigger the bot.
    let message = Outgoing { text: &text, reply_to: reply_to.as_deref(), is_own: sender == ChatSender::Bot };
    match send(cx, caller.account.0, platform, who, &message).await {
        Ok(Ok(sent)) => Ok(GqlSendResult {
            sent: true,
            message_id: sent.message_id,
            error: None,
            error_code: None,
            platform: platform.slug().to_owned(),
        }),
        Ok(Err(Obstacle::TooFast(too_fast))) => Err(too_fast.refusal(cx)),
        Ok(Err(obstacle)) => Ok(not_sent(platform, &obstacle)),
        // The cause was logged where the error was made.
        Err(error) if error.code.status().is_server_error() => {
            Ok(failed(platform, SendErrorCode::InternalError, SCRUBBED.to_owned()))
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

fn not_sent(platform: Platform, obstacle: &Obstacle) -> GqlSendResult {
    if obstacle.is_internal() {
        tracing::warn!(%platform, %obstacle, "a chat message could not be sent");
        return failed(platform, SendErrorCode::InternalError, SCRUBBED.to_owned());
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
