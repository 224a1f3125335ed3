//! Bodies of deliveries, read from the rows of their events at each attempt (reference/webhooks.md#body).

use chrono::{DateTime, Utc};
use diesel::{dsl::exists, prelude::*, result::Error::DeserializationError};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use live_model::{AccountEvent, ChatMessage};
use serde_json::{Value, json};
use shared::{
    Error, Result,
    clock::rfc3339,
    schema::timeseries::{chat_messages, events},
};
use uuid::Uuid;
use webhook_model::event_types::{CHAT_MESSAGE, TEST};

use crate::{
    attempt::Unsent,
    db::{Claim, Head},
};

/// Row of an event.
#[derive(Queryable, Selectable)]
#[diesel(table_name = events)]
struct EventRow {
    id: Uuid,
    account_id: Uuid,
    event_type: String,
    platform: Option<String>,
    platform_user_id: Option<String>,
    username: Option<String>,
    display_name: Option<String>,
    avatar_url: Option<String>,
    amount: Option<i64>,
    currency: Option<String>,
    message: Option<String>,
    data: Value,
    is_test: bool,
    occurred_at: DateTime<Utc>,
}

/// Row of a chat message.
#[derive(Queryable, Selectable)]
#[diesel(table_name = chat_messages)]
struct MessageRow {
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
    is_action: bool,
    sent_at: DateTime<Utc>,
}

/// Body of a test.
pub(crate) fn of_test(claim: &Claim, head: &Head) -> String {
    let data = json!({ "endpoint_id": claim.endpoint_id, "message": "This is a test" });
    body(claim, head, data)
}

/// Body of the delivery of an event or chat message, or the reason for which there is none: its row is gone, the message
/// was removed, or a value of the row cannot be read.
///
/// # Errors
/// A failure of the time-series database.
pub(crate) async fn of_stored(
    connection: &mut AsyncPgConnection,
    claim: &Claim,
    head: &Head,
) -> Result<Result<String, Unsent>> {
    let data = if head.event_type == CHAT_MESSAGE {
        message(connection, claim.account_id, head).await
    } else {
        event(connection, claim.account_id, head).await
    };
    match data {
        Ok(Some(data)) => Ok(Ok(body(claim, head, data))),
        Ok(None) => Ok(Err(Unsent::Missing)),
        Err(error @ (Error::Json(_) | Error::Database(DeserializationError(_)))) => {
            let (account_id, event_id) = (claim.account_id, head.event_id);
            tracing::error!(%account_id, %event_id, %error, "a stored event cannot be read");
            Ok(Err(Unsent::Unreadable))
        }
        Err(error) => Err(error),
    }
}

/// True when the event or chat message of a delivery is stored.
///
/// # Errors
/// A failure of the time-series database.
pub(crate) async fn is_stored(
    connection: &mut AsyncPgConnection,
    claim: &Claim,
    head: &Head,
) -> Result<bool> {
    let account = claim.account_id;
    if head.event_type == CHAT_MESSAGE {
        let found = chat_messages::table
            .filter(chat_messages::account_id.eq(account).and(chat_messages::is_deleted.eq(false)))
            .filter(chat_messages::id.eq(head.event_id).and(chat_messages::sent_at.eq(head.occurred_at)));
        return Ok(diesel::select(exists(found)).get_result(connection).await?);
    }
    let found = events::table
        .filter(events::account_id.eq(account))
        .filter(events::id.eq(head.event_id).and(events::occurred_at.eq(head.occurred_at)));
    Ok(diesel::select(exists(found)).get_result(connection).await?)
}

/// True for a test, which has no row.
pub(crate) fn is_test(head: &Head) -> bool {
    head.event_type == TEST
}

fn body(claim: &Claim, head: &Head, data: Value) -> String {
    json!({
        "type": head.event_type,
        "timestamp": rfc3339(head.occurred_at),
        "account_id": claim.account_id,
        "data": data,
    })
    .to_string()
}

async fn event(connection: &mut AsyncPgConnection, account: Uuid, head: &Head) -> Result<Option<Value>> {
    let row: Option<EventRow> = events::table
        .filter(events::account_id.eq(account))
        .filter(events::id.eq(head.event_id).and(events::occurred_at.eq(head.occurred_at)))
        .select(EventRow::as_select())
        .first(connection)
        .await
        .optional()?;
    Ok(row.map(|row| serde_json::to_value(row.into_event())).transpose()?)
}

async fn message(connection: &mut AsyncPgConnection, account: Uuid, head: &Head) -> Result<Option<Value>> {
    let row: Option<MessageRow> = chat_messages::table
        .filter(chat_messages::account_id.eq(account).and(chat_messages::is_deleted.eq(false)))
        .filter(chat_messages::id.eq(head.event_id).and(chat_messages::sent_at.eq(head.occurred_at)))
        .select(MessageRow::as_select())
        .first(connection)
        .await
        .optional()?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some(serde_json::to_value(row.into_message()?)?))
}

impl EventRow {
    fn into_event(self) -> AccountEvent {
        AccountEvent {
            id: self.id,
            account_id: self.account_id,
            event_type: self.event_type,
            platform: self.platform,
            platform_user_id: self.platform_user_id,
            username: self.username,
            display_name: self.display_name,
            avatar_url: self.avatar_url,
            amount: self.amount,
            currency: self.currency,
            message: self.message,
            data: self.data,
            is_test: self.is_test,
            occurred_at: self.occurred_at,
        }
    }
}

impl MessageRow {
    fn into_message(self) -> Result<ChatMessage> {
        Ok(ChatMessage {
            id: self.id,
            account_id: self.account_id,
            platform: self.platform,
            platform_message_id: self.platform_message_id,
            platform_user_id: self.platform_user_id,
            username: self.username,
            display_name: self.display_name,
            color: self.color,
            badges: serde_json::from_value(self.badges)?,
            text: self.text,
            fragments: serde_json::from_value(self.fragments)?,
            emotes: serde_json::from_value(self.emotes)?,
            reply_to: self.reply_to,
            is_deleted: false,
            is_action: self.is_action,
            sent_at: self.sent_at,
            forgets_user: false,
            counted_as: None,
        })
    }
}
