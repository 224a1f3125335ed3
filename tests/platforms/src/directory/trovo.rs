//! Trovo: live channels in pages, single channels, users and categories.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Answer, DirectoryChannel,
    population::{GAMES, game_id, game_name},
    seeded_without,
};
use crate::{Platform, on_air, refusal::Refusal, state::State, trovo::require_client};

const MAX_PAGE_SIZE: usize = 100;
const PLATFORM: Platform = Platform::Trovo;

#[derive(Debug, Deserialize)]
struct PageBody {
    limit: Option<usize>,
    token: Option<String>,
    cursor: Option<usize>,
}

#[derive(Debug, Deserialize)]
struct ChannelBody {
    channel_id: String,
}

#[derive(Debug, Deserialize)]
struct UsersBody {
    user: Vec<String>,
}

pub(super) fn configure(routes: &mut web::ServiceConfig) {
    let guard = || seeded_without(PLATFORM, "");
    routes
        .route("/trovo/api/openplatform/gettopchannels", web::post().guard(guard()).to(streams_page))
        .route("/trovo/api/openplatform/channels/id", web::post().guard(guard()).to(channel_details))
        .route("/trovo/api/openplatform/getusers", web::post().guard(guard()).to(users))
        .route("/trovo/api/openplatform/categorys/top", web::get().guard(guard()).to(categories));
}

/// The token names the list, the cursor counts its pages.
async fn streams_page(state: web::Data<State>, request: HttpRequest, body: web::Json<PageBody>) -> Answer {
    require_client(&request)?;
    let mut inner = state.lock();
    let population = inner.directory.population_mut(PLATFORM).ok_or_else(gone)?;
    population.gate.pass([])?;
    population.gate.count_page();
    let size = body.limit.unwrap_or(20);
    if size > MAX_PAGE_SIZE {
        return Err(bad("limit must be at most 100"));
    }
    let cursor = body.cursor.unwrap_or(0);
    let after = body.token.as_ref().map(|token| format!("{token}.{}", cursor * size));
    let page = population.page(&[], after.as_deref(), size, true);
    let (live, next) = page.ok_or_else(|| bad("invalid token"))?;
    let token = next.as_deref().and_then(|next| next.split('.').next()).map(str::to_owned);
    let token = token.or_else(|| body.token.clone()).unwrap_or_default();
    let lists: Vec<Value> = population.rows.iter().cloned().chain(live.iter().filter_map(listed)).collect();
    let total_page = if next.is_some() { cursor + 2 } else { cursor + 1 };
    Ok(HttpResponse::Ok().json(json!({
        "total_page": total_page, "token": token, "cursor": cursor + 1, "top_channels_lists": lists,
    })))
}

/// A channel of the directory, else one of a user.
async fn channel_details(state: web::Data<State>, request: HttpRequest, body: web::Bytes) -> Answer {
    require_client(&request)?;
    let asked: ChannelBody = serde_json::from_slice(&body).map_err(|_error| bad("channel_id is required"))?;
    let (found, held) = {
        let mut inner = state.lock();
        let population = inner.directory.population_mut(PLATFORM).ok_or_else(gone)?;
        population.gate.pass([asked.channel_id.as_str()])?;
        population.gate.count_visits([asked.channel_id.as_str()]);
        (population.by_id(&asked.channel_id).map(details), population.gate.take_hold())
    };
    if let Some(held) = held {
        held.wait(&asked.channel_id).await;
    }
    if let Some(found) = found {
        return Ok(HttpResponse::Ok().json(found));
    }
    let body = serde_json::from_slice(&body).map_err(|_error| bad("channel_id is required"))?;
    on_air::trovo_channel(state, request, web::Json(body)).await
}

async fn users(state: web::Data<State>, request: HttpRequest, body: web::Json<UsersBody>) -> Answer {
    require_client(&request)?;
    let held = {
        let mut inner = state.lock();
        let population = inner.directory.population_mut(PLATFORM).ok_or_else(gone)?;
        population.gate.pass(body.user.iter().map(String::as_str))?;
        population.gate.take_hold()
    };
    if let Some(held) = held {
        held.wait(&body.user.join(",")).await;
    }
    let inner = state.lock();
    let population = inner.directory.population(PLATFORM).ok_or_else(gone)?;
    let found = body.user.iter().filter_map(|name| population.by_login(name));
    let mut users: Vec<Value> = found
        .map(|channel| {
            json!({ "user_id": format!("1{}", channel.id), "username": channel.login,
                    "nickname": channel.display_name, "channel_id": channel.id })
        })
        .collect();
    users.extend(body.user.iter().filter_map(|name| inner.user_by_login(PLATFORM, name)).map(|user| {
        json!({ "user_id": user.id, "username": user.login, "nickname": user.display_name, "channel_id": user.id })
    }));
    Ok(HttpResponse::Ok().json(json!({ "total": users.len(), "users": users })))
}

async fn categories(state: web::Data<State>, request: HttpRequest) -> Answer {
    require_client(&request)?;
    state.lock().directory.population_mut(PLATFORM).ok_or_else(gone)?.gate.pass([])?;
    let category = |game: u64| {
        json!({ "id": game_id(game).to_string(), "name": game_name(game), "short_name": "", "desc": "",
                "icon_url": format!("https://example.com/{game}.png") })
    };
    let categories: Vec<Value> = (0..GAMES).map(category).collect();
    Ok(HttpResponse::Ok().json(json!({ "category_info": categories, "has_more": false })))
}

fn listed(channel: &DirectoryChannel) -> Option<Value> {
    let (started_at, _) = channel.live.as_ref()?;
    Some(json!({
        "is_live": true, "channel_id": channel.id, "streamer_user_id": format!("1{}", channel.id),
        "username": channel.login, "nick_name": channel.display_name, "title": channel.title,
        "category_id": game_id(channel.game).to_string(), "category_name": game_name(channel.game),
        "audi_type": "CHANNEL_AUDIENCE_TYPE_FAMILYFRIENDLY", "language_code": channel.language.to_uppercase(),
        "current_viewers": channel.viewers, "num_followers": channel.followers,
        "profile_pic": format!("https://example.com/{}.png", channel.id),
        "stream_started_at": started_at.timestamp().to_string(), "social_links": social_links(channel),
    }))
}

fn details(channel: &DirectoryChannel) -> Value {
    let started_at = channel.live.as_ref().map(|(at, _)| at.timestamp().to_string()).unwrap_or_default();
    json!({
        "is_live": channel.live.is_some(), "category_id": game_id(channel.game).to_string(),
        "category_name": game_name(channel.game), "live_title": channel.title,
        "language_code": channel.language.to_uppercase(),
        "current_viewers": if channel.live.is_some() { channel.viewers } else { 0 },
        "followers": channel.followers, "streamer_info": channel.bio, "username": channel.login,
        "profile_pic": format!("https://example.com/{}.png", channel.id),
        "channel_url": format!("https://trovo.live/{}", channel.login), "created_at": "1577836800",
        "started_at": started_at, "social_links": social_links(channel),
    })
}

fn social_links(channel: &DirectoryChannel) -> Vec<Value> {
    channel.links.iter().map(|url| json!({ "type": "Other", "url": url })).collect()
}

fn gone() -> Refusal {
    Refusal::of(PLATFORM, 404, "not found")
}

fn bad(message: &str) -> Refusal {
    Refusal::of(PLATFORM, 400, message)
}
