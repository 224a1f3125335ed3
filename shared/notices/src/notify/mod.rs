//! Notifications (reference/notifications.md#notification). The row, the live event and the mail of one
//! notice are written in the transaction of the change.

mod action;
mod data;
mod decisions;
mod kind;
mod notice;

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use diesel::{
    insert_into,
    prelude::*,
    sql_query,
    sql_types::{Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::mail::{self, Mail, Recipient};
use foundation::{
    events::{Channel as EventChannel, Event},
    jobs::PublishEvent,
    outbox,
};
use shared::{
    Result,
    clock::rfc3339,
    id::{self, UserId},
    schema::{notification_preferences as preferences, notifications},
};

pub use action::{
    ACCEPT_INVITE, Action, CONFIRM_EMAIL, CONFIRM_LOGIN, DECLINE_EMAIL, DECLINE_INVITE, DECLINE_LOGIN,
};
pub use decisions::{ReviewDecision, RunStatus};
pub use kind::{Channel, NotificationType};
pub use notice::Notice;

/// People of one statement: PostgreSQL takes 65,535 parameters.
const BATCH_SIZE: usize = 1000;

/// Notifies each person on the channel of their choice: in the list with a live `notification:new` on
/// `user:{id}`, by mail, both or not at all. Locked types use the channel of the catalogue.
///
/// Call it in the transaction of the change. Effects after the commit go through the outbox.
///
/// # Errors
/// A failure of the database, which also fails the transaction of the caller.
pub async fn notify(
    connection: &mut AsyncPgConnection,
    users: &[UserId],
    notice: &Notice<'_>,
    now: DateTime<Utc>,
) -> Result<()> {
    for users in users.chunks(BATCH_SIZE) {
        notify_some(connection, users, notice, now).await?;
    }
    Ok(())
}

/// Removes the notifications of an invite: of one person, or of all people when the invite is gone.
///
/// # Errors
/// A failure of the database.
pub async fn withdraw_invite(
    connection: &mut AsyncPgConnection,
    invite_id: Uuid,
    user: Option<UserId>,
) -> Result<()> {
    // The expression is that of the index.
    let sql = "DELETE FROM notifications WHERE notification_type = 'invite' AND data ->> 'inviteId' = $1 \
               AND ($2 IS NULL OR user_id = $2)";
    sql_query(sql)
        .bind::<Text, _>(invite_id.to_string())
        .bind::<Nullable<SqlUuid>, _>(user.map(Uuid::from))
        .execute(connection)
        .await?;
    Ok(())
}

/// Removes the notification that asks a person to confirm a login.
///
/// # Errors
/// A failure of the database.
pub async fn withdraw_unconfirmed_login(
    connection: &mut AsyncPgConnection,
    user: UserId,
    login: Uuid,
) -> Result<()> {
    let sql = "DELETE FROM notifications WHERE user_id = $1 AND notification_type = 'login_linked' \
               AND actions <> '[]' AND data ->> 'connectionId' = $2";
    sql_query(sql).bind::<SqlUuid, _>(user.0).bind::<Text, _>(login.to_string()).execute(connection).await?;
    Ok(())
}

/// Removes the notification that asks a person to confirm an e-mail address.
///
/// # Errors
/// A failure of the database.
pub async fn withdraw_unconfirmed_email(connection: &mut AsyncPgConnection, user: UserId) -> Result<()> {
    let sql = "DELETE FROM notifications WHERE user_id = $1 AND notification_type = 'login_linked' \
               AND actions <> '[]' AND data ->> 'email' IS NOT NULL";
    sql_query(sql).bind::<SqlUuid, _>(user.0).execute(connection).await?;
    Ok(())
}

/// Number of unread notifications of a person: the `notifications_unread` of the current user.
///
/// # Errors
/// A failure of the database.
pub async fn unread_count(connection: &mut AsyncPgConnection, user: UserId) -> Result<i64> {
    Ok(notifications::table
        .filter(notifications::user_id.eq(user).and(notifications::read_at.is_null()))
        .count()
        .get_result(connection)
        .await?)
}

async fn notify_some(
    connection: &mut AsyncPgConnection,
    users: &[UserId],
    notice: &Notice<'_>,
    now: DateTime<Utc>,
) -> Result<()> {
    let chosen = chosen_channels(connection, users, notice.kind()).await?;
    let channel = |user: &UserId| chosen.get(user).copied().unwrap_or(notice.kind().default_channel());
    let listed: Vec<UserId> = users.iter().copied().filter(|user| channel(user).is_in_app()).collect();
    let mailed: Vec<Recipient> =
        users.iter().copied().filter(|user| channel(user).is_mailed()).map(Recipient::User).collect();
    list(connection, &listed, notice, now).await?;
    let mail = Mail::Notification { title: notice.title(), message: notice.message() };
    mail::enqueue_each(connection, &mailed, &mail, now).await
}

/// Channels that people chose for a type. Empty for a locked type.
async fn chosen_channels(
    connection: &mut AsyncPgConnection,
    users: &[UserId],
    kind: NotificationType,
) -> Result<HashMap<UserId, Channel>> {
    if kind.is_locked() {
        return Ok(HashMap::new());
    }
    let rows: Vec<(UserId, String)> = preferences::table
        .filter(preferences::user_id.eq_any(users).and(preferences::notification_type.eq(kind.as_str())))
        .select((preferences::user_id, preferences::channel))
        .load(connection)
        .await?;
    Ok(rows.into_iter().filter_map(|(user, channel)| Some((user, Channel::parse(&channel)?))).collect())
}

/// Writes the rows and, for after the commit, their live events.
async fn list(
    connection: &mut AsyncPgConnection,
    users: &[UserId],
    notice: &Notice<'_>,
    now: DateTime<Utc>,
) -> Result<()> {
    if users.is_empty() {
        return Ok(());
    }
    let (title, message, data) = (notice.title(), notice.message(), notice.data());
    let actions = serde_json::to_value(notice.actions())?;
    let ids: Vec<Uuid> = users.iter().map(|_| id::new()).collect();
    let rows: Vec<_> = users
        .iter()
        .zip(&ids)
        .map(|(user, id)| {
            (
                notifications::id.eq(id),
                notifications::user_id.eq(user),
                notifications::notification_type.eq(notice.kind().as_str()),
                notifications::title.eq(&title),
                notifications::message.eq(&message),
                notifications::data.eq(&data),
                notifications::actions.eq(&actions),
                notifications::created_at.eq(now),
            )
        })
        .collect();
    insert_into(notifications::table).values(rows).execute(connection).await?;
    let events: Vec<(PublishEvent, String)> = users
        .iter()
        .zip(&ids)
        .map(|(user, id)| {
            let body = json!({
                "id": id, "user_id": user, "type": notice.kind(), "title": title, "message": message,
                "data": data, "actions": actions, "read_at": Value::Null, "created_at": rfc3339(now),
            });
            let event = Event::new(EventChannel::User(user.0), "notification:new", body, now);
            (PublishEvent { event }, format!("notification:new:{id}"))
        })
        .collect();
    outbox::add_each(connection, &events).await
}
