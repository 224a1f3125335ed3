//! Public directory: live streams in pages, channels and categories
//! (reference/platforms.md#public-directories).

use chrono::{DateTime, Utc};
use serde::{Deserialize, de::DeserializeOwned};

use super::{KickClient, message};
use crate::{
    DirectoryPage, ListedChannel, ListedGame, ListedStream, Result,
    directory::Rows,
    http::{authorization, parsed},
    profile::filled,
};
use shared::{platform::Platform, secret::Secret};

/// Ids of one call.
pub const MAX_LISTED: usize = 50;
/// Languages that one call may name.
const MAX_LANGUAGES: usize = 25;

/// Streams of one page. Kick returns up to 1,000, which may exceed the longest response that is read.
const PAGE_SIZE: &str = "500";
/// Categories of one page.
const CATEGORIES_PAGE_SIZE: &str = "100";

#[derive(Deserialize)]
#[serde(bound = "T: DeserializeOwned")]
struct Listing<T> {
    #[serde(default)]
    data: Rows<T>,
    #[serde(default)]
    pagination: Pagination,
}

#[derive(Default, Deserialize)]
struct Pagination {
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct Livestream {
    id: Option<String>,
    broadcaster_user: Broadcaster,
    channel: Option<Slug>,
    category: Option<Category>,
    title: Option<String>,
    language_code: Option<String>,
    viewer_count: Option<i64>,
    started_at: Option<DateTime<Utc>>,
}

#[derive(Deserialize)]
struct Broadcaster {
    id: u64,
    username: Option<String>,
    profile_picture: Option<String>,
}

#[derive(Deserialize)]
struct Slug {
    slug: Option<String>,
}

#[derive(Deserialize)]
struct Category {
    id: u64,
    name: Option<String>,
    thumbnail: Option<String>,
}

#[derive(Deserialize)]
struct Channel {
    broadcaster_user_id: u64,
    slug: Option<String>,
    channel_description: Option<String>,
}

impl KickClient {
    /// Page of the live streams, the oldest first. No language, or more than 25, means every language.
    ///
    /// # Errors
    /// Any [`crate::PlatformError`].
    pub async fn streams_page(
        &self,
        token: &Secret,
        languages: &[String],
        after: Option<&str>,
    ) -> Result<DirectoryPage<ListedStream>> {
        let mut query = vec![("limit", PAGE_SIZE)];
        if languages.len() <= MAX_LANGUAGES {
            query.extend(languages.iter().map(|language| ("language_code", language.as_str())));
        }
        query.extend(after.map(|after| ("cursor", after)));
        let path = ["public", "v2", "livestreams"];
        let rows = self.listed::<Livestream>("streams_page", &path, &query, token).await?;
        Ok(rows.page(Livestream::into_listed))
    }

    /// Live streams of up to [`MAX_LISTED`] channels.
    ///
    /// # Errors
    /// Any [`crate::PlatformError`].
    pub async fn streams_of(&self, token: &Secret, channels: &[&str]) -> Result<Vec<ListedStream>> {
        let query = with_ids("user_id", channels);
        if query.is_empty() {
            return Ok(Vec::new());
        }
        let path = ["public", "v1", "users", "livestreams"];
        let rows = self.listed::<Livestream>("streams_of", &path, &query, token).await?;
        Ok(rows.page(Livestream::into_listed).items)
    }

    /// Channels of up to [`MAX_LISTED`] ids. Unknown ones are left out.
    ///
    /// # Errors
    /// Any [`crate::PlatformError`].
    pub async fn listed_channels(&self, token: &Secret, ids: &[&str]) -> Result<Vec<ListedChannel>> {
        let query = with_ids("broadcaster_user_id", ids);
        if query.is_empty() {
            return Ok(Vec::new());
        }
        self.channels(&query, token).await
    }

    /// Channel of a slug; `None` when there is none. Kick refuses a call that names an unknown slug.
    ///
    /// # Errors
    /// Any [`crate::PlatformError`].
    pub async fn channel_of_slug(&self, token: &Secret, slug: &str) -> Result<Option<ListedChannel>> {
        match self.channels(&[("slug", slug)], token).await {
            Ok(channels) => Ok(channels.into_iter().next()),
            Err(crate::PlatformError::Rejected { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Page of the categories.
    ///
    /// # Errors
    /// Any [`crate::PlatformError`].
    pub async fn categories_page(
        &self,
        token: &Secret,
        after: Option<&str>,
    ) -> Result<DirectoryPage<ListedGame>> {
        let mut query = vec![("limit", CATEGORIES_PAGE_SIZE)];
        query.extend(after.map(|after| ("cursor", after)));
        let path = ["public", "v2", "categories"];
        let rows = self.listed::<Category>("categories_page", &path, &query, token).await?;
        Ok(rows.page(Category::into_game))
    }

    async fn channels(&self, query: &[(&str, &str)], token: &Secret) -> Result<Vec<ListedChannel>> {
        let path = ["public", "v1", "channels"];
        let rows = self.listed::<Channel>("listed_channels", &path, query, token).await?;
        Ok(rows.page(|channel| ListedChannel::from(channel).plausible(Platform::Kick)).items)
    }

    async fn listed<T: DeserializeOwned>(
        &self,
        call: &'static str,
        path: &[&str],
        query: &[(&str, &str)],
        token: &Secret,
    ) -> Result<Listing<T>> {
        let request = self
            .http
            .get(self.config.api_url.endpoint(path))
            .query(query)
            .header("Authorization", authorization("Bearer", token)?);
        let answer = self.http.send(call, request).await?;
        let is_forbidden = answer.is_forbidden();
        answer.success(message).map_err(|error| error.of_application(is_forbidden))?.json()
    }
}

/// Query with the ids that are ids of Kick: another one must not hide the others.
fn with_ids<'a>(name: &'a str, ids: &[&'a str]) -> Vec<(&'a str, &'a str)> {
    ids.iter().filter(|id| id.parse::<u64>().is_ok()).map(|id| (name, *id)).collect()
}

/// Reads the body of a page of live streams.
pub(crate) fn read_streams(body: &[u8]) -> Result<DirectoryPage<ListedStream>> {
    Ok(parsed::<Listing<Livestream>>(body)?.page(Livestream::into_listed))
}

impl<T> Listing<T> {
    fn page<U>(self, item: impl Fn(T) -> Option<U>) -> DirectoryPage<U> {
        DirectoryPage::of(self.data, self.pagination.next_cursor, item)
    }
}

impl Livestream {
    fn into_listed(self) -> Option<ListedStream> {
        ListedStream::from(self).plausible(Platform::Kick)
    }
}

impl From<Livestream> for ListedStream {
    fn from(stream: Livestream) -> Self {
        let (game_id, game_name) = match stream.category {
            Some(category) => (Some(category.id.to_string()), filled(category.name)),
            None => (None, None),
        };
        Self {
            channel_id: stream.broadcaster_user.id.to_string(),
            login: stream.channel.and_then(|channel| filled(channel.slug)),
            display_name: filled(stream.broadcaster_user.username),
            avatar_url: filled(stream.broadcaster_user.profile_picture),
            broadcast_id: filled(stream.id),
            title: stream.title,
            game_id,
            game_name,
            language: filled(stream.language_code).map(|language| language.to_lowercase()),
            viewer_count: stream.viewer_count,
            started_at: stream.started_at,
            ..Self::default()
        }
    }
}

impl From<Channel> for ListedChannel {
    fn from(channel: Channel) -> Self {
        Self {
            id: channel.broadcaster_user_id.to_string(),
            login: filled(channel.slug),
            bio: Some(channel.channel_description.unwrap_or_default()),
            ..Self::default()
        }
    }
}

impl Category {
    fn into_game(self) -> Option<ListedGame> {
        let name = filled(self.name)?;
        ListedGame { id: self.id.to_string(), name, box_art_url: filled(self.thumbnail) }.plausible()
    }
}
