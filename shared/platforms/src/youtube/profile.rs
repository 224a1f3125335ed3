//! Channel of a chatter. YouTube reports a user's standing in another channel only beside chat messages.

use chrono::{DateTime, SubsecRound, Utc};
use serde::Deserialize;

use super::{YoutubeClient, checked};
use crate::{ProfileAccess, ProfileQuery, Result, UserProfile, http::authorization, profile::filled};

#[derive(Deserialize)]
struct Channels {
    /// Absent when there is none.
    #[serde(default)]
    items: Vec<Channel>,
}

#[derive(Deserialize)]
struct Channel {
    snippet: Snippet,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Snippet {
    title: String,
    description: Option<String>,
    /// Handle with its `@`.
    custom_url: Option<String>,
    published_at: Option<DateTime<Utc>>,
    #[serde(default)]
    thumbnails: Thumbnails,
}

#[derive(Default, Deserialize)]
struct Thumbnails {
    default: Option<Thumbnail>,
    medium: Option<Thumbnail>,
}

#[derive(Deserialize)]
struct Thumbnail {
    url: String,
}

impl YoutubeClient {
    /// Costs one unit of quota.
    pub(super) async fn profile(
        &self,
        access: &ProfileAccess<'_>,
        query: &ProfileQuery<'_>,
    ) -> Result<Option<UserProfile>> {
        let request = self
            .http
            .get(self.config.api_url.endpoint(&["youtube", "v3", "channels"]))
            .query(&[("part", "snippet"), ("id", query.user_id)])
            .header("Authorization", authorization("Bearer", access.access_token)?);
        let found: Channels = checked(self.http.send("channel", request).await?)?.json()?;
        Ok(found.items.into_iter().next().map(|channel| channel.snippet.into()))
    }
}

impl From<Snippet> for UserProfile {
    fn from(snippet: Snippet) -> Self {
        let handle = snippet.custom_url.map(|handle| handle.trim_start_matches('@').to_owned());
        let picture = snippet.thumbnails.medium.or(snippet.thumbnails.default);
        Self {
            username: filled(handle),
            display_name: Some(snippet.title),
            avatar_url: filled(picture.map(|picture| picture.url)),
            description: filled(snippet.description),
            account_created_at: snippet.published_at.map(|at| at.trunc_subsecs(3)),
            ..Self::default()
        }
    }
}
