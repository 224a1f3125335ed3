//! Directory of games (reference/public-stats.md#games).

mod db;
mod detail;
pub mod graphql;
mod objects;
pub mod rest;
mod statement;

use api_core::{
    Cx, Input, Operation, Page, PageRequest, Result,
    access::{AnyOperation, Grants, Visitor},
    graphql::Int64,
    page::Window,
};
use foundation::db::ReadPools;
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use shared::{catalogue::Feature, platform::Platform};
use utoipa::{IntoParams, ToSchema};

pub use detail::{GamePath, GameQuery, PUBLIC_STATS_GAME, PublicGameStats, public_stats_game};
pub use objects::{PublicGameChannel, PublicGameDay};

use crate::{
    lists::{self, PublicStatsOrder, PublicStatsRange, Rows},
    platforms::PublicStatsPlatform,
    responses::answer,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&PUBLIC_STATS_GAMES, &PUBLIC_STATS_GAME];

/// Game in the directory.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
pub struct PublicGame {
    /// The platform's id.
    pub game_id: String,
    /// Name.
    pub name: String,
    /// Address of the picture. Null: not known.
    pub box_art_url: Option<String>,
    /// `twitch`, `youtube`, `kick` or `trovo`.
    pub platform: String,
    /// Present viewers of all channels.
    pub live_viewers: Int64,
    /// Channels that are on air in it.
    pub live_channels: Int64,
    /// Average of the viewers in the range while a channel was on air in it; 0 when none was.
    pub avg_viewers: f64,
    /// Peak of the viewers in the range; 0 when no channel was on air in it.
    pub peak_viewers: Int64,
    /// Hours that viewers have watched in the range.
    pub hours_watched: f64,
}

/// Sort key of the directory of games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PublicStatsGamesSort {
    /// Present viewers.
    #[default]
    Viewers,
    /// Channels that are on air.
    Channels,
    /// Hours that viewers have watched in the range.
    HoursWatched,
    /// Name.
    Name,
}

/// Filter, order and page of the directory of games.
#[derive(Debug, Clone, Default, Deserialize, IntoParams, GraphQLInputObject)]
#[into_params(parameter_in = Query)]
pub struct PublicStatsGamesFilter {
    /// Platform; all when absent.
    #[param(inline)]
    pub platform: Option<PublicStatsPlatform>,
    /// Beginning of the name, in any case; 2 to 100 characters.
    #[param(max_length = 100)]
    pub search: Option<String>,
    /// `viewers` when absent.
    #[param(inline)]
    pub sort: Option<PublicStatsGamesSort>,
    /// `asc` for the sort key `name` when absent, else `desc`.
    #[param(inline)]
    pub order: Option<PublicStatsOrder>,
    /// `DAYS_30` when absent.
    #[param(inline)]
    pub range: Option<PublicStatsRange>,
    /// Number of the page, from 1; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i32>,
    /// Games of a page, 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i32>,
}

/// A checked query.
#[derive(Debug, Clone)]
struct GamesQuery {
    platform: Option<Platform>,
    search: Option<String>,
    sort: PublicStatsGamesSort,
    order: PublicStatsOrder,
    range: PublicStatsRange,
    window: Window,
}

pub static PUBLIC_STATS_GAMES: Operation<Visitor> =
    Operation::public("publicStatsGames", Grants::Nothing).feature(Feature::PublicStats);

/// Lists games with their present figures and those over a range of days.
///
/// A list ends after 10,000 games. The order by watched hours leaves out games that were not on air in the
/// range. `If-None-Match` gets 304.
///
/// # Errors
/// 403 `FEATURE_DISABLED` when public statistics are off; 400 for an unknown or invalid filter, order or page.
#[api_core::operation]
pub async fn public_stats_games(cx: &Cx, filter: Input<PublicStatsGamesFilter>) -> Result<Page<PublicGame>> {
    let visitor = cx.authorize(&PUBLIC_STATS_GAMES).await?;
    let (query, window) = filter?.checked()?;
    let name = format!("games {query:?}");
    let rows = answer(cx, &visitor, name, move |pools| list(pools, query.clone())).await?;
    Ok(rows.page(window))
}

async fn list(pools: ReadPools<'_>, query: GamesQuery) -> Result<Rows<PublicGame>> {
    let mut connection = pools.postgres().await?;
    db::list(&mut connection.reader(), &query).await
}

impl PublicStatsGamesFilter {
    /// Query with the window that is read, and the window of the page.
    fn checked(self) -> Result<(GamesQuery, Window)> {
        let sort = self.sort.unwrap_or_default();
        let page = PageRequest { page: self.page.map(i64::from), limit: self.limit.map(i64::from) };
        let page = page.check()?;
        let query = GamesQuery {
            platform: self.platform.map(Platform::from),
            search: lists::search(self.search.as_deref())?,
            sort,
            order: self.order.unwrap_or_else(|| sort.default_order()),
            range: self.range.unwrap_or_default(),
            window: lists::window(page),
        };
        Ok((query, page))
    }
}

impl PublicStatsGamesSort {
    const fn default_order(self) -> PublicStatsOrder {
        match self {
            Self::Name => PublicStatsOrder::Asc,
            Self::Viewers | Self::Channels | Self::HoursWatched => PublicStatsOrder::Desc,
        }
    }
}
