//! Profiles of users on platforms (reference/chat.md#profiles).

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use shared::secret::Secret;

/// Credentials of a lookup: those of the channel in which the user chats.
#[derive(Debug, Clone, Copy)]
pub struct ProfileAccess<'a> {
    /// Token of the channel.
    pub access_token: &'a Secret,
    /// Application that the token was issued to; `None` for the configured one.
    pub client_id: Option<&'a str>,
    /// Scopes that the channel's owner granted. Calls that need others are not made.
    pub scopes: &'a [String],
    /// Channel as the platform names it.
    pub channel_id: &'a str,
}

/// User to look up.
#[derive(Debug, Clone, Copy)]
pub struct ProfileQuery<'a> {
    /// Id of the user on the platform.
    pub user_id: &'a str,
    /// Name as last seen. Trovo finds users only by name.
    pub username: Option<&'a str>,
}

/// User as the platform reports them, alone and in a channel. Fields that it does not report are `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UserProfile {
    /// Name that the platform addresses the user by.
    pub username: Option<String>,
    /// Displayed name.
    pub display_name: Option<String>,
    /// Address of the picture.
    pub avatar_url: Option<String>,
    /// Text that the user wrote about themselves.
    pub description: Option<String>,
    /// Creation of the user's account on the platform.
    pub account_created_at: Option<DateTime<Utc>>,
    /// `partner`, `affiliate` or empty on Twitch.
    pub broadcaster_type: Option<String>,
    /// True when the user follows the channel.
    pub is_follower: Option<bool>,
    /// Start of the follow.
    pub followed_at: Option<DateTime<Utc>>,
    /// True for a moderator of the channel.
    pub is_moderator: Option<bool>,
    /// True for a VIP of the channel.
    pub is_vip: Option<bool>,
    /// True for a subscriber of the channel.
    pub is_subscriber: Option<bool>,
    /// Tier of the subscription, in the words of the platform.
    pub subscriber_tier: Option<String>,
    /// True when the user is banned without an end.
    pub is_banned: Option<bool>,
    /// Reason of the ban.
    pub ban_reason: Option<String>,
    /// End of a running time-out.
    pub timeout_until: Option<DateTime<Utc>>,
}

/// Text, unless it is empty.
pub(super) fn filled(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}
