//! Kick: live streams in pages and by users, channels and categories.

use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::{Value, json};

use super::{
    Answer, DirectoryChannel, first, named,
    population::{GAMES, game_id, game_name},
    seeded, seeded_without,
};
use crate::{Platform, User, clock, kick::bearer, refusal::Refusal, state::State};

const MAX_PAGE_SIZE: usize = 1_000;
const MAX_VALUES: usize = 50;
const PLATFORM: Platform = Platform::Kick;

type Query = web::Query<Vec<(String, String)>>;

pub(super) fn configure(routes: &mut web::ServiceConfig) {
    routes
        .route(
            "/kick/api/public/v2/livestreams",
            web::get().guard(seeded_without(PLATFORM, "broadcaster_user_id")).to(streams_page),
        )
        .route(
            "/kick/api/public/v1/users/livestreams",
            web::get().guard(seeded(PLATFORM, &["user_id"])).to(streams_of),
        )
        .route(
            "/kick/api/public/v1/channels",
            web::get().guard(seeded(PLATFORM, &["slug", "broadcaster_user_id"])).to(channels),
        )
        .route(
            "/kick/api/public/v2/categories",
            web::get().guard(seeded_without(PLATFORM, "name")).to(categories),
        );
}

/// Begins with the stream that has been live for the longest time.
async fn streams_page(state: web::Data<State>, request: HttpRequest, query: Query) -> Answer {
    bearer(&state, &request)?;
    let mut inner = state.lock();
    let population = inner.directory.population_mut(PLATFORM).ok_or_else(gone)?;
    population.gate.pass([])?;
    population.gate.count_page();
    let size = first(&query, "limit").and_then(|limit| limit.parse().ok()).unwrap_or(100);
    if size > MAX_PAGE_SIZE {
        return Err(bad("Invalid request: limit"));
    }
    let page = population.page(&named(&query, "language_code"), first(&query, "cursor"), size, false);
    let (live, next) = page.ok_or_else(|| bad("Invalid request: cursor"))?;
    let data: Vec<Value> = population.rows.iter().cloned().chain(live.iter().filter_map(stream)).collect();
    let pagination = json!({ "next_cursor": next.unwrap_or_default() });
    Ok(HttpResponse::Ok().json(json!({ "data": data, "message": "OK", "pagination": pagination })))
}

async fn streams_of(state: web::Data<State>, request: HttpRequest, query: Query) -> Answer {
    bearer(&state, &request)?;
    let ids = named(&query, "user_id");
    if ids.len() > MAX_VALUES {
        return Err(bad("Invalid request: too many ids"));
    }
    let mut inner = state.lock();
    let population = inner.directory.population_mut(PLATFORM).ok_or_else(gone)?;
    population.gate.pass(ids.iter().copied())?;
    population.gate.count_visits(ids.iter().copied());
    let data: Vec<Value> = ids.iter().filter_map(|id| population.by_id(id)).filter_map(stream).collect();
    Ok(HttpResponse::Ok().json(json!({ "data": data, "message": "OK" })))
}

/// By slugs or by ids. An unknown slug is refused.
async fn channels(state: web::Data<State>, request: HttpRequest, query: Query) -> Answer {
    bearer(&state, &request)?;
    let (slugs, ids) = (named(&query, "slug"), named(&query, "broadcaster_user_id"));
    if slugs.len() + ids.len() > MAX_VALUES || !slugs.is_empty() && !ids.is_empty() {
        return Err(bad("Invalid request: too many parameters"));
    }
    let mut inner = state.lock();
    let population = inner.directory.population_mut(PLATFORM).ok_or_else(gone)?;
    population.gate.pass(slugs.iter().chain(&ids).copied())?;
    let mut data: Vec<Value> = ids.iter().filter_map(|id| population.by_id(id)).map(channel).collect();
    for slug in slugs {
        let found = population.by_login(slug).map(channel);
        data.push(found.ok_or_else(|| bad("Invalid request: slug"))?);
    }
    let users = ids.iter().filter_map(|id| inner.user(PLATFORM, id));
    let is_new = |user: &&User| !data.iter().any(|known| known["broadcaster_user_id"] == number(&user.id));
    let users: Vec<Value> = users.filter(is_new).map(of_user).collect();
    data.extend(users);
    Ok(HttpResponse::Ok().json(json!({ "data": data, "message": "OK" })))
}

async fn categories(state: web::Data<State>, request: HttpRequest, query: Query) -> Answer {
    bearer(&state, &request)?;
    let mut inner = state.lock();
    inner.directory.population_mut(PLATFORM).ok_or_else(gone)?.gate.pass([])?;
    let begin: u64 = first(&query, "cursor").and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
    let end = GAMES.min(begin + 100);
    let data: Vec<Value> = (begin..end).map(category).collect();
    let next = if end < GAMES { end.to_string() } else { String::new() };
    Ok(HttpResponse::Ok().json(json!({ "data": data, "pagination": { "next_cursor": next } })))
}

fn stream(channel: &DirectoryChannel) -> Option<Value> {
    let (started_at, broadcast) = channel.live.as_ref()?;
    Some(json!({
        "id": broadcast, "title": channel.title, "viewer_count": channel.viewers, "thumbnail": "",
        "broadcaster_user": {
            "id": number(&channel.id), "username": channel.display_name,
            "profile_picture": format!("https://example.com/{}.png", channel.id),
        },
        "channel": { "slug": channel.login }, "category": category(channel.game),
        "language_code": channel.language, "started_at": clock::seconds(*started_at), "tags": [],
        "has_mature_content": false,
    }))
}

fn channel(channel: &DirectoryChannel) -> Value {
    json!({
        "broadcaster_user_id": number(&channel.id), "slug": channel.login, "channel_description": channel.bio,
        "banner_picture": "", "stream_title": channel.title, "category": category(channel.game),
        "stream": { "is_live": channel.live.is_some(), "viewer_count": channel.viewers },
    })
}

fn of_user(user: &User) -> Value {
    json!({
        "broadcaster_user_id": number(&user.id), "slug": user.login, "channel_description": "",
        "banner_picture": "", "stream_title": "",
    })
}

fn category(game: u64) -> Value {
    json!({ "id": game_id(game), "name": game_name(game), "thumbnail": format!("https://example.com/{game}.webp") })
}

fn number(id: &str) -> u64 {
    id.parse().unwrap_or_default()
}

fn gone() -> Refusal {
    Refusal::of(PLATFORM, 404, "Not found")
}

fn bad(message: &str) -> Refusal {
    Refusal::of(PLATFORM, 400, message)
}
