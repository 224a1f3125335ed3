//! REST routes of `games`.

use actix_web::{HttpRequest, HttpResponse, get, web::Path};
use api_core::{
    Cx, Result,
    http::{Collection, Enveloped, QueryOf, ServiceConfig, paged, single},
};

use super::{GamePath, GameQuery, PublicGame, PublicGameStats, PublicStatsGamesFilter};
use crate::responses::{tagged, tagged_part};

/// Routes that need no credential.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    config.service(public_stats_games);
    config.service(public_stats_game);
}

#[utoipa::path(tag = "public_stats", operation_id = "publicStatsGames", params(PublicStatsGamesFilter),
    responses((status = 200, body = Collection<PublicGame>), (status = 304)))]
#[get("/v1/public-stats/games")]
async fn public_stats_games(
    cx: Cx,
    request: HttpRequest,
    filter: QueryOf<PublicStatsGamesFilter>,
) -> Result<HttpResponse> {
    tagged_part(&request, &paged(&request, super::public_stats_games(&cx, filter.0).await?))
}

#[utoipa::path(tag = "public_stats", operation_id = "publicStatsGame",
    params(("platform" = String, Path), ("game_id" = String, Path), GameQuery),
    responses((status = 200, body = Enveloped<PublicGameStats>), (status = 304)))]
#[get("/v1/public-stats/games/{platform}/{game_id}")]
async fn public_stats_game(
    cx: Cx,
    request: HttpRequest,
    names: Path<(String, String)>,
    query: QueryOf<GameQuery>,
) -> Result<HttpResponse> {
    let (platform, game_id) = names.into_inner();
    let path = GamePath { platform: &platform, game_id: &game_id };
    let stats = super::public_stats_game(&cx, path, query.0).await?;
    tagged(&request, &single(&request, &*stats).0)
}
