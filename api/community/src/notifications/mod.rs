//! Notifications and their delivery (reference/notifications.md#notification).

mod db;
pub mod graphql;
mod preferences;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AnyOperation, Grants, SignedIn},
    graphql::Json,
    page::checked_limit,
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::{
    events::{Channel, Event},
    jobs::PublishEvent,
    outbox,
};
use juniper::GraphQLObject;
use membership::invites::{self, InviteKey};
use notices::notify::{
    ACCEPT_INVITE, CONFIRM_EMAIL, CONFIRM_LOGIN, DECLINE_EMAIL, DECLINE_INVITE, DECLINE_LOGIN,
    NotificationType, unread_count,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::id::UserId;
use sign_in::sign_in_changes::{confirm_email, confirm_login, decline_email, decline_login, require_session};
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

/// Entries when no limit is given: as many as the client's menu shows.
const DEFAULT_LIMIT: i64 = 10;
const MAX_LIMIT: i64 = 50;

/// Notification of a person.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct Notification {
    /// Identifier.
    pub id: Uuid,
    /// Recipient.
    pub user_id: Uuid,
    /// Type, for example `invite`.
    #[serde(rename = "type")]
    #[graphql(name = "type")]
    pub notification_type: String,
    /// Title.
    pub title: String,
    /// Text.
    pub message: String,
    /// Data for the client, by type; that of an invite has `inviteId`.
    pub data: Json,
    /// Actions that the notification offers.
    pub actions: Vec<NotificationAction>,
    /// Time of the first reading. Null: unread.
    pub read_at: Option<Timestamp>,
    /// Time of creation.
    pub created_at: Timestamp,
}

/// Action that a notification offers.
#[derive(Debug, Clone, Serialize, Deserialize, GraphQLObject, ToSchema)]
pub struct NotificationAction {
    /// Key for `runNotificationAction`.
    pub key: String,
    /// Label of the button.
    pub label: String,
}

/// Notifications and the number of unread ones.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct NotificationList {
    /// Notifications, newest first.
    pub items: Vec<Notification>,
    /// Number of unread notifications among all of the person, not only the listed ones.
    pub unread_count: i32,
}

/// Query of the list of notifications.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct NotificationsQuery {
    /// True: unread notifications only.
    pub unread: Option<bool>,
    /// Entries in the response, 1 to 50; 10 when absent.
    #[param(minimum = 1, maximum = 50)]
    pub limit: Option<i64>,
    /// Identifier of a notification: the list contains older ones only.
    pub before: Option<Uuid>,
}

pub static NOTIFICATIONS: Operation<SignedIn> =
    Operation::first_party("notifications", Grants::Nothing).polled();

/// Lists the caller's own notifications, newest first.
///
/// `unread_count` counts all unread notifications, not only the listed ones.
///
/// # Errors
/// Refusals of the access rule; 400 for a limit out of bounds.
#[api_core::operation]
pub async fn notifications(cx: &Cx, query: Input<NotificationsQuery>) -> Result<NotificationList> {
    let caller = cx.authorize(&NOTIFICATIONS).await?;
    let query = query?;
    let limit = checked_limit(query.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    let mut connection = caller.db().await?;
    let only_unread = query.unread.unwrap_or(false);
    let items = db::list(&mut connection, caller.user, only_unread, query.before, limit).await?;
    Ok(NotificationList { items, unread_count: unread(&mut connection, caller.user).await? })
}

pub static UNREAD_NOTIFICATION_COUNT: Operation<SignedIn> =
    Operation::first_party("unreadNotificationCount", Grants::Nothing);

/// Returns the number of the caller's own unread notifications.
///
/// Over REST it is part of the list.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn unread_notification_count(cx: &Cx) -> Result<i32> {
    let caller = cx.authorize(&UNREAD_NOTIFICATION_COUNT).await?;
    unread(&mut *caller.db().await?, caller.user).await
}

pub static MARK_NOTIFICATION_READ: Operation<SignedIn> =
    Operation::first_party("markNotificationRead", Grants::Nothing).idempotent();

/// Marks a notification of the caller as read.
///
/// The event `notification:read` is published to the person. A notification that was read before keeps its
/// time.
///
/// # Errors
/// Refusals of the access rule; 404 when the caller has no such notification.
#[api_core::operation]
pub async fn mark_notification_read(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&MARK_NOTIFICATION_READ).await?;
    let (id, now) = (id?, cx.state().clock.now());
    caller
        .db()
        .await?
        .transaction(async |connection| {
            if db::mark_read(connection, caller.user, id, now).await? {
                return publish_read(cx, connection, caller.user, Some(id)).await;
            }
            db::find(connection, caller.user, id).await?.map(drop).ok_or_else(not_found)
        })
        .await
}

pub static MARK_ALL_NOTIFICATIONS_READ: Operation<SignedIn> =
    Operation::first_party("markAllNotificationsRead", Grants::Nothing).idempotent();

/// Marks every notification of the caller as read.
///
/// The event `notification:read` with `id: null` is published to the person.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn mark_all_notifications_read(cx: &Cx) -> Result<()> {
    let caller = cx.authorize(&MARK_ALL_NOTIFICATIONS_READ).await?;
    let now = cx.state().clock.now();
    caller
        .db()
        .await?
        .transaction(async |connection| {
            if db::mark_all_read(connection, caller.user, now).await? > 0 {
                publish_read(cx, connection, caller.user, None).await?;
            }
            Ok(())
        })
        .await
}

pub static RUN_NOTIFICATION_ACTION: Operation<SignedIn> =
    Operation::first_party("runNotificationAction", Grants::AccountPermissions).idempotent();

/// Runs an action that a notification of the caller offers.
///
/// The notification is removed afterwards. Actions about a sign-in or an e-mail address need a session
/// (reference/notifications.md#actions).
///
/// # Errors
/// Refusals of the access rule; 404 when the caller has no such notification or it does not offer the action;
/// 403 when an action about the sign-in is requested without a session; the errors of the action, for example
/// 409 `Invite is no longer valid`.
#[api_core::operation]
pub async fn run_notification_action(cx: &Cx, id: Input<Uuid>, key: &str) -> Result<()> {
    let caller = cx.authorize(&RUN_NOTIFICATION_ACTION).await?;
    let found = db::find(&mut *caller.db().await?, caller.user, id?).await?;
    let notification = found.ok_or_else(not_found)?;
    let action = notification.actions.iter().find(|action| action.key == key);
    match action.map(|action| action.key.as_str()) {
        Some(ACCEPT_INVITE) => {
            invites::accept(cx, &caller, InviteKey::Id(id_in(&notification, "inviteId")?)).await?;
            Ok(())
        }
        Some(DECLINE_INVITE) => {
            invites::decline(cx, &caller, InviteKey::Id(id_in(&notification, "inviteId")?)).await
        }
        Some(CONFIRM_LOGIN) => confirm_login(cx, &caller, id_in(&notification, "connectionId")?).await,
        Some(DECLINE_LOGIN) => decline_login(cx, &caller, id_in(&notification, "connectionId")?).await,
        Some(CONFIRM_EMAIL) => confirm_email(cx, &caller, text_in(&notification, "email")?).await,
        Some(DECLINE_EMAIL) => decline_email(cx, &caller, text_in(&notification, "email")?).await,
        _ => Err(ApiError::not_found("Notification action not found")),
    }
}

pub static DELETE_NOTIFICATION: Operation<SignedIn> =
    Operation::first_party("deleteNotification", Grants::Nothing);

/// Deletes a notification of the caller.
///
/// The subject of the notification stays as it is. A key cannot delete a notification about a sign-in: a
/// stolen key could hide what was requested with it.
///
/// # Errors
/// Refusals of the access rule; 403 when a key is used for a notification about a sign-in; 404 when the
/// caller has no such notification.
#[api_core::operation]
pub async fn delete_notification(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_NOTIFICATION).await?;
    let (id, mut connection) = (id?, caller.db().await?);
    let found = db::find(&mut connection, caller.user, id).await?.ok_or_else(not_found)?;
    if found.notification_type == NotificationType::LoginLinked.as_str() {
        require_session(cx)?;
    }
    if db::delete(&mut connection, caller.user, id).await? { Ok(()) } else { Err(not_found()) }
}

/// Publishes `notification:read` on the person's channel, with the identifier (null: all) and the number of
/// unread ones.
async fn publish_read(
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
