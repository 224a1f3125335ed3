//! Figures of one game (reference/public-stats.md#games).

use std::sync::Arc;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Grants, Visitor},
    graphql::Int64,
};
use chrono::{DateTime, Utc};
use foundation::db::ReadPools;
use juniper::GraphQLObject;
use serde::{Deserialize, Serialize};
use shared::{catalogue::Feature, platform::Platform};
use utoipa::{IntoParams, ToSchema};

use super::{
    PublicGame, db,
    objects::{PublicGameChannel, PublicGameDay},
};
use crate::{
    lists::{self, PublicStatsRange},
    names,
    platforms::supported,
    responses::answer,
};

/// Game of a path.
#[derive(Debug, Clone, Copy)]
pub struct GamePath<'a> {
    /// Platform as written.
    pub platform: &'a str,
    /// The platform's id of the game, as written.
    pub game_id: &'a str,
}

/// Days of the figures of a game.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct GameQuery {
    /// `DAYS_30` when absent.
    #[param(inline)]
    pub range: Option<PublicStatsRange>,
}

/// Game with its channels and its days.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
pub struct PublicGameStats {
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
    /// Channels that are on air in it, most viewers first, at most 25.
    pub top_channels: Vec<PublicGameChannel>,
    /// Days of the range on which a channel was on air in it, oldest first.
    pub viewer_series: Vec<PublicGameDay>,
}

pub static PUBLIC_STATS_GAME: Operation<Visitor> =
    Operation::public("publicStatsGame", Grants::Nothing).feature(Feature::PublicStats);

/// Returns the figures of a game with its channels on air and its viewers by UTC day.
///
/// `If-None-Match` gets 304.
///
/// # Errors
/// 403 `FEATURE_DISABLED` when public statistics are off; 400 for a platform without them, and for an unknown
/// range; 404 for a game that is not known.
#[api_core::operation]
pub async fn public_stats_game(
    cx: &Cx,
    path: GamePath<'_>,
    query: Input<GameQuery>,
) -> Result<Arc<PublicGameStats>> {
    let visitor = cx.authorize(&PUBLIC_STATS_GAME).await?;
    let days = query?.range.unwrap_or_default().days();
    let platform = supported("platform", path.platform)?;
    let id = path.game_id;
    if !names::is_name(id) {
        return Err(not_found());
    }
    let now = cx.state().clock.now();
    let query = format!("game {platform} {id:?} {days}");
    let game = (platform, id.to_owned());
    answer(cx, &visitor, query, move |pools| stats(pools, game.clone(), (now, days))).await
}

async fn stats(
    pools: ReadPools<'_>,
    game: (Platform, String),
    (now, days): (DateTime<Utc>, i16),
) -> Result<PublicGameStats> {
    let mut connection = pools.postgres().await?;
    let (reader, game) = (&mut connection.reader(), (game.0, game.1.as_str()));
    let found = db::find(reader, game, days).await?.ok_or_else(not_found)?;
    let top_channels = db::top_channels(reader, game, days).await?;
    let window = (lists::day_before(now, days), now.date_naive());
    let viewer_series = db::days(reader, game, window).await?;
    Ok(PublicGameStats::of(found, top_channels, viewer_series))
}

impl PublicGameStats {
    fn of(game: PublicGame, top_channels: Vec<PublicGameChannel>, viewer_series: Vec<PublicGameDay>) -> Self {
        Self {
            game_id: game.game_id,
            name: game.name,
            box_art_url: game.box_art_url,
            platform: game.platform,
            live_viewers: game.live_viewers,
            live_channels: game.live_channels,
            avg_viewers: game.avg_viewers,
            peak_viewers: game.peak_viewers,
            hours_watched: game.hours_watched,
            top_channels,
            viewer_series,
        }
    }
}

fn not_found() -> ApiError {
    ApiError::not_found("Game not found")
}
