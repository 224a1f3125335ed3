//! Channel of a chatter. Trovo finds users by name only.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::json;

use super::{TrovoClient, checked};
use crate::{ProfileAccess, ProfileQuery, Result, UserProfile, profile::filled};

#[derive(Deserialize)]
struct Users {
    #[serde(default)]
    users: Vec<User>,
}

#[derive(Deserialize)]
struct User {
    user_id: String,
    channel_id: Option<String>,
    username: String,
    nickname: Option<String>,
}

#[derive(Deserialize)]
struct Channel {
    profile_pic: Option<String>,
    streamer_info: Option<String>,
    /// Seconds since 1970, as a text.
    created_at: Option<String>,
}

impl TrovoClient {
    pub(super) async fn profile(
        &self,
        access: &ProfileAccess<'_>,
        query: &ProfileQuery<'_>,
    ) -> Result<Option<UserProfile>> {
        let Some(username) = query.username else { return Ok(None) };
        let found: Users = self.ask("getusers", &["getusers"], json!({ "user": [username] }), access).await?;
        // A name may have passed to another user.
        let Some(user) = found.users.into_iter().find(|user| user.user_id == query.user_id) else {
            return Ok(None);
        };
        let channel_id = user.channel_id.as_deref().unwrap_or(&user.user_id);
        let body = json!({ "channel_id": channel_id });
        let channel = match self.ask::<Channel>("channel", &["channels", "id"], body, access).await {
            Ok(channel) => Some(channel),
            Err(error) => {
                tracing::debug!(%error, "the channel of a profile is not known");
                None
            }
        };
        let mut profile = UserProfile {
            display_name: filled(user.nickname).or_else(|| Some(user.username.clone())),
            username: Some(user.username),
            ..UserProfile::default()
        };
        if let Some(channel) = channel {
            profile.avatar_url = filled(channel.profile_pic);
            profile.description = filled(channel.streamer_info);
            profile.account_created_at = channel.created_at.as_deref().and_then(moment);
        }
        Ok(Some(profile))
    }

    async fn ask<T: serde::de::DeserializeOwned>(
        &self,
        call: &'static str,
        path: &[&str],
        body: serde_json::Value,
        access: &ProfileAccess<'_>,
    ) -> Result<T> {
        let path: Vec<&str> = ["openplatform"].into_iter().chain(path.iter().copied()).collect();
        let request = self.http.post(self.config.api_url.endpoint(&path)).json(&body);
        let request = self.authorized(request, access.access_token, access.client_id)?;
        checked(self.http.send(call, request).await?)?.json()
    }
}

fn moment(seconds: &str) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(seconds.parse().ok().filter(|seconds| *seconds > 0)?, 0)
}
