//! Notifications and how they arrive (specification B §2.8, §4.10; C B19).

mod db;
pub mod graphql;
mod preferences;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AnyOperation, Grants, SignedIn},
    graphql::Json,
    invites::{self, InviteKey},
    page::checked_limit,
    sign_in_changes::{confirm_email, confirm_login, decline_email, decline_login, require_session},
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use juniper::GraphQLObject;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::{
    events::{Channel, Event},
    id::UserId,
    jobs::PublishEvent,
    notify::{
        ACCEPT_INVITE, CONFIRM_EMAIL, CONFIRM_LOGIN, DECLINE_EMAIL, DECLINE_INVITE, DECLINE_LOGIN,
        NotificationType, unread_count,
    },
    outbox,
};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

pub use preferences::{
    NOTIFICATION_PREFERENCES, NotificationChannel, NotificationPreference, UPDATE_NOTIFICATION_PREFERENCE,
    UpdateNotificationPreferenceInput, notification_preferences, update_notification_preference,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &NOTIFICATIONS,
    &UNREAD_NOTIFICATION_COUNT,
    &MARK_NOTIFICATION_READ,
    &MARK_ALL_NOTIFICATIONS_READ,
    &RUN_NOTIFICATION_ACTION,
    &DELETE_NOTIFICATION,
    &NOTIFICATION_PREFERENCES,
    &UPDATE_NOTIFICATION_PREFERENCE,
];

/// The bell shows as many.
const DEFAULT_LIMIT: i64 = 10;
const MAX_LIMIT: i64 = 50;

/// A notification.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct Notification {
    pub id: Uuid,
    pub user_id: Uuid,
    /// What it is about, for example `invite`.
    #[serde(rename = "type")]
    #[graphql(name = "type")]
    pub notification_type: String,
    pub title: String,
    pub message: String,
    /// What a client needs to act on it, by type; an invite's has `inviteId`.
    pub data: Json,
    /// What can be done about it.
    pub actions: Vec<NotificationAction>,
    /// Null: unread.
    pub read_at: Option<Timestamp>,
    pub created_at: Timestamp,
}

/// Something that can be done about a notification.
#[derive(Debug, Clone, Serialize, Deserialize, GraphQLObject, ToSchema)]
pub struct NotificationAction {
    /// For `runNotificationAction`.
    pub key: String,
    /// For a button.
    pub label: String,
}

/// Notifications and how many are unread in all.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct NotificationList {
    /// Newest first.
    pub items: Vec<Notification>,
    /// Of all notifications, not only the listed ones.
    pub unread_count: i32,
}

/// Which notifications are listed.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct NotificationsQuery {
    /// `true`: only unread ones.
    pub unread: Option<bool>,
    /// 1 to 50; 10 when absent.
    #[param(minimum = 1, maximum = 50)]
    pub limit: Option<i64>,
    /// Only those older than the notification of this id.
    pub before: Option<Uuid>,
}

/// The caller's own notifications.
pub static NOTIFICATIONS: Operation<SignedIn> = Operation::first_party("notifications", Grants::Nothing);

/// Lists the caller's own notifications, newest first.
///
/// # Errors
/// As the rule; 400 for a limit out of bounds.
pub async fn notifications(cx: &Cx, query: Input<NotificationsQuery>) -> Result<NotificationList> {
    let caller = cx.authorize(&NOTIFICATIONS).await?;
    let query = query?;
    let limit = checked_limit(query.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    let mut connection = caller.db().await?;
    let only_unread = query.unread.unwrap_or(false);
    let items = db::list(&mut connection, caller.user, only_unread, query.before, limit).await?;
    Ok(NotificationList { items, unread_count: unread(&mut connection, caller.user).await? })
}

/// How many of the caller's own notifications are unread. Over REST it is part of the list.
pub static UNREAD_NOTIFICATION_COUNT: Operation<SignedIn> =
    Operation::first_party("unreadNotificationCount", Grants::Nothing);

/// Counts the caller's own unread notifications.
///
/// # Errors
/// As the rule.
pub async fn unread_notification_count(cx: &Cx) -> Result<i32> {
    let caller = cx.authorize(&UNREAD_NOTIFICATION_COUNT).await?;
    unread(&mut *caller.db().await?, caller.user).await
}

/// Marks a notification of the caller's own as read.
pub static MARK_NOTIFICATION_READ: Operation<SignedIn> =
    Operation::first_party("markNotificationRead", Grants::Nothing);

/// Marks a notification of the caller's own as read, and tells the person's sockets. One that was read keeps its time.
///
/// # Errors
/// As the rule; 404 when the caller has no such notification.
pub async fn mark_notification_read(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&MARK_NOTIFICATION_READ).await?;
    let (id, now) = (id?, cx.state().clock.now());
    caller
        .db()
        .await?
        .transaction(async |connection| {
            if db::mark_read(connection, caller.user, id, now).await? {
                return tell_read(cx, connection, caller.user, Some(id)).await;
            }
            db::find(connection, caller.user, id).await?.map(drop).ok_or_else(not_found)
        })
        .await
}

/// Marks every notification of the caller's own as read.
pub static MARK_ALL_NOTIFICATIONS_READ: Operation<SignedIn> =
    Operation::first_party("markAllNotificationsRead", Grants::Nothing);

/// Marks every notification of the caller's own as read, and tells the person's sockets.
///
/// # Errors
/// As the rule.
pub async fn mark_all_notifications_read(cx: &Cx) -> Result<()> {
    let caller = cx.authorize(&MARK_ALL_NOTIFICATIONS_READ).await?;
    let now = cx.state().clock.now();
    caller
        .db()
        .await?
        .transaction(async |connection| {
            if db::mark_all_read(connection, caller.user, now).await? > 0 {
                tell_read(cx, connection, caller.user, None).await?;
            }
            Ok(())
        })
        .await
}

/// Carries out one of a notification's actions.
pub static RUN_NOTIFICATION_ACTION: Operation<SignedIn> =
    Operation::first_party("runNotificationAction", Grants::AccountPermissions);

/// Carries out one of the actions that a notification of the caller's own offers. What it is about is settled then, so
/// that the notification goes.
///
/// # Errors
/// As the rule; 404 when the caller has no such notification or it offers no such action; 403 when anything but a session
/// asks for an action about how the person signs in; what the action itself answers, for example 409
/// `Invite is no longer valid`.
pub async fn run_notification_action(cx: &Cx, id: Input<Uuid>, key: &str) -> Result<()> {
    let caller = cx.authorize(&RUN_NOTIFICATION_ACTION).await?;
    let found = db::find(&mut *caller.db().await?, caller.user, id?).await?;
    let notification = found.ok_or_else(not_found)?;
    let action = notification.actions.iter().find(|action| action.key == key);
    match action.map(|action| action.key.as_str()) {
        Some(ACCEPT_INVITE) => {
            invites::accept(cx, caller.user, InviteKey::Id(id_in(&notification, "inviteId")?)).await?;
            Ok(())
        }
        Some(DECLINE_INVITE) => {
            invites::decline(cx, caller.user, InviteKey::Id(id_in(&notification, "inviteId")?)).await
        }
        Some(CONFIRM_LOGIN) => confirm_login(cx, caller.user, id_in(&notification, "connectionId")?).await,
        Some(DECLINE_LOGIN) => decline_login(cx, caller.user, id_in(&notification, "connectionId")?).await,
        Some(CONFIRM_EMAIL) => confirm_email(cx, caller.user, text_in(&notification, "email")?).await,
        Some(DECLINE_EMAIL) => decline_email(cx, caller.user, text_in(&notification, "email")?).await,
        _ => Err(ApiError::not_found("Notification action not found")),
    }
}

/// Deletes a notification of the caller's own.
pub static DELETE_NOTIFICATION: Operation<SignedIn> =
    Operation::first_party("deleteNotification", Grants::Nothing);

/// Deletes a notification of the caller's own. What it tells of stays as it is. No key deletes one about how the person
/// signs in: whoever took a key could hide what they asked for.
///
/// # Errors
/// As the rule; 403 when a key is to delete one about how the person signs in; 404 when the caller has no such
/// notification.
pub async fn delete_notification(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_NOTIFICATION).await?;
    let (id, mut connection) = (id?, caller.db().await?);
    let found = db::find(&mut connection, caller.user, id).await?.ok_or_else(not_found)?;
    if found.notification_type == NotificationType::LoginLinked.as_str() {
        require_session(cx)?;
    }
    if db::delete(&mut connection, caller.user, id).await? { Ok(()) } else { Err(not_found()) }
}

/// `notification:read` on the person's channel: which one, or all, and what is left.
async fn tell_read(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    user: UserId,
    id: Option<Uuid>,
) -> Result<()> {
    let data = json!({ "id": id, "unread_count": unread(connection, user).await? });
    let event = Event::new(Channel::User(user.0), "notification:read", data, cx.state().clock.now());
    let key = format!("notification:read:{}", event.id);
    Ok(outbox::add(connection, &PublishEvent { event }, &key).await?)
}

async fn unread(connection: &mut AsyncPgConnection, user: UserId) -> Result<i32> {
    Ok(i32::try_from(unread_count(connection, user).await?).unwrap_or(i32::MAX))
}

fn id_in(notification: &Notification, name: &str) -> Result<Uuid> {
    let id = Uuid::try_parse(text_in(notification, name)?);
    id.map_err(|_malformed| ApiError::internal(format_args!("{name} of a notification is no id")))
}

fn text_in<'a>(notification: &'a Notification, name: &str) -> Result<&'a str> {
    let text = notification.data.0.get(name).and_then(Value::as_str);
    text.ok_or_else(|| ApiError::internal(format_args!("a notification has no {name}")))
}

fn not_found() -> ApiError {
    ApiError::not_found("Notification not found")
}
