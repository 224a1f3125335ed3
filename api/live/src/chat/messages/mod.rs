//! Messages of the account's chats (reference/chat.md#messages).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    graphql::Int64,
    page::checked_limit,
    validate,
};
use chrono::{DateTime, TimeDelta, Utc};
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use shared::catalogue::{AccountPermission, Feature};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::chat_platform;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&CHAT_MESSAGES];

const DEFAULT_LIMIT: i64 = 50;
const MAX_LIMIT: i64 = 200;
const MAX_ID_LENGTH: usize = 255;
const MAX_SEARCH_LENGTH: usize = 200;
/// Longest period of a search. No index finds words in the middle of a line, so a search reads every line of
/// its period.
const MAX_SEARCH_RANGE: TimeDelta = TimeDelta::days(31);
const DEFAULT_SEARCH_RANGE: TimeDelta = TimeDelta::days(7);

/// Chat message.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ChatMessage {
    /// Id; also the cursor of the messages before it.
    pub id: Uuid,
    /// Account of the chat.
    pub account_id: Uuid,
    /// `twitch`, `youtube`, `kick` or `trovo`.
    pub platform: String,
    /// The platform's id of the message.
    pub platform_message_id: String,
    /// The platform's id of the user.
    pub platform_user_id: String,
    /// Name in addresses of the platform.
    pub username: String,
    /// Name as the platform shows it.
    pub display_name: String,
    /// `#RRGGBB`; null when the user chose none.
    pub color: Option<String>,
    /// Badges of the user in this chat.
    pub badges: Vec<ChatBadge>,
    /// Whole text of the message.
    pub text: String,
    /// Parts of the message; their texts together are the message.
    pub fragments: Vec<ChatFragment>,
    /// Emotes in the message.
    pub emotes: Vec<ChatEmote>,
    /// The platform's id of the message that this one replies to.
    pub reply_to: Option<String>,
    /// True when a moderator removed it.
    pub is_deleted: bool,
    /// True when it was written with `/me`.
    pub is_action: bool,
    /// Time of the message.
    pub sent_at: Timestamp,
}

/// Badge beside a user's name.
#[derive(Debug, Clone, Serialize, Deserialize, GraphQLObject, ToSchema)]
pub struct ChatBadge {
    /// The platform's name of the badge: `broadcaster`, `moderator`, `vip`, `subscriber` and others.
    pub id: String,
    /// Variant of the badge.
    pub version: String,
    /// Text of the platform for the badge, for example the months of a subscription.
    pub info: Option<String>,
}

/// Part of a message.
#[derive(Debug, Clone, Serialize, Deserialize, GraphQLObject, ToSchema)]
pub struct ChatFragment {
    /// Kind of the part.
    #[serde(rename = "type")]
    #[graphql(name = "type")]
    pub kind: ChatFragmentType,
    /// Text of the part.
    pub text: String,
    /// The provider's id of an emote.
    pub emote_id: Option<String>,
    /// The platform's id of a mentioned user.
    pub user_id: Option<String>,
    /// Bits of a cheermote.
    pub bits: Option<Int64>,
}

/// Kind of a part of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChatFragmentType {
    /// Plain text.
    Text,
    /// An emote.
    Emote,
    /// A mentioned user.
    Mention,
    /// A cheermote with its bits.
    Cheermote,
}

/// Emote in a message.
#[derive(Debug, Clone, Serialize, Deserialize, GraphQLObject, ToSchema)]
pub struct ChatEmote {
    /// The provider's id.
    pub id: String,
    /// Word in the message.
    pub name: String,
}

/// Filter of messages.
#[derive(Debug, Clone, Default, Deserialize, IntoParams, GraphQLInputObject)]
#[into_params(parameter_in = Query)]
pub struct ChatMessagesFilter {
    /// `twitch`, `youtube`, `kick` or `trovo`.
    pub platform: Option<String>,
    /// The platform's id of the author.
    pub user_id: Option<String>,
    /// Text that they contain, in any case. The search reads the 7 days before `to`, or from `from` on, 31
    /// days at most.
    pub search: Option<String>,
    /// Only messages at or after this time.
    pub from: Option<String>,
    /// Only messages before this time.
    pub to: Option<String>,
    /// Id of a message: only those before it.
    pub before: Option<Uuid>,
    /// 1 to 200; 50 when absent.
    #[param(minimum = 1, maximum = 200)]
    pub limit: Option<i32>,
}

pub static CHAT_MESSAGES: Operation<AccountCaller> =
    Operation::account("chatMessages", AccountPermission::ChatRead, Grants::Nothing)
        .feature(Feature::Multichat)
        .polled();

/// Lists messages of the account's chats, newest first.
///
/// Removed messages are included with `is_deleted: true`. A search reads the 7 days before `to`, or from
/// `from` on, 31 days at most. Messages are kept as long as the plan of the account says.
///
/// (reference/chat.md#messages)
///
/// # Errors
/// 401 or 403 by the access rule; 400 for an invalid filter.
#[api_core::operation]
pub async fn chat_messages(cx: &Cx, filter: Input<ChatMessagesFilter>) -> Result<Vec<ChatMessage>> {
    let caller = cx.authorize(&CHAT_MESSAGES).await?;
    let wanted = wanted(caller.account.uuid(), filter?, cx.state().clock.now())?;
    db::list(&mut *caller.timeseries().await?, &wanted).await
}

fn wanted(account: Uuid, filter: ChatMessagesFilter, now: DateTime<Utc>) -> Result<db::MessageSelection> {
    let time =
        |field: &str, given: Option<&str>| given.map(|text| validate::timestamp(field, text)).transpose();
    let platform = filter.platform.as_deref().map(chat_platform).transpose()?;
    let user_id = filter.user_id.map(|id| validate::text("user_id", &id, 1, MAX_ID_LENGTH)).transpose()?;
    let search =
        filter.search.map(|text| validate::text("search", &text, 1, MAX_SEARCH_LENGTH)).transpose()?;
    let (mut from, to) = (time("from", filter.from.as_deref())?, time("to", filter.to.as_deref())?);
    if from.zip(to).is_some_and(|(from, to)| from >= to) {
        return Err(ApiError::invalid("from must be before to"));
    }
    if search.is_some() {
        from = Some(searched_from(from, to.unwrap_or(now))?);
    }
    let before = filter.before.map(cursor).transpose()?;
    let limit = checked_limit(filter.limit.map(i64::from), DEFAULT_LIMIT, MAX_LIMIT)?;
    Ok(db::MessageSelection { account, platform, user_id, search, from, to, before, limit })
}

fn searched_from(from: Option<DateTime<Utc>>, to: DateTime<Utc>) -> Result<DateTime<Utc>> {
    let from = from.unwrap_or(to - DEFAULT_SEARCH_RANGE);
    if to - from > MAX_SEARCH_RANGE {
        return Err(ApiError::invalid("A search must not span more than 31 days: give from and to"));
    }
    Ok(from)
}

/// Time and id of a cursor; ids of messages contain their time.
fn cursor(id: Uuid) -> Result<(DateTime<Utc>, Uuid)> {
    let wrong = || ApiError::invalid("before must be the id of a message");
    if id.get_version_num() != 7 {
        return Err(wrong());
    }
    let (seconds, nanos) = id.get_timestamp().ok_or_else(wrong)?.to_unix();
    let at = i64::try_from(seconds).ok().and_then(|seconds| DateTime::from_timestamp(seconds, nanos));
    Ok((at.ok_or_else(wrong)?, id))
}

#[cfg(test)]
mod tests {
    use foundation::events::id_of_source;

    use super::*;

    #[test]
    fn cursor_holds_the_time_of_its_message() {
        let at = DateTime::from_timestamp_millis(1_700_000_000_123).unwrap();
        let id = id_of_source("twitch:m1", at);
        assert_eq!(cursor(id), Ok((at, id)));
        assert_eq!(cursor(Uuid::nil()), Err(ApiError::invalid("before must be the id of a message")));
    }
}
