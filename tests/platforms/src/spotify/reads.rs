//! Reads of the player, the library and the catalogue.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    gate::{PLAYLISTS, READ, query, refuse, user},
    player::{Device, Track, UserPlaylist},
};
use crate::{refusal::Refusal, state::State};

const MAX_PLAYLIST_PAGE: usize = 50;
/// Of an application in development mode.
const MAX_SEARCH_PAGE: usize = 10;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StateQuery {
    #[serde(rename = "market")]
    _market: Option<String>,
    #[serde(rename = "additional_types")]
    _additional_types: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoQuery {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PageQuery {
    limit: Option<usize>,
    offset: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchQuery {
    q: String,
    #[serde(rename = "type")]
    types: String,
    limit: Option<usize>,
    offset: Option<usize>,
    #[serde(rename = "market")]
    _market: Option<String>,
}

/// `GET /v1/me/player`.
pub(super) async fn player(state: web::Data<State>, request: HttpRequest) -> Result<HttpResponse, Refusal> {
    let user = user(&state, &request, Some(READ), true)?;
    let _query: StateQuery = query(&request)?;
    let inner = state.lock();
    let shown = inner.players.by_user.get(&user).and_then(super::player::Player::json);
    Ok(shown.map_or_else(|| HttpResponse::NoContent().finish(), |state| HttpResponse::Ok().json(state)))
}

/// `GET /v1/me/player/devices`.
pub(super) async fn devices(state: web::Data<State>, request: HttpRequest) -> Result<HttpResponse, Refusal> {
    let user = user(&state, &request, Some(READ), true)?;
    let _query: NoQuery = query(&request)?;
    let inner = state.lock();
    let devices =
        inner.players.by_user.get(&user).map(|player| player.devices.as_slice()).unwrap_or_default();
    let devices: Vec<Value> = devices.iter().map(Device::json).collect();
    Ok(HttpResponse::Ok().json(json!({ "devices": devices })))
}

/// `GET /v1/me/player/queue`.
pub(super) async fn queue(state: web::Data<State>, request: HttpRequest) -> Result<HttpResponse, Refusal> {
    let user = user(&state, &request, Some(READ), true)?;
    let _query: NoQuery = query(&request)?;
    let inner = state.lock();
    let player = inner.players.by_user.get(&user).cloned().unwrap_or_default();
    let queue: Vec<Value> = player.queue.iter().map(Track::json).collect();
    let current = player.track.as_ref().map(Track::json);
    Ok(HttpResponse::Ok().json(json!({ "currently_playing": current, "queue": queue })))
}

/// `GET /v1/me/playlists`.
pub(super) async fn library(state: web::Data<State>, request: HttpRequest) -> Result<HttpResponse, Refusal> {
    let user = user(&state, &request, Some(PLAYLISTS), false)?;
    let PageQuery { limit, offset } = query(&request)?;
    let (limit, offset) = (limit.unwrap_or(20), offset.unwrap_or(0));
    if !(1..=MAX_PLAYLIST_PAGE).contains(&limit) {
        return Err(refuse(400, "Invalid limit"));
    }
    let inner = state.lock();
    let library = inner.players.libraries.get(&user).map(Vec::as_slice).unwrap_or_default();
    let items: Vec<Value> = library.iter().skip(offset).take(limit).map(UserPlaylist::json).collect();
    let next = (offset + limit < library.len())
        .then(|| format!("https://api.spotify.com/v1/me/playlists?offset={}&limit={limit}", offset + limit));
    Ok(HttpResponse::Ok().json(json!({
        "href": "https://api.spotify.com/v1/me/playlists",
        "items": items, "limit": limit, "offset": offset, "next": next, "total": library.len(),
    })))
}

/// `GET /v1/search`: tracks only.
pub(super) async fn search(state: web::Data<State>, request: HttpRequest) -> Result<HttpResponse, Refusal> {
    user(&state, &request, None, false)?;
    let SearchQuery { q, types, limit, offset, _market } = query(&request)?;
    let (limit, offset) = (limit.unwrap_or(5), offset.unwrap_or(0));
    if q.trim().is_empty() {
        return Err(refuse(400, "No search query"));
    }
    if types != "track" {
        return Err(refuse(400, "Bad search type field"));
    }
    if !(1..=MAX_SEARCH_PAGE).contains(&limit) {
        return Err(refuse(400, "Invalid limit"));
    }
    let inner = state.lock();
    let wanted = q.to_lowercase();
    let names = |track: &Track| format!("{} {}", track.name, track.artists.join(" ")).to_lowercase();
    let found: Vec<&Track> =
        inner.players.catalogue.iter().filter(|track| names(track).contains(&wanted)).collect();
    let items: Vec<Value> = found.iter().skip(offset).take(limit).map(|track| track.json()).collect();
    Ok(HttpResponse::Ok().json(json!({ "tracks": {
        "href": "https://api.spotify.com/v1/search", "items": items, "limit": limit, "offset": offset,
        "next": null, "previous": null, "total": found.len(),
    } })))
}
