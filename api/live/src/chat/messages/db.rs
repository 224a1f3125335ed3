//! Queries over `chat_messages`. Each carries the account.

use api_core::{ApiError, Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use shared::{
    platform::Platform,
    schema::timeseries::chat_messages::{self, dsl},
};
use uuid::Uuid;

use super::ChatMessage;
use crate::chat::CHAT_PLATFORMS;

/// Filter of messages.
pub(super) struct MessageSelection {
    /// The account.
    pub account: Uuid,
    /// Only messages of this platform.
    pub platform: Option<Platform>,
    /// Only messages of this user, by the platform's id.
    pub user_id: Option<String>,
    /// Only messages that contain this text, in any case.
    pub search: Option<String>,
    /// Only messages at or after this time.
    pub from: Option<DateTime<Utc>>,
    /// Only messages before this time.
    pub to: Option<DateTime<Utc>>,
    /// Only messages before this one, given by time and id.
    pub before: Option<(DateTime<Utc>, Uuid)>,
    /// Largest number of messages.
    pub limit: i64,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = chat_messages)]
struct Row {
    id: Uuid,
    account_id: Uuid,
    platform: String,
    platform_message_id: String,
    platform_user_id: String,
    username: String,
    display_name: String,
    color: Option<String>,
    badges: Value,
    text: String,
    fragments: Value,
    emotes: Value,
    reply_to: Option<String>,
    is_deleted: bool,
    is_action: bool,
    sent_at: Timestamp,
}

/// Messages of a filter, newest first.
pub(super) async fn list(
    timeseries: &mut AsyncPgConnection,
    wanted: &MessageSelection,
) -> Result<Vec<ChatMessage>> {
    let mut query = dsl::chat_messages.filter(dsl::account_id.eq(wanted.account)).into_boxed();
    match (wanted.platform, &wanted.user_id) {
        (Some(platform), _) => query = query.filter(dsl::platform.eq(platform.slug())),
        // The index of a user's messages begins with the platform.
        (None, Some(_)) => query = query.filter(dsl::platform.eq_any(CHAT_PLATFORMS.map(Platform::slug))),
        (None, None) => {}
    }
    if let Some(user_id) = &wanted.user_id {
        query = query.filter(dsl::platform_user_id.eq(user_id));
    }
    if let Some(search) = &wanted.search {
        query = query.filter(dsl::text.ilike(containing(search)));
    }
    if let Some(from) = wanted.from {
        query = query.filter(dsl::sent_at.ge(from));
    }
    if let Some(to) = wanted.to {
        query = query.filter(dsl::sent_at.lt(to));
    }
    if let Some((at, id)) = wanted.before {
        query = query.filter(dsl::sent_at.le(at)).filter(dsl::sent_at.lt(at).or(dsl::id.lt(id)));
    }
    let rows: Vec<Row> = query
        .order((dsl::sent_at.desc(), dsl::id.desc()))
        .limit(wanted.limit)
        .select(Row::as_select())
        .load(timeseries)
        .await?;
    rows.into_iter().map(ChatMessage::try_from).collect()
}

/// Pattern in which `%`, `_` and the backslash are literal.
fn containing(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() + 2);
    pattern.push('%');
    for character in text.chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

impl TryFrom<Row> for ChatMessage {
    type Error = ApiError;

    fn try_from(row: Row) -> Result<Self> {
        Ok(Self {
            id: row.id,
            account_id: row.account_id,
            platform: row.platform,
            platform_message_id: row.platform_message_id,
            platform_user_id: row.platform_user_id,
            username: row.username,
            display_name: row.display_name,
            color: row.color,
            badges: serde_json::from_value(row.badges)?,
            text: row.text,
            fragments: serde_json::from_value(row.fragments)?,
            emotes: serde_json::from_value(row.emotes)?,
            reply_to: row.reply_to,
            is_deleted: row.is_deleted,
            is_action: row.is_action,
            sent_at: row.sent_at,
        })
    }
}
