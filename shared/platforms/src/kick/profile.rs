//! User and own channel. Kick reports a user's standing in another channel only beside chat messages.

use serde::Deserialize;

use super::{KickClient, data, numeric_id};
use crate::{ProfileAccess, ProfileQuery, Result, UserProfile, http::authorization, profile::filled};

#[derive(Deserialize)]
struct User {
    name: String,
    profile_picture: Option<String>,
}

#[derive(Deserialize)]
struct Channel {
    slug: Option<String>,
    channel_description: Option<String>,
}

impl KickClient {
    pub(super) async fn profile(
        &self,
        access: &ProfileAccess<'_>,
        query: &ProfileQuery<'_>,
    ) -> Result<Option<UserProfile>> {
        let id = numeric_id("user id", query.user_id)?.to_string();
        let users: Vec<User> = self.about("users", "id", &id, access).await?;
        let Some(user) = users.into_iter().next() else { return Ok(None) };
        let channel = match self.about::<Channel>("channels", "broadcaster_user_id", &id, access).await {
            Ok(channels) => channels.into_iter().next(),
            Err(error) => {
                tracing::debug!(%error, "the channel of a profile is not known");
                None
            }
        };
        let (slug, description) =
            channel.map_or((None, None), |channel| (channel.slug, channel.channel_description));
        Ok(Some(UserProfile {
            username: filled(slug).or_else(|| Some(user.name.clone())),
            display_name: Some(user.name),
            avatar_url: filled(user.profile_picture),
            description: filled(description),
            ..UserProfile::default()
        }))
    }

    async fn about<T: serde::de::DeserializeOwned>(
        &self,
        resource: &'static str,
        parameter: &str,
        id: &str,
        access: &ProfileAccess<'_>,
    ) -> Result<Vec<T>> {
        let request = self
            .http
            .get(self.config.api_url.endpoint(&["public", "v1", resource]))
            .query(&[(parameter, id)])
            .header("Authorization", authorization("Bearer", access.access_token)?);
        data(self.http.send(resource, request).await?)
    }
}
