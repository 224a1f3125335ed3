//! Helix: streams in pages and by ids, users, games, followers and teams.

use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::{Value, json};

use super::{
    Answer, DirectoryChannel, first, named,
    population::{GAMES, game_id, game_name},
    seeded, seeded_without,
};
use crate::{
    Platform, User, clock,
    refusal::Refusal,
    state::{Inner, State},
    twitch::helix_token,
};

const MAX_VALUES: usize = 100;
const PLATFORM: Platform = Platform::Twitch;

type Query = web::Query<Vec<(String, String)>>;

pub(super) fn configure(routes: &mut web::ServiceConfig) {
    routes
        .route("/twitch/api/helix/streams", web::get().guard(seeded(PLATFORM, &["user_id"])).to(streams_of))
        .route(
            "/twitch/api/helix/streams",
            web::get().guard(seeded_without(PLATFORM, "user_id")).to(streams_page),
        )
        .route("/twitch/api/helix/users", web::get().guard(seeded(PLATFORM, &["id", "login"])).to(users))
        .route("/twitch/api/helix/games/top", web::get().guard(seeded_without(PLATFORM, "")).to(top_games))
        .route(
            "/twitch/api/helix/channels/followers",
            web::get().guard(seeded_without(PLATFORM, "user_id")).to(followers),
        )
        .route(
            "/twitch/api/helix/teams/channel",
            web::get().guard(seeded(PLATFORM, &["broadcaster_id"])).to(teams),
        );
}

async fn streams_page(state: web::Data<State>, request: HttpRequest, query: Query) -> Answer {
    helix_token(&state, &request)?;
    let mut inner = state.lock();
    let population = inner.directory.population_mut(PLATFORM).ok_or_else(gone)?;
    population.gate.pass([])?;
    population.gate.count_page();
    let size = first(&query, "first").and_then(|first| first.parse().ok()).unwrap_or(20);
    let languages = named(&query, "language");
    if size > MAX_VALUES || languages.len() > MAX_VALUES {
        return Err(bad("The parameter has too many values"));
    }
    let page = population.page(&languages, first(&query, "after"), size, true);
    let (live, next) = page.ok_or_else(|| bad("Invalid cursor"))?;
    let data: Vec<Value> = population.rows.iter().cloned().chain(live.iter().filter_map(stream)).collect();
    let pagination = next.map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor }));
    Ok(HttpResponse::Ok().json(json!({ "data": data, "pagination": pagination })))
}

/// Streams of these channels: of the directory, and of users on air.
async fn streams_of(state: web::Data<State>, request: HttpRequest, query: Query) -> Answer {
    helix_token(&state, &request)?;
    let ids = named(&query, "user_id");
    if ids.len() > MAX_VALUES {
        return Err(bad("The parameter \"user_id\" has too many values"));
    }
    let mut inner = state.lock();
    let population = inner.directory.population_mut(PLATFORM).ok_or_else(gone)?;
    population.gate.pass(ids.iter().copied())?;
    population.gate.count_visits(ids.iter().copied());
    let live = ids.iter().filter_map(|id| population.by_id(id));
    let mut data: Vec<Value> = live.filter_map(stream).collect();
    data.extend(ids.iter().filter_map(|id| on_air(&inner, id)));
    Ok(HttpResponse::Ok().json(json!({ "data": data, "pagination": {} })))
}

async fn users(state: web::Data<State>, request: HttpRequest, query: Query) -> Answer {
    helix_token(&state, &request)?;
    let (ids, logins) = (named(&query, "id"), named(&query, "login"));
    if ids.len() + logins.len() > MAX_VALUES {
        return Err(bad("The number of id and login values must not exceed 100"));
    }
    let mut inner = state.lock();
    let population = inner.directory.population_mut(PLATFORM).ok_or_else(gone)?;
    population.gate.pass(ids.iter().chain(&logins).copied())?;
    let mut data: Vec<Value> = Vec::new();
    data.extend(ids.iter().filter_map(|id| population.by_id(id)).map(user));
    data.extend(logins.iter().filter_map(|login| population.by_login(login)).map(user));
    let others = ids.iter().filter_map(|id| inner.user(PLATFORM, id));
    let others = others.chain(logins.iter().filter_map(|login| inner.user_by_login(PLATFORM, login)));
    // A user may stand behind a channel of the directory.
    let is_new = |user: &&User| !data.iter().any(|known| known["id"] == user.id);
    let others: Vec<Value> = others.filter(is_new).map(of_user).collect();
    data.extend(others);
    Ok(HttpResponse::Ok().json(json!({ "data": data })))
}

async fn top_games(state: web::Data<State>, request: HttpRequest, query: Query) -> Answer {
    helix_token(&state, &request)?;
    let mut inner = state.lock();
    inner.directory.population_mut(PLATFORM).ok_or_else(gone)?.gate.pass([])?;
    let begin: u64 = first(&query, "after").and_then(|after| after.parse().ok()).unwrap_or(0);
    let end = GAMES.min(begin + 100);
    let game = |game: u64| {
        json!({ "id": game_id(game).to_string(), "name": game_name(game), "igdb_id": "",
                "box_art_url": format!("https://example.com/{game}-{{width}}x{{height}}.jpg") })
    };
    let data: Vec<Value> = (begin..end).map(game).collect();
    let pagination = if end < GAMES { json!({ "cursor": end.to_string() }) } else { json!({}) };
    Ok(HttpResponse::Ok().json(json!({ "data": data, "pagination": pagination })))
}

/// The number alone: the list is for the channel itself.
async fn followers(state: web::Data<State>, request: HttpRequest, query: Query) -> Answer {
    helix_token(&state, &request)?;
    let id =
        first(&query, "broadcaster_id").ok_or_else(|| bad("The broadcaster_id parameter is required"))?;
    let mut inner = state.lock();
    let population = inner.directory.population_mut(PLATFORM).ok_or_else(gone)?;
    population.gate.pass([id])?;
    let total = population.by_id(id).map_or(7, |channel| channel.followers);
    Ok(HttpResponse::Ok().json(json!({ "total": total, "data": [], "pagination": {} })))
}

async fn teams(state: web::Data<State>, request: HttpRequest, query: Query) -> Answer {
    helix_token(&state, &request)?;
    let id = first(&query, "broadcaster_id").unwrap_or_default();
    let mut inner = state.lock();
    let population = inner.directory.population_mut(PLATFORM).ok_or_else(gone)?;
    population.gate.pass([id])?;
    let teams = population.by_id(id).map(|channel| channel.teams.clone()).unwrap_or_default();
    let team = |name: &String| json!({ "id": "1", "team_name": name, "team_display_name": name, "info": "" });
    // Twitch sends null in place of an empty list here.
    let data = if teams.is_empty() { Value::Null } else { teams.iter().map(team).collect() };
    Ok(HttpResponse::Ok().json(json!({ "data": data })))
}

fn stream(channel: &DirectoryChannel) -> Option<Value> {
    let (started_at, broadcast) = channel.live.as_ref()?;
    Some(json!({
        "id": broadcast, "user_id": channel.id, "user_login": channel.login, "user_name": channel.display_name,
        "game_id": game_id(channel.game).to_string(), "game_name": game_name(channel.game), "type": "live",
        "title": channel.title, "tags": [], "viewer_count": channel.viewers,
        "started_at": clock::seconds(*started_at), "language": channel.language,
        "thumbnail_url": "https://example.com/{width}x{height}.jpg", "tag_ids": [], "is_mature": false,
    }))
}

fn on_air(inner: &Inner, id: &str) -> Option<Value> {
    let live = inner.on_air.iter().find(|live| live.platform == PLATFORM && live.id == id)?;
    let user = inner.user(PLATFORM, id);
    Some(json!({
        "id": format!("4{id}"), "user_id": id, "user_login": user.map(|user| &user.login),
        "user_name": user.map(|user| &user.display_name), "game_id": "1", "game_name": live.category,
        "type": "live", "title": live.title, "tags": [], "viewer_count": live.viewers,
        "started_at": clock::seconds(live.started_at), "language": "en", "thumbnail_url": "", "is_mature": false,
    }))
}

fn user(channel: &DirectoryChannel) -> Value {
    json!({
        "id": channel.id, "login": channel.login, "display_name": channel.display_name, "type": "",
        "broadcaster_type": "partner", "description": channel.bio,
        "profile_image_url": format!("https://example.com/{}.png", channel.id), "offline_image_url": "",
        "view_count": 0, "created_at": "2020-01-01T00:00:00Z",
    })
}

fn of_user(user: &User) -> Value {
    json!({
        "id": user.id, "login": user.login, "display_name": user.display_name, "type": "",
        "broadcaster_type": "affiliate", "description": "", "profile_image_url": user.avatar_url,
    })
}

fn gone() -> Refusal {
    Refusal::of(PLATFORM, 404, "Not Found")
}

fn bad(message: &str) -> Refusal {
    Refusal::of(PLATFORM, 400, message)
}
