//! Channels of each notification type (reference/notifications.md#preferences).

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Grants, SignedIn},
};
use juniper::{GraphQLEnum, GraphQLObject};
use notices::notify::{Channel, NotificationType};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::db;

/// Channels on which notifications are delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NotificationChannel {
    /// None.
    Off,
    /// Application.
    InApp,
    /// Mail.
    Email,
    /// Application and mail.
    InAppEmail,
}

/// Delivery of a notification type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct NotificationPreference {
    /// Type, for example `invite`.
    pub notification_type: String,
    /// Channel of delivery.
    pub channel: NotificationChannel,
    /// True when the channel cannot be changed.
    pub locked: bool,
}

/// New channel of a notification type.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[schema(example = json!({ "channel": "in_app_email" }))]
pub struct UpdateNotificationPreferenceInput {
    /// Channel of delivery.
    pub channel: NotificationChannel,
}

impl From<Channel> for NotificationChannel {
    fn from(channel: Channel) -> Self {
        match channel {
            Channel::Off => Self::Off,
            Channel::InApp => Self::InApp,
            Channel::Email => Self::Email,
            Channel::InAppEmail => Self::InAppEmail,
        }
    }
}

impl From<NotificationChannel> for Channel {
    fn from(channel: NotificationChannel) -> Self {
        match channel {
            NotificationChannel::Off => Self::Off,
            NotificationChannel::InApp => Self::InApp,
            NotificationChannel::Email => Self::Email,
            NotificationChannel::InAppEmail => Self::InAppEmail,
        }
    }
}

impl NotificationPreference {
    fn new(kind: NotificationType, chosen: Option<Channel>) -> Self {
        let chosen = chosen.filter(|_| !kind.is_locked());
        Self {
            notification_type: kind.as_str().to_owned(),
            channel: chosen.unwrap_or(kind.default_channel()).into(),
            locked: kind.is_locked(),
        }
    }
}

pub static NOTIFICATION_PREFERENCES: Operation<SignedIn> =
    Operation::first_party("notificationPreferences", Grants::Nothing);

/// Lists every notification type with the channel of its delivery to the caller.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn notification_preferences(cx: &Cx) -> Result<Vec<NotificationPreference>> {
    let caller = cx.authorize(&NOTIFICATION_PREFERENCES).await?;
    let chosen = db::preferences(&mut *caller.db().await?, caller.user).await?;
    let of = |kind: &NotificationType| chosen.iter().find(|(text, _)| text == kind.as_str());
    Ok(NotificationType::ALL
        .iter()
        .map(|kind| {
            NotificationPreference::new(*kind, of(kind).and_then(|(_, channel)| Channel::parse(channel)))
        })
        .collect())
}

pub static UPDATE_NOTIFICATION_PREFERENCE: Operation<SignedIn> =
    Operation::first_party("updateNotificationPreference", Grants::Nothing);

/// Changes the channel of a notification type for the caller.
///
/// It affects later notifications only.
///
/// # Errors
/// Refusals of the access rule; 400 for an unknown channel; 404 for an unknown type; 400
/// `Notification type cannot be changed` for a locked one.
#[api_core::operation]
pub async fn update_notification_preference(
    cx: &Cx,
    notification_type: &str,
    input: Input<UpdateNotificationPreferenceInput>,
) -> Result<NotificationPreference> {
    let caller = cx.authorize(&UPDATE_NOTIFICATION_PREFERENCE).await?;
    let channel = Channel::from(input?.channel);
    let kind = NotificationType::parse(notification_type)
        .ok_or_else(|| ApiError::not_found("Notification type not found"))?;
    if kind.is_locked() {
        return Err(ApiError::invalid("Notification type cannot be changed"));
    }
    let now = cx.state().clock.now();
    db::set_preference(&mut *caller.db().await?, caller.user, kind, channel, now).await?;
    Ok(NotificationPreference::new(kind, Some(channel)))
}
