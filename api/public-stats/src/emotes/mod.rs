//! Catalogue of emotes with their use (reference/public-stats.md#emotes).

mod db;
pub mod graphql;
pub mod rest;
mod statement;

use api_core::{
    Cx, Input, Operation, Page, PageRequest, Result, Timestamp,
    access::{AnyOperation, Grants, Visitor},
    graphql::Int64,
    page::Window,
    validate,
};
use chrono::{DateTime, Utc};
use foundation::db::ReadPools;
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use shared::{catalogue::Feature, platform::Platform};
use utoipa::{IntoParams, ToSchema};

use crate::{
    lists::{self, PublicStatsOrder, PublicStatsRange, Rows},
    names,
    platforms::PublicStatsPlatform,
    responses::answer,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&PUBLIC_STATS_EMOTES];

/// Emote in the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct PublicEmote {
    /// The provider's id.
    pub emote_id: String,
    /// Code in messages.
    pub name: String,
    /// `twitch`, `7tv`, `bttv`, `ffz`, `youtube` or `kick`.
    pub provider: String,
    /// Address of the picture. Null: not known.
    pub url: Option<String>,
    /// True for a moving picture.
    pub animated: bool,
    /// Number of times that it was used in the range.
    pub usage_count: Int64,
    /// Number of channels in whose chat it was used in the range.
    pub channel_count: Int64,
    /// Time of the first observation.
    pub first_seen_at: Timestamp,
}

/// Provider of emotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PublicEmoteProvider {
    /// Twitch.
    Twitch,
    /// 7TV.
    #[serde(rename = "7tv")]
    #[graphql(name = "SEVEN_TV")]
    SevenTv,
    /// BetterTTV.
    Bttv,
    /// FrankerFaceZ.
    Ffz,
    /// YouTube.
    Youtube,
    /// Kick.
    Kick,
}

/// Sort key of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PublicStatsEmotesSort {
    /// Number of times that it was used in the range.
    #[default]
    Usage,
    /// Number of channels in whose chat it was used in the range.
    Channels,
    /// Code in messages.
    Name,
}

/// Filter, order and page of the catalogue.
#[derive(Debug, Clone, Default, Deserialize, IntoParams, GraphQLInputObject)]
#[into_params(parameter_in = Query)]
pub struct PublicStatsEmotesFilter {
    /// Platform of the chats; all when absent.
    #[param(inline)]
    pub platform: Option<PublicStatsPlatform>,
    /// Provider; all when absent.
    #[param(inline)]
    pub provider: Option<PublicEmoteProvider>,
    /// Emotes in the chat of this channel: its id or login, of `platform` when given; 1 to 128 characters.
    #[param(max_length = 128)]
    pub channel: Option<String>,
    /// Beginning of the code, in any case; 2 to 100 characters.
    #[param(max_length = 100)]
    pub search: Option<String>,
    /// `usage` when absent.
    #[param(inline)]
    pub sort: Option<PublicStatsEmotesSort>,
    /// `asc` for the sort key `name` when absent, else `desc`.
    #[param(inline)]
    pub order: Option<PublicStatsOrder>,
    /// `DAYS_30` when absent.
    #[param(inline)]
    pub range: Option<PublicStatsRange>,
    /// Number of the page, from 1; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i32>,
    /// Emotes of a page, 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i32>,
}

/// A checked query.
#[derive(Debug, Clone)]
struct EmotesQuery {
    platform: Option<Platform>,
    provider: Option<PublicEmoteProvider>,
    /// Name of the channel.
    channel: Option<String>,
    search: Option<String>,
    sort: PublicStatsEmotesSort,
    order: PublicStatsOrder,
    range: PublicStatsRange,
    window: Window,
}

pub static PUBLIC_STATS_EMOTES: Operation<Visitor> =
    Operation::public("publicStatsEmotes", Grants::Nothing).feature(Feature::PublicStats);

/// Lists emotes with their use in the chats of channels over a range of days.
///
/// A list ends after 10,000 emotes. Without a platform the figures of all platforms are added, also those of
/// the channels with one name. With a platform or a channel it has the emotes that were used there.
/// `If-None-Match` gets 304.
///
/// # Errors
/// 403 `FEATURE_DISABLED` when public statistics are off; 400 for an unknown or invalid filter, order or page;
/// 404 for a channel that is not known or has opted out.
#[api_core::operation]
pub async fn public_stats_emotes(
    cx: &Cx,
    filter: Input<PublicStatsEmotesFilter>,
) -> Result<Page<PublicEmote>> {
    let visitor = cx.authorize(&PUBLIC_STATS_EMOTES).await?;
    let (query, window) = filter?.checked()?;
    let now = cx.state().clock.now();
    let name = format!("emotes {query:?}");
    let rows = answer(cx, &visitor, name, move |pools| list(pools, query.clone(), now)).await?;
    Ok(rows.page(window))
}

async fn list(pools: ReadPools<'_>, query: EmotesQuery, now: DateTime<Utc>) -> Result<Rows<PublicEmote>> {
    let mut connection = pools.postgres().await?;
    let reader = &mut connection.reader();
    let channels = match &query.channel {
        Some(name) => names::channels(reader, query.platform, name).await?,
        None => Vec::new(),
    };
    db::list(reader, &query, &channels, now).await
}

impl PublicStatsEmotesFilter {
    /// Query with the window that is read, and the window of the page.
    fn checked(self) -> Result<(EmotesQuery, Window)> {
        let sort = self.sort.unwrap_or_default();
        let page = PageRequest { page: self.page.map(i64::from), limit: self.limit.map(i64::from) };
        let page = page.check()?;
        let channel = self.channel.map(|name| validate::text("channel", &name, 1, names::MAX_NAME_LENGTH));
        let query = EmotesQuery {
            platform: self.platform.map(Platform::from),
            provider: self.provider,
            channel: channel.transpose()?,
            search: lists::search(self.search.as_deref())?,
            sort,
            order: self.order.unwrap_or_else(|| sort.default_order()),
            range: self.range.unwrap_or_default(),
            window: lists::window(page),
        };
        Ok((query, page))
    }
}

impl PublicStatsEmotesSort {
    const fn default_order(self) -> PublicStatsOrder {
        match self {
            Self::Name => PublicStatsOrder::Asc,
            Self::Usage | Self::Channels => PublicStatsOrder::Desc,
        }
    }
}

impl PublicEmoteProvider {
    /// Stored name.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Twitch => "twitch",
            Self::SevenTv => "7tv",
            Self::Bttv => "bttv",
            Self::Ffz => "ffz",
            Self::Youtube => "youtube",
            Self::Kick => "kick",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_str_is_the_name_of_a_stored_provider() {
        use PublicEmoteProvider as P;
        let names = [P::Twitch, P::SevenTv, P::Bttv, P::Ffz, P::Youtube, P::Kick].map(P::as_str);
        assert_eq!(names, stats_model::emotes::PROVIDERS);
        for name in names {
            let read: PublicEmoteProvider = serde_json::from_value(name.into()).unwrap();
            assert_eq!(read.as_str(), name);
        }
    }
}
