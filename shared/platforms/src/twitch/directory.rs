//! Public directory: live streams in pages, users, games, followers and teams. Each call costs one point
//! (reference/platforms.md#public-directories).

use chrono::{DateTime, Utc};
use serde::{Deserialize, de::DeserializeOwned};

use super::{TwitchClient, message};
use crate::{
    DirectoryPage, ListedChannel, ListedGame, ListedStream, Result,
    directory::{Rows, count},
    http::parsed,
    profile::filled,
};
use shared::{platform::Platform, secret::Secret};

/// Entries of one page, and ids of one call.
pub const MAX_LISTED: usize = 100;
/// Languages that one call may name.
const MAX_LANGUAGES: usize = 100;

/// Text of [`MAX_LISTED`].
const PAGE_SIZE: &str = "100";

#[derive(Deserialize)]
#[serde(bound = "T: DeserializeOwned")]
struct Listing<T> {
    /// Null in place of an empty list of teams.
    #[serde(default)]
    data: Rows<T>,
    #[serde(default)]
    pagination: Pagination,
}

#[derive(Default, Deserialize)]
struct Pagination {
    cursor: Option<String>,
}

#[derive(Deserialize)]
struct Stream {
    id: String,
    user_id: String,
    user_login: Option<String>,
    user_name: Option<String>,
    game_id: Option<String>,
    game_name: Option<String>,
    title: Option<String>,
    viewer_count: Option<i64>,
    started_at: Option<DateTime<Utc>>,
    language: Option<String>,
}

#[derive(Deserialize)]
struct User {
    id: String,
    login: String,
    display_name: Option<String>,
    broadcaster_type: Option<String>,
    description: Option<String>,
    profile_image_url: Option<String>,
}

#[derive(Deserialize)]
struct Game {
    id: String,
    name: String,
    box_art_url: Option<String>,
}

#[derive(Deserialize)]
struct Followers {
    total: i64,
}

#[derive(Deserialize)]
struct Team {
    team_name: String,
}

impl TwitchClient {
    /// Page of the live streams, those with the most viewers first. No language, or more than 100, means
    /// every language.
    ///
    /// # Errors
    /// Any [`crate::PlatformError`].
    pub async fn streams_page(
        &self,
        client_id: &str,
        token: &Secret,
        languages: &[String],
        after: Option<&str>,
    ) -> Result<DirectoryPage<ListedStream>> {
        let mut query = vec![("type", "live"), ("first", PAGE_SIZE)];
        if languages.len() <= MAX_LANGUAGES {
            query.extend(languages.iter().map(|language| ("language", language.as_str())));
        }
        query.extend(after.map(|after| ("after", after)));
        let rows = self.listed::<Stream>("streams_page", &["streams"], &query, client_id, token).await?;
        Ok(rows.page(Stream::into_listed))
    }

    /// Live streams of up to [`MAX_LISTED`] channels.
    ///
    /// # Errors
    /// Any [`crate::PlatformError`].
    pub async fn streams_of(
        &self,
        client_id: &str,
        token: &Secret,
        channels: &[&str],
    ) -> Result<Vec<ListedStream>> {
        let mut query: Vec<(&str, &str)> = channels.iter().map(|id| ("user_id", *id)).collect();
        query.push(("first", PAGE_SIZE));
        let rows = self.listed::<Stream>("streams_of", &["streams"], &query, client_id, token).await?;
        Ok(rows.page(Stream::into_listed).items)
    }

    /// Channels of up to [`MAX_LISTED`] ids and logins. Unknown ones are left out.
    ///
    /// # Errors
    /// Any [`crate::PlatformError`].
    pub async fn listed_channels(
        &self,
        client_id: &str,
        token: &Secret,
        ids: &[&str],
        logins: &[&str],
    ) -> Result<Vec<ListedChannel>> {
        let ids = ids.iter().map(|id| ("id", *id));
        let query: Vec<(&str, &str)> = ids.chain(logins.iter().map(|login| ("login", *login))).collect();
        let rows = self.listed::<User>("listed_channels", &["users"], &query, client_id, token).await?;
        Ok(rows.page(|user| ListedChannel::from(user).plausible(Platform::Twitch)).items)
    }

    /// Page of the games, those with the most viewers first.
    ///
    /// # Errors
    /// Any [`crate::PlatformError`].
    pub async fn top_games(
        &self,
        client_id: &str,
        token: &Secret,
        after: Option<&str>,
    ) -> Result<DirectoryPage<ListedGame>> {
        let mut query = vec![("first", PAGE_SIZE)];
        query.extend(after.map(|after| ("after", after)));
        let rows = self.listed::<Game>("top_games", &["games", "top"], &query, client_id, token).await?;
        Ok(rows.page(|game| ListedGame::from(game).plausible()))
    }

    /// Number of followers of a channel. Twitch reports the number to every caller, and the list only to the
    /// channel.
    ///
    /// # Errors
    /// Any [`crate::PlatformError`].
    pub async fn follower_count(&self, client_id: &str, token: &Secret, channel: &str) -> Result<i64> {
        let query = [("broadcaster_id", channel), ("first", "1")];
        let request = self.http.get(self.helix_url(&["channels", "followers"])).query(&query);
        let request = self.helix(request, token, client_id)?;
        let found: Followers = self.http.send("follower_count", request).await?.success(message)?.json()?;
        Ok(count(found.total))
    }

    /// Names of the teams of a channel.
    ///
    /// # Errors
    /// Any [`crate::PlatformError`].
    pub async fn teams(&self, client_id: &str, token: &Secret, channel: &str) -> Result<Vec<String>> {
        let query = [("broadcaster_id", channel)];
        let rows = self.listed::<Team>("teams", &["teams", "channel"], &query, client_id, token).await?;
        Ok(rows.page(|team| Some(team.team_name)).items)
    }

    async fn listed<T: DeserializeOwned>(
        &self,
        call: &'static str,
        path: &[&str],
        query: &[(&str, &str)],
        client_id: &str,
        token: &Secret,
    ) -> Result<Listing<T>> {
        let request = self.http.get(self.helix_url(path)).query(query);
        let request = self.helix(request, token, client_id)?;
        let answer = self.http.send(call, request).await?;
        let is_forbidden = answer.is_forbidden();
        answer.success(message).map_err(|error| error.of_application(is_forbidden))?.json()
    }
}

/// Reads the body of a page of live streams.
pub(crate) fn read_streams(body: &[u8]) -> Result<DirectoryPage<ListedStream>> {
    Ok(parsed::<Listing<Stream>>(body)?.page(Stream::into_listed))
}

impl<T> Listing<T> {
    fn page<U>(self, item: impl Fn(T) -> Option<U>) -> DirectoryPage<U> {
        DirectoryPage::of(self.data, self.pagination.cursor, item)
    }
}

impl Stream {
    fn into_listed(self) -> Option<ListedStream> {
        ListedStream::from(self).plausible(Platform::Twitch)
    }
}

impl From<Stream> for ListedStream {
    fn from(stream: Stream) -> Self {
        Self {
            channel_id: stream.user_id,
            login: filled(stream.user_login),
            display_name: filled(stream.user_name),
            broadcast_id: Some(stream.id),
            title: stream.title,
            game_id: filled(stream.game_id),
            game_name: filled(stream.game_name),
            language: filled(stream.language).map(|language| language.to_lowercase()),
            viewer_count: stream.viewer_count,
            started_at: stream.started_at,
            ..Self::default()
        }
    }
}

impl From<User> for ListedChannel {
    fn from(user: User) -> Self {
        Self {
            id: user.id,
            login: Some(user.login),
            display_name: filled(user.display_name),
            avatar_url: filled(user.profile_image_url),
            broadcaster_type: user.broadcaster_type,
            bio: Some(user.description.unwrap_or_default()),
            ..Self::default()
        }
    }
}

impl From<Game> for ListedGame {
    /// The address has `{width}` and `{height}` in it.
    fn from(game: Game) -> Self {
        let sized = |url: String| url.replace("{width}", "285").replace("{height}", "380");
        Self { id: game.id, name: game.name, box_art_url: filled(game.box_art_url).map(sized) }
    }
}
