//! Directory of channels (reference/public-stats.md#browse).

mod db;
pub mod graphql;
pub mod rest;
mod statement;

use api_core::{
    ApiError, Cx, Input, Operation, Page, PageRequest, Result, Timestamp,
    access::{AnyOperation, Grants, Visitor},
    graphql::Int64,
    page::Window,
    validate,
};
use foundation::db::ReadPools;
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use shared::{catalogue::Feature, platform::Platform};
use utoipa::{IntoParams, ToSchema};

use crate::{
    lists::{self, PublicStatsOrder, PublicStatsRange, Rows},
    platforms::PublicStatsPlatform,
    responses::answer,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&PUBLIC_STATS_BROWSE];

const MAX_GAME_LENGTH: usize = 128;
const MAX_LANGUAGE_LENGTH: usize = 16;
const MAX_BROADCASTER_TYPE_LENGTH: usize = 32;

/// Channel in the directory.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
pub struct PublicChannel {
    /// `twitch`, `youtube`, `kick` or `trovo`.
    pub platform: String,
    /// The platform's id of the channel.
    pub platform_channel_id: String,
    /// Login name. Null: not known.
    pub channel_login: Option<String>,
    /// Displayed name. Null: not known.
    pub channel_display_name: Option<String>,
    /// Address of the picture. Null: not known.
    pub avatar_url: Option<String>,
    /// True while the channel is on air.
    pub is_live: bool,
    /// Present viewers. Null: it is not on air.
    pub current_viewers: Option<Int64>,
    /// Present game. Null: it is not on air, or has none.
    pub current_game: Option<String>,
    /// Language. Null: not known.
    pub language: Option<String>,
    /// Average of the viewers in the range; 0 when the channel was not on air.
    pub avg_viewers: f64,
    /// Peak of the viewers in the range; 0 when the channel was not on air.
    pub peak_viewers: Int64,
    /// Followers. Null: not known.
    pub followers: Option<Int64>,
    /// Hours on air in the range.
    pub hours_streamed: f64,
    /// End of the last stream, or the present time of a live one. Null: there was none.
    pub last_streamed_at: Option<Timestamp>,
    /// `first_party` when an account has connected the channel, else `external_crawler`.
    pub source: String,
}

/// Sort key of the directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PublicStatsBrowseSort {
    /// Average of the viewers in the range.
    #[default]
    AvgViewers,
    /// Peak of the viewers in the range.
    PeakViewers,
    /// Followers.
    Followers,
    /// Hours on air in the range.
    HoursStreamed,
    /// Chat messages in the range.
    TotalMessages,
    /// Time of the last stream.
    LastStreamedAt,
}

/// Filter, order and page of the directory.
#[derive(Debug, Clone, Default, Deserialize, IntoParams, GraphQLInputObject)]
#[into_params(parameter_in = Query)]
pub struct PublicStatsBrowseFilter {
    /// Platform; all when absent.
    #[param(inline)]
    pub platform: Option<PublicStatsPlatform>,
    /// Channels on air in this game: its name in any case, with `platform` also its id; 1 to 128 characters.
    #[param(max_length = 128)]
    pub game: Option<String>,
    /// Language of the channel in any case, for example `en`, which also finds `en-us`; 1 to 16 characters.
    #[param(max_length = 16)]
    pub language: Option<String>,
    /// Kind of broadcaster in the words of the platform, for example `partner`; 1 to 32 characters.
    #[param(max_length = 32)]
    pub broadcaster_type: Option<String>,
    /// True: channels on air. False: the others.
    pub is_live: Option<bool>,
    /// Beginning of the login or displayed name, in any case; 2 to 100 characters.
    #[param(max_length = 100)]
    pub search: Option<String>,
    /// Least average of the viewers in the range.
    #[param(minimum = 0, maximum = 2_147_483_647)]
    pub min_viewers: Option<i32>,
    /// Highest average of the viewers in the range.
    #[param(minimum = 0, maximum = 2_147_483_647)]
    pub max_viewers: Option<i32>,
    /// `avg_viewers` when absent.
    #[param(inline)]
    pub sort: Option<PublicStatsBrowseSort>,
    /// `desc` when absent.
    #[param(inline)]
    pub order: Option<PublicStatsOrder>,
    /// `DAYS_30` when absent.
    #[param(inline)]
    pub range: Option<PublicStatsRange>,
    /// Number of the page, from 1; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i32>,
    /// Channels of a page, 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i32>,
}

/// A checked query.
#[derive(Debug, Clone)]
struct BrowseQuery {
    platform: Option<Platform>,
    game: Option<String>,
    language: Option<String>,
    broadcaster_type: Option<String>,
    is_live: Option<bool>,
    search: Option<String>,
    min_viewers: Option<i32>,
    max_viewers: Option<i32>,
    sort: PublicStatsBrowseSort,
    order: PublicStatsOrder,
    range: PublicStatsRange,
    window: Window,
}

pub static PUBLIC_STATS_BROWSE: Operation<Visitor> =
    Operation::public("publicStatsBrowse", Grants::Nothing).feature(Feature::PublicStats);

/// Lists channels with their figures over a range of days.
///
/// A list ends after 10,000 channels, and filters are applied to the first 100,000 of its order. The orders by
/// followers and by the last stream include channels that were not on air in the range. `If-None-Match` gets
/// 304.
///
/// # Errors
/// 403 `FEATURE_DISABLED` when public statistics are off; 400 for an unknown or invalid filter, order or page.
#[api_core::operation]
pub async fn public_stats_browse(
    cx: &Cx,
    filter: Input<PublicStatsBrowseFilter>,
) -> Result<Page<PublicChannel>> {
    let visitor = cx.authorize(&PUBLIC_STATS_BROWSE).await?;
    let (query, window) = filter?.checked()?;
    let name = format!("browse {query:?}");
    let rows = answer(cx, &visitor, name, move |pools| list(pools, query.clone())).await?;
    Ok(rows.page(window))
}

async fn list(pools: ReadPools<'_>, query: BrowseQuery) -> Result<Rows<PublicChannel>> {
    let mut connection = pools.postgres().await?;
    db::list(&mut connection.reader(), &query).await
}

impl PublicStatsBrowseFilter {
    /// Query with the window that is read, and the window of the page.
    fn checked(self) -> Result<(BrowseQuery, Window)> {
        let text = |field: &str, text: Option<String>, max| {
            text.map(|text| validate::text(field, &text, 1, max)).transpose()
        };
        let page = PageRequest { page: self.page.map(i64::from), limit: self.limit.map(i64::from) };
        let page = page.check()?;
        let query = BrowseQuery {
            platform: self.platform.map(Platform::from),
            game: text("game", self.game, MAX_GAME_LENGTH)?,
            language: text("language", self.language, MAX_LANGUAGE_LENGTH)?.map(|text| text.to_lowercase()),
            broadcaster_type: text("broadcaster_type", self.broadcaster_type, MAX_BROADCASTER_TYPE_LENGTH)?,
            is_live: self.is_live,
            search: lists::search(self.search.as_deref())?,
            min_viewers: lists::viewers("min_viewers", self.min_viewers)?,
            max_viewers: lists::viewers("max_viewers", self.max_viewers)?,
            sort: self.sort.unwrap_or_default(),
            order: self.order.unwrap_or(PublicStatsOrder::Desc),
            range: self.range.unwrap_or_default(),
            window: lists::window(page),
        };
        match (query.min_viewers, query.max_viewers) {
            (Some(min), Some(max)) if min > max => {
                Err(ApiError::invalid("min_viewers must not be greater than max_viewers"))
            }
            _ => Ok((query, page)),
        }
    }
}
