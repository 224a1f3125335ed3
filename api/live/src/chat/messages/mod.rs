//! What was said in the account's chats (specification C B13).

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
/// No index finds words in the middle of a line, so a search reads every line of its time.
const MAX_SEARCH_RANGE: TimeDelta = TimeDelta::days(31);
const USUALLY_SEARCHED: TimeDelta = TimeDelta::days(7);

/// A chat message.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ChatMessage {
    /// Also the cursor of the messages before it.
    pub id: Uuid,
    pub account_id: Uuid,
    pub platform: String,
    pub platform_message_id: String,
    pub platform_user_id: String,
    /// The name that the platform addresses the user by.
    pub username: String,
    pub display_name: String,
    /// `#RRGGBB`, when the user has chosen one.
    pub color: Option<String>,
    pub badges: Vec<ChatBadge>,
    pub text: String,
    /// Their texts together are the message.
    pub fragments: Vec<ChatFragment>,
    pub emotes: Vec<ChatEmote>,
    /// The platform's id of the message that this one answers.
    pub reply_to: Option<String>,
    /// Removed by a moderator.
    pub is_deleted: bool,
    /// Written with `/me`.
    pub is_action: bool,
    pub sent_at: Timestamp,
}

/// A mark beside a user's name.
#[derive(Debug, Clone, Serialize, Deserialize, GraphQLObject, ToSchema)]
pub struct ChatBadge {
    /// The platform's name of the badge: `broadcaster`, `moderator`, `vip`, `subscriber` and others.
    pub id: String,
    /// Which of several pictures.
    pub version: String,
    /// What the platform says beside it, for example the months of a subscription.
    pub info: Option<String>,
}

/// A stretch of a message.
#[derive(Debug, Clone, Serialize, Deserialize, GraphQLObject, ToSchema)]
pub struct ChatFragment {
    #[serde(rename = "type")]
    #[graphql(name = "type")]
    pub kind: ChatFragmentType,
    pub text: String,
    /// Of an emote.
    pub emote_id: Option<String>,
    /// Of a mentioned user.
    pub user_id: Option<String>,
    /// Of a cheermote.
    pub bits: Option<Int64>,
}

/// What a stretch of a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChatFragmentType {
    Text,
    Emote,
    Mention,
    Cheermote,
}

/// An emote that occurs in a message.
#[derive(Debug, Clone, Serialize, Deserialize, GraphQLObject, ToSchema)]
pub struct ChatEmote {
    pub id: String,
    pub name: String,
}

/// Which messages.
#[derive(Debug, Clone, Default, Deserialize, IntoParams, GraphQLInputObject)]
#[into_params(parameter_in = Query)]
pub struct ChatMessagesFilter {
    /// `twitch`, `youtube`, `kick` or `trovo`.
    pub platform: Option<String>,
    /// The platform's id of who wrote them.
    pub user_id: Option<String>,
    /// What they contain, in any case. Looks at the 7 days before `to` unless `from` says otherwise, 31 days at most.
    pub search: Option<String>,
    /// Not before this time.
    pub from: Option<String>,
    /// Before this time.
    pub to: Option<String>,
    /// The id of a message: only those before it.
    pub before: Option<Uuid>,
    /// 1 to 200; 50 when absent.
    #[param(minimum = 1, maximum = 200)]
    pub limit: Option<i32>,
}

/// What was said in the account's chats.
pub static CHAT_MESSAGES: Operation<AccountCaller> =
    Operation::account("chatMessages", AccountPermission::ChatRead, Grants::Nothing)
        .feature(Feature::Multichat);

/// Lists what was said in the account's chats, newest first; removed messages are among them and marked.
///
/// # Errors
/// As the rule; 400 for a wrong filter.
pub async fn chat_messages(cx: &Cx, filter: Input<ChatMessagesFilter>) -> Result<Vec<ChatMessage>> {
    let caller = cx.authorize(&CHAT_MESSAGES).await?;
    let wanted = wanted(caller.account.0, filter?, cx.state().clock.now())?;
    db::list(&mut *caller.timeseries().await?, &wanted).await
}

fn wanted(account: Uuid, filter: ChatMessagesFilter, now: DateTime<Utc>) -> Result<db::Wanted> {
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
    Ok(db::Wanted { account, platform, user_id, search, from, to, before, limit })
}

fn searched_from(from: Option<DateTime<Utc>>, to: DateTime<Utc>) -> Result<DateTime<Utc>> {
    let from = from.unwrap_or(to - USUALLY_SEARCHED);
    if to - from > MAX_SEARCH_RANGE {
        return Err(ApiError::invalid("A search must not span more than 31 days: give from and to"));
    }
    Ok(from)
}

/// Ids of messages carry their time.
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
    use shared::events::id_of_source;

    use super::*;

    #[test]
    fn a_cursor_knows_the_time_of_its_message() {
        let at = DateTime::from_timestamp_millis(1_700_000_000_123).unwrap();
        let id = id_of_source("twitch:m1", at);
        assert_eq!(cursor(id), Ok((at, id)));
        assert_eq!(cursor(Uuid::nil()), Err(ApiError::invalid("before must be the id of a message")));
    }
}
