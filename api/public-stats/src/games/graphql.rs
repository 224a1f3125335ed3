//! GraphQL fields of `games`.

use api_core::{Cx, Result, graphql_page};
use juniper::graphql_object;

use super::{GamePath, GameQuery, PublicGame, PublicGameStats, PublicStatsGamesFilter};
use crate::PublicStatsRange;

/// Query fields.
pub struct PublicGameQueries;

graphql_page! {
    /// Page of the directory of games.
    PublicGamePage of PublicGame
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl PublicGameQueries {
    async fn public_stats_games(ctx: &Cx, filter: Option<PublicStatsGamesFilter>) -> Result<PublicGamePage> {
        Ok(super::public_stats_games(ctx, Ok(filter.unwrap_or_default())).await?.into())
    }

    async fn public_stats_game(
        ctx: &Cx,
        platform: String,
        game_id: String,
        range: Option<PublicStatsRange>,
    ) -> Result<PublicGameStats> {
        let path = GamePath { platform: &platform, game_id: &game_id };
        Ok((*super::public_stats_game(ctx, path, Ok(GameQuery { range })).await?).clone())
    }
}
