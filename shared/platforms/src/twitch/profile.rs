//! Profile of a user, and the user's standing in a channel. Each part needs its own scope. A part that was
//! not granted, or that fails while the user is known, stays unknown.

use chrono::{DateTime, SubsecRound, Utc};
use serde::{Deserialize, de::DeserializeOwned};

use super::{TwitchClient, message};
use crate::{ProfileAccess, ProfileQuery, Result, UserProfile, profile::filled};

const FOLLOWERS: &[&str] = &["moderator:read:followers"];
const SUBSCRIPTIONS: &[&str] = &["channel:read:subscriptions", "channel:manage:subscriptions"];
const MODERATORS: &[&str] = &["moderation:read", "channel:manage:moderators"];
const VIPS: &[&str] = &["channel:read:vips", "channel:manage:vips"];
const BANS: &[&str] = &["moderation:read", "moderator:manage:banned_users"];

#[derive(Deserialize)]
struct Rows<T> {
    data: Vec<T>,
}

#[derive(Deserialize)]
struct User {
    login: String,
    display_name: String,
    description: Option<String>,
    profile_image_url: Option<String>,
    broadcaster_type: Option<String>,
    created_at: Option<DateTime<Utc>>,
}

#[derive(Deserialize)]
struct Follower {
    followed_at: DateTime<Utc>,
}

#[derive(Deserialize)]
struct Subscription {
    tier: String,
}

/// Row whose presence alone matters.
#[derive(Deserialize)]
struct Present {}

#[derive(Deserialize)]
struct Banned {
    /// Empty for a ban without an end.
    expires_at: Option<String>,
    reason: Option<String>,
}

impl TwitchClient {
    pub(super) async fn profile(
        &self,
        access: &ProfileAccess<'_>,
        query: &ProfileQuery<'_>,
    ) -> Result<Option<UserProfile>> {
        let users: Vec<User> = self.rows("users", &["users"], &[("id", query.user_id)], access).await?;
        let Some(user) = users.into_iter().next() else { return Ok(None) };
        let (follower, subscription, moderator, vip, ban) = futures::join!(
            self.part::<Follower>(FOLLOWERS, "followers", &["channels", "followers"], access, query),
            self.part::<Subscription>(SUBSCRIPTIONS, "subscriptions", &["subscriptions"], access, query),
            self.part::<Present>(MODERATORS, "moderators", &["moderation", "moderators"], access, query),
            self.part::<Present>(VIPS, "vips", &["channels", "vips"], access, query),
            self.part::<Banned>(BANS, "banned", &["moderation", "banned"], access, query),
        );
        let mut profile = UserProfile {
            username: Some(user.login),
            display_name: Some(user.display_name),
            avatar_url: filled(user.profile_image_url),
            description: filled(user.description),
            account_created_at: user.created_at.map(|at| at.trunc_subsecs(3)),
            broadcaster_type: user.broadcaster_type,
            is_follower: follower.as_ref().map(Option::is_some),
            followed_at: follower.flatten().map(|follower| follower.followed_at.trunc_subsecs(3)),
            is_moderator: moderator.map(|moderator| moderator.is_some()),
            is_vip: vip.map(|vip| vip.is_some()),
            is_subscriber: subscription.as_ref().map(Option::is_some),
            subscriber_tier: subscription.flatten().map(|subscription| subscription.tier),
            ..UserProfile::default()
        };
        if let Some(ban) = ban {
            profile.set_ban(ban);
        }
        Ok(Some(profile))
    }

    /// Returns the first row about the user in the channel. The outer `None` means unknown.
    async fn part<T: DeserializeOwned>(
        &self,
        scopes: &[&str],
        call: &'static str,
        path: &[&str],
        access: &ProfileAccess<'_>,
        query: &ProfileQuery<'_>,
    ) -> Option<Option<T>> {
        // Without the scope Twitch responds as for a dead token.
        if !access.scopes.iter().any(|granted| scopes.contains(&granted.as_str())) {
            return None;
        }
        let parameters = [("broadcaster_id", access.channel_id), ("user_id", query.user_id)];
        match self.rows(call, path, &parameters, access).await {
            Ok(rows) => Some(rows.into_iter().next()),
            Err(error) => {
                tracing::debug!(call, %error, "a part of a profile is not known");
                None
            }
        }
    }

    async fn rows<T: DeserializeOwned>(
        &self,
        call: &'static str,
        path: &[&str],
        parameters: &[(&str, &str)],
        access: &ProfileAccess<'_>,
    ) -> Result<Vec<T>> {
        let client_id = match access.client_id {
            Some(client_id) => client_id,
            None => self.client_id()?,
        };
        let path: Vec<&str> = ["helix"].into_iter().chain(path.iter().copied()).collect();
        let request = self.http.get(self.config.api_url.endpoint(&path)).query(parameters);
        let request = self.helix(request, access.access_token, client_id)?;
        Ok(self.http.send(call, request).await?.success(message)?.json::<Rows<T>>()?.data)
    }
}

impl UserProfile {
    fn set_ban(&mut self, ban: Option<Banned>) {
        self.is_banned = Some(ban.is_some());
        let Some(ban) = ban else { return };
        self.ban_reason = filled(ban.reason);
        let until = filled(ban.expires_at).and_then(|text| DateTime::parse_from_rfc3339(&text).ok());
        if let Some(until) = until {
            // A time-out is no ban.
            self.is_banned = Some(false);
            self.timeout_until = Some(until.to_utc().trunc_subsecs(3));
        }
    }
}
