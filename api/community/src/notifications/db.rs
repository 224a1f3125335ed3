//! Queries over `notifications` and `notification_preferences`. Each is limited to one person.

use api_core::{Result, Timestamp, graphql::Json};
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use notices::notify::{Channel, NotificationType};
use serde_json::Value;
use shared::{
    id::UserId,
    schema::{
        notification_preferences as preferences,
        notifications::{self, dsl},
    },
};
use uuid::Uuid;

use super::Notification;

#[derive(Queryable, Selectable)]
#[diesel(table_name = notifications)]
struct Row {
    id: Uuid,
    user_id: Uuid,
    notification_type: String,
    title: String,
    message: String,
    data: Value,
    actions: Value,
    read_at: Option<Timestamp>,
    created_at: Timestamp,
}

impl Row {
    fn into_notification(self) -> Result<Notification> {
        Ok(Notification {
            id: self.id,
            user_id: self.user_id,
            notification_type: self.notification_type,
            title: self.title,
            message: self.message,
            data: Json(self.data),
            actions: serde_json::from_value(self.actions)?,
            read_at: self.read_at,
            created_at: self.created_at,
        })
    }
}

/// Lists notifications, newest first: identifiers are ordered by time.
pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    user: UserId,
    only_unread: bool,
    before: Option<Uuid>,
    limit: i64,
) -> Result<Vec<Notification>> {
    let mut rows = dsl::notifications.filter(dsl::user_id.eq(user)).into_boxed();
    if only_unread {
        rows = rows.filter(dsl::read_at.is_null());
    }
    if let Some(before) = before {
        rows = rows.filter(dsl::id.lt(before));
    }
    let rows: Vec<Row> =
        rows.order(dsl::id.desc()).limit(limit).select(Row::as_select()).load(connection).await?;
    rows.into_iter().map(Row::into_notification).collect()
}

pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    user: UserId,
    id: Uuid,
) -> Result<Option<Notification>> {
    let row: Option<Row> = dsl::notifications
        .filter(dsl::id.eq(id).and(dsl::user_id.eq(user)))
        .select(Row::as_select())
        .first(connection)
        .await
        .optional()?;
    row.map(Row::into_notification).transpose()
}

/// Marks a notification as read. False when it was not unread.
pub(super) async fn mark_read(
    connection: &mut AsyncPgConnection,
    user: UserId,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<bool> {
    let unread = dsl::id.eq(id).and(dsl::user_id.eq(user)).and(dsl::read_at.is_null());
    let updated = diesel::update(dsl::notifications.filter(unread)).set(dsl::read_at.eq(now));
    Ok(updated.execute(connection).await? > 0)
}

/// Marks all notifications as read and returns the number of those that were unread.
pub(super) async fn mark_all_read(
    connection: &mut AsyncPgConnection,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<usize> {
    let unread = dsl::notifications.filter(dsl::user_id.eq(user).and(dsl::read_at.is_null()));
    Ok(diesel::update(unread).set(dsl::read_at.eq(now)).execute(connection).await?)
}

/// Deletes a notification. False when there is no such notification.
pub(super) async fn delete(connection: &mut AsyncPgConnection, user: UserId, id: Uuid) -> Result<bool> {
    let own = dsl::notifications.filter(dsl::id.eq(id).and(dsl::user_id.eq(user)));
    Ok(diesel::delete(own).execute(connection).await? > 0)
}

/// Lists the types and channels that a person chose.
pub(super) async fn preferences(
    connection: &mut AsyncPgConnection,
    user: UserId,
) -> Result<Vec<(String, String)>> {
    let max = i64::try_from(NotificationType::ALL.len()).unwrap_or(i64::MAX);
    let known = NotificationType::ALL.iter().map(|kind| kind.as_str());
    Ok(preferences::table
        .filter(preferences::user_id.eq(user).and(preferences::notification_type.eq_any(known)))
        .select((preferences::notification_type, preferences::channel))
        .limit(max)
        .load(connection)
        .await?)
}

pub(super) async fn set_preference(
    connection: &mut AsyncPgConnection,
    user: UserId,
    kind: NotificationType,
    channel: Channel,
    now: DateTime<Utc>,
) -> Result<()> {
    let chosen = (preferences::channel.eq(channel.as_str()), preferences::updated_at.eq(now));
    insert_into(preferences::table)
        .values((preferences::user_id.eq(user), preferences::notification_type.eq(kind.as_str()), chosen))
        .on_conflict((preferences::user_id, preferences::notification_type))
        .do_update()
        .set(chosen)
        .execute(connection)
        .await?;
    Ok(())
}
