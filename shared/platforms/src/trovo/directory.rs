//! Public directory: live channels in pages, single channels, users and categories. The calls need an
//! application, and no token (reference/platforms.md#public-directories).

use chrono::{DateTime, Utc};
use reqwest::RequestBuilder;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::json;

use super::{TrovoClient, checked};
use crate::{
    DirectoryPage, ListedChannel, ListedGame, ListedStream, PlatformError, Result, directory::Rows,
    http::parsed, profile::filled,
};
use shared::platform::Platform;

/// Channels of one page.
const PAGE_SIZE: u32 = 100;
/// Names of one call.
pub const MAX_NAMES: usize = 100;

#[derive(Deserialize)]
struct TopChannels {
    #[serde(default)]
    top_channels_lists: Rows<TopChannel>,
    #[serde(default)]
    total_page: i64,
    /// Names the list that the pages belong to.
    token: Option<String>,
    #[serde(default)]
    cursor: i64,
}

#[derive(Deserialize)]
struct TopChannel {
    channel_id: String,
    username: Option<String>,
    nick_name: Option<String>,
    profile_pic: Option<String>,
    title: Option<String>,
    category_id: Option<String>,
    category_name: Option<String>,
    language_code: Option<String>,
    current_viewers: Option<i64>,
    num_followers: Option<i64>,
    /// Seconds since 1970, as a text.
    stream_started_at: Option<String>,
}

#[derive(Deserialize)]
struct Channel {
    #[serde(default)]
    is_live: bool,
    username: Option<String>,
    profile_pic: Option<String>,
    live_title: Option<String>,
    category_id: Option<String>,
    category_name: Option<String>,
    language_code: Option<String>,
    current_viewers: Option<i64>,
    followers: Option<i64>,
    streamer_info: Option<String>,
    social_links: Option<Vec<SocialLink>>,
    /// Seconds since 1970, as a text.
    started_at: Option<String>,
}

#[derive(Deserialize)]
struct SocialLink {
    url: Option<String>,
}

#[derive(Deserialize)]
struct Users {
    #[serde(default)]
    users: Rows<User>,
}

#[derive(Deserialize)]
struct User {
    username: Option<String>,
    nickname: Option<String>,
    channel_id: Option<String>,
}

#[derive(Deserialize)]
struct Categories {
    #[serde(default)]
    category_info: Rows<Category>,
}

#[derive(Deserialize)]
struct Category {
    id: String,
    name: String,
    icon_url: Option<String>,
}

/// Channel and its stream, when it is live.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelDetails {
    /// The channel with its profile.
    pub channel: ListedChannel,
    /// Present stream.
    pub stream: Option<ListedStream>,
}

impl TrovoClient {
    /// Page of the live channels, those with the most viewers first.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Rejected` for a position that is none of this list.
    pub async fn streams_page(
        &self,
        client_id: &str,
        after: Option<&str>,
    ) -> Result<DirectoryPage<ListedStream>> {
        let mut body = json!({ "limit": PAGE_SIZE, "after": true });
        if let Some(after) = after {
            let (cursor, token) = after
                .split_once(':')
                .and_then(|(cursor, token)| Some((cursor.parse::<i64>().ok()?, token)))
                .ok_or_else(|| PlatformError::rejected("the position is not that of a page"))?;
            body["cursor"] = json!(cursor);
            body["token"] = json!(token);
        }
        let request = self.http.post(self.open_url(&["gettopchannels"])).json(&body);
        let found: TopChannels = self.listed("streams_page", request, client_id).await?;
        Ok(found.page())
    }

    /// Channel of an id; `None` when there is none.
    ///
    /// # Errors
    /// Any [`PlatformError`].
    pub async fn channel_details(&self, client_id: &str, id: &str) -> Result<Option<ChannelDetails>> {
        let request = self.http.post(self.open_url(&["channels", "id"])).json(&json!({ "channel_id": id }));
        match self.listed::<Channel>("channel_details", request, client_id).await {
            Ok(channel) => Ok(channel.details(id)),
            Err(PlatformError::Rejected { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Channels of up to [`MAX_NAMES`] names. Unknown ones are left out.
    ///
    /// # Errors
    /// Any [`PlatformError`].
    pub async fn channels_of_names(&self, client_id: &str, names: &[&str]) -> Result<Vec<ListedChannel>> {
        let request = self.http.post(self.open_url(&["getusers"])).json(&json!({ "user": names }));
        let found: Users = self.listed("channels_of_names", request, client_id).await?;
        Ok(found.users.read.into_iter().filter_map(User::into_channel).collect())
    }

    /// All categories.
    ///
    /// # Errors
    /// Any [`PlatformError`].
    pub async fn categories(&self, client_id: &str) -> Result<Vec<ListedGame>> {
        let request = self.http.get(self.open_url(&["categorys", "top"]));
        let found: Categories = self.listed("categories", request, client_id).await?;
        let game = |category: Category| ListedGame {
            id: category.id,
            name: category.name,
            box_art_url: filled(category.icon_url),
        };
        Ok(found.category_info.read.into_iter().map(game).filter_map(ListedGame::plausible).collect())
    }

    async fn listed<T: DeserializeOwned>(
        &self,
        call: &'static str,
        request: RequestBuilder,
        client_id: &str,
    ) -> Result<T> {
        let request = request.header("Client-ID", client_id).header("Accept", "application/json");
        let answer = self.http.send(call, request).await?;
        let is_forbidden = answer.is_forbidden();
        checked(answer).map_err(|error| error.of_application(is_forbidden))?.json()
    }

    fn open_url(&self, path: &[&str]) -> url::Url {
        let path: Vec<&str> = ["openplatform"].into_iter().chain(path.iter().copied()).collect();
        self.config.api_url.endpoint(&path)
    }
}

/// Reads the body of a page of live channels.
pub(crate) fn read_streams(body: &[u8]) -> Result<DirectoryPage<ListedStream>> {
    Ok(parsed::<TopChannels>(body)?.page())
}

impl TopChannels {
    fn page(self) -> DirectoryPage<ListedStream> {
        let next = filled(self.token).filter(|_| self.cursor < self.total_page);
        let position = next.map(|token| format!("{}:{token}", self.cursor));
        let item = |channel: TopChannel| ListedStream::from(channel).plausible(Platform::Trovo);
        DirectoryPage::of(self.top_channels_lists, position, item)
    }
}

impl From<TopChannel> for ListedStream {
    fn from(channel: TopChannel) -> Self {
        Self {
            channel_id: channel.channel_id,
            login: filled(channel.username),
            display_name: filled(channel.nick_name),
            avatar_url: filled(channel.profile_pic),
            broadcast_id: None,
            title: channel.title,
            game_id: filled(channel.category_id),
            game_name: filled(channel.category_name),
            language: filled(channel.language_code).map(|language| language.to_lowercase()),
            viewer_count: channel.current_viewers,
            followers: channel.num_followers,
            started_at: channel.stream_started_at.as_deref().and_then(moment),
        }
    }
}

impl Channel {
    fn details(self, id: &str) -> Option<ChannelDetails> {
        let links =
            self.social_links.map(|links| links.into_iter().filter_map(|link| filled(link.url)).collect());
        let stream = self.is_live.then(|| ListedStream {
            channel_id: id.to_owned(),
            login: filled(self.username.clone()),
            display_name: None,
            avatar_url: filled(self.profile_pic.clone()),
            broadcast_id: None,
            title: self.live_title,
            game_id: filled(self.category_id),
            game_name: filled(self.category_name),
            language: filled(self.language_code).map(|language| language.to_lowercase()),
            viewer_count: self.current_viewers,
            followers: self.followers,
            started_at: self.started_at.as_deref().and_then(moment),
        });
        let channel = ListedChannel {
            id: id.to_owned(),
            login: filled(self.username),
            avatar_url: filled(self.profile_pic),
            bio: Some(self.streamer_info.unwrap_or_default()),
            links,
            followers: self.followers,
            ..ListedChannel::default()
        };
        let stream = stream.and_then(|stream| stream.plausible(Platform::Trovo));
        Some(ChannelDetails { channel: channel.plausible(Platform::Trovo)?, stream })
    }
}

impl User {
    fn into_channel(self) -> Option<ListedChannel> {
        let channel = ListedChannel {
            id: filled(self.channel_id)?,
            login: filled(self.username),
            display_name: filled(self.nickname),
            ..ListedChannel::default()
        };
        channel.plausible(Platform::Trovo)
    }
}

fn moment(seconds: &str) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(seconds.parse().ok().filter(|seconds| *seconds > 0)?, 0)
}
