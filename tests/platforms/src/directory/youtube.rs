//! YouTube Data API: channels, uploads, videos and categories. There is no list of live channels.

use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::{Value, json};

use super::{
    Answer, DirectoryChannel, first,
    population::{GAMES, game_id, game_name},
    seeded,
};
use crate::{
    Platform, User, clock,
    refusal::Refusal,
    state::State,
    youtube::{channel_id, youtube_user},
};

const MAX_VALUES: usize = 50;
const PLATFORM: Platform = Platform::Youtube;

type Query = web::Query<Vec<(String, String)>>;

pub(super) fn configure(routes: &mut web::ServiceConfig) {
    routes
        .route(
            "/youtube/api/youtube/v3/channels",
            web::get().guard(seeded(PLATFORM, &["id", "forHandle"])).to(channels),
        )
        .route(
            "/youtube/api/youtube/v3/playlistItems",
            web::get().guard(seeded(PLATFORM, &["playlistId"])).to(uploads),
        )
        .route("/youtube/api/youtube/v3/videos", web::get().guard(seeded(PLATFORM, &["id"])).to(videos))
        .route(
            "/youtube/api/youtube/v3/videoCategories",
            web::get().guard(seeded(PLATFORM, &["regionCode"])).to(categories),
        );
}

async fn channels(state: web::Data<State>, request: HttpRequest, query: Query) -> Answer {
    youtube_user(&state, &request)?;
    let ids: Vec<&str> = first(&query, "id").map(|ids| ids.split(',').collect()).unwrap_or_default();
    let handle = first(&query, "forHandle").map(|handle| handle.trim_start_matches('@'));
    if ids.len() > MAX_VALUES {
        return Err(bad("The request specifies an invalid filter parameter."));
    }
    let mut inner = state.lock();
    let population = inner.directory.population_mut(PLATFORM).ok_or_else(gone)?;
    population.gate.pass(ids.iter().copied().chain(handle))?;
    let mut items: Vec<Value> = ids.iter().filter_map(|id| population.by_id(id)).map(channel).collect();
    items.extend(handle.and_then(|handle| population.by_login(handle)).map(channel));
    let is_asked = |user: &&User| user.platform == PLATFORM && ids.contains(&channel_id(user).as_str());
    items.extend(inner.users.iter().filter(is_asked).map(of_user));
    let mut answer = json!({ "kind": "youtube#channelListResponse" });
    if !items.is_empty() {
        answer["items"] = json!(items);
    }
    Ok(HttpResponse::Ok().json(answer))
}

/// The broadcast of a live channel, and an ordinary video.
async fn uploads(state: web::Data<State>, request: HttpRequest, query: Query) -> Answer {
    youtube_user(&state, &request)?;
    let playlist = first(&query, "playlistId").unwrap_or_default();
    let mut inner = state.lock();
    let population = inner.directory.population_mut(PLATFORM).ok_or_else(gone)?;
    let id = playlist.replacen("UU", "UC", 1);
    population.gate.pass([id.as_str()])?;
    population.gate.count_visits([id.as_str()]);
    let channel = population.by_id(&id).ok_or_else(|| Refusal::of(PLATFORM, 404, "playlistNotFound"))?;
    let videos = channel.live.iter().map(|(_, broadcast)| broadcast.clone()).chain([format!("video-{id}")]);
    let items: Vec<Value> = videos
        .map(|video| json!({ "kind": "youtube#playlistItem", "contentDetails": { "videoId": video } }))
        .collect();
    Ok(HttpResponse::Ok().json(json!({ "kind": "youtube#playlistItemListResponse", "items": items })))
}

async fn videos(state: web::Data<State>, request: HttpRequest, query: Query) -> Answer {
    youtube_user(&state, &request)?;
    let ids: Vec<&str> = first(&query, "id").map(|ids| ids.split(',').collect()).unwrap_or_default();
    if ids.len() > MAX_VALUES {
        return Err(bad("The request specifies an invalid filter parameter."));
    }
    let mut inner = state.lock();
    let population = inner.directory.population_mut(PLATFORM).ok_or_else(gone)?;
    population.gate.pass([])?;
    let mut items = Vec::new();
    for id in ids {
        if let Some(channel) = population.by_broadcast(id) {
            items.extend(broadcast(channel));
        } else if id.starts_with("video-") {
            items.push(json!({
                "kind": "youtube#video", "id": id,
                "snippet": { "channelId": id.trim_start_matches("video-"), "title": "A video",
                             "liveBroadcastContent": "none" },
            }));
        }
    }
    Ok(HttpResponse::Ok().json(json!({ "kind": "youtube#videoListResponse", "items": items })))
}

async fn categories(state: web::Data<State>, request: HttpRequest) -> Answer {
    youtube_user(&state, &request)?;
    state.lock().directory.population_mut(PLATFORM).ok_or_else(gone)?.gate.pass([])?;
    let category = |game: u64| {
        json!({ "kind": "youtube#videoCategory", "id": game_id(game).to_string(),
                "snippet": { "title": game_name(game), "assignable": true } })
    };
    let items: Vec<Value> = (0..GAMES).map(category).collect();
    Ok(HttpResponse::Ok().json(json!({ "kind": "youtube#videoCategoryListResponse", "items": items })))
}

fn channel(channel: &DirectoryChannel) -> Value {
    json!({
        "kind": "youtube#channel", "id": channel.id,
        "snippet": {
            "title": channel.display_name, "description": channel.bio,
            "customUrl": format!("@{}", channel.login), "publishedAt": "2020-01-01T00:00:00Z",
            "thumbnails": { "default": { "url": format!("https://example.com/{}.png", channel.id) } },
        },
        "statistics": { "subscriberCount": channel.followers.to_string(), "hiddenSubscriberCount": false },
        "contentDetails": { "relatedPlaylists": { "uploads": channel.id.replacen("UC", "UU", 1) } },
    })
}

fn of_user(user: &User) -> Value {
    json!({
        "kind": "youtube#channel", "id": channel_id(user),
        "snippet": { "title": user.display_name, "description": "", "customUrl": format!("@{}", user.login) },
        "statistics": { "subscriberCount": "7", "hiddenSubscriberCount": false },
    })
}

fn broadcast(channel: &DirectoryChannel) -> Option<Value> {
    let (started_at, broadcast) = channel.live.as_ref()?;
    Some(json!({
        "kind": "youtube#video", "id": broadcast,
        "snippet": {
            "channelId": channel.id, "channelTitle": channel.display_name, "title": channel.title,
            "categoryId": game_id(channel.game).to_string(), "defaultAudioLanguage": channel.language,
            "liveBroadcastContent": "live",
        },
        "liveStreamingDetails": {
            "actualStartTime": clock::seconds(*started_at), "concurrentViewers": channel.viewers.to_string(),
        },
    }))
}

fn gone() -> Refusal {
    Refusal::of(PLATFORM, 404, "Not Found")
}

fn bad(message: &str) -> Refusal {
    Refusal::of(PLATFORM, 400, message)
}
