//! What a platform tells of a user (specification C B13, unified profile).

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::secret::Secret;

/// In whose name a user is looked up: the channel that they chat in.
#[derive(Debug, Clone, Copy)]
pub struct ProfileAccess<'a> {
    pub access_token: &'a Secret,
    /// The application that the token was issued to; `None` for the configured one.
    pub client_id: Option<&'a str>,
    /// What the channel's owner granted: a platform is not asked for more.
    pub scopes: &'a [String],
    /// The channel as the platform names it.
    pub channel_id: &'a str,
}

/// Who is looked up.
#[derive(Debug, Clone, Copy)]
pub struct ProfileQuery<'a> {
    /// The platform's id.
    pub user_id: &'a str,
    /// As last seen; Trovo finds users by nothing else.
    pub username: Option<&'a str>,
}

/// A user as a platform knows them, alone and in a channel. What it does not tell is `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UserProfile {
    pub username: Option<String>,
    pub display_name: Option<String>,
    pub avatar_url: Option<String>,
    pub description: Option<String>,
    pub account_created_at: Option<DateTime<Utc>>,
    /// `partner`, `affiliate` or empty on Twitch.
    pub broadcaster_type: Option<String>,
    pub is_follower: Option<bool>,
    pub followed_at: Option<DateTime<Utc>>,
    pub is_moderator: Option<bool>,
    pub is_vip: Option<bool>,
    pub is_subscriber: Option<bool>,
    pub subscriber_tier: Option<String>,
    pub is_banned: Option<bool>,
    pub ban_reason: Option<String>,
    /// The end of a time-out that is running.
    pub timeout_until: Option<DateTime<Utc>>,
}

/// A text that says something.
pub(super) fn filled(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}
