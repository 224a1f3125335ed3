//! Broadcasts on air, and each platform's response about them.

use actix_web::{HttpRequest, HttpResponse, web};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    Platform, clock,
    refusal::Refusal,
    state::{Inner, State},
};

/// A broadcast that is on air.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnAir {
    pub platform: Platform,
    /// The channel; on YouTube the video.
    pub id: String,
    pub title: String,
    pub category: String,
    pub viewers: u64,
    pub started_at: DateTime<Utc>,
}

/// Maximum number of channels in one response of Twitch.
const MAX_TWITCH: usize = 100;
const MAX_KICK: usize = 50;
const MAX_YOUTUBE: usize = 50;

#[derive(Debug, Deserialize)]
pub struct ChannelBody {
    channel_id: String,
}

/// `GET /helix/streams`: the live ones of those that are named.
pub async fn twitch_streams(
    state: web::Data<State>,
    request: HttpRequest,
    query: web::Query<Vec<(String, String)>>,
) -> Result<HttpResponse, Refusal> {
    crate::twitch::helix_token(&state, &request)?;
    let asked = named(&query, "user_id");
    if asked.len() > MAX_TWITCH {
        return Err(Refusal::of(Platform::Twitch, 400, "The parameter \"user_id\" has too many values"));
    }
    let inner = state.lock();
    let data: Vec<Value> = on_air(&inner, Platform::Twitch, &asked)
        .map(|live| {
            let user = inner.user(Platform::Twitch, &live.id);
            json!({
                "id": format!("4{}", live.id), "user_id": live.id, "user_login": user.map(|user| &user.login),
                "user_name": user.map(|user| &user.display_name), "game_id": "1", "game_name": live.category,
                "type": "live", "title": live.title, "tags": [], "viewer_count": live.viewers,
                "started_at": clock::seconds(live.started_at), "language": "en", "thumbnail_url": "",
                "is_mature": false,
            })
        })
        .collect();
    Ok(HttpResponse::Ok().json(json!({ "data": data, "pagination": {} })))
}

/// `GET /public/v2/livestreams`.
pub async fn kick_livestreams(
    state: web::Data<State>,
    request: HttpRequest,
    query: web::Query<Vec<(String, String)>>,
) -> Result<HttpResponse, Refusal> {
    crate::kick::bearer(&state, &request)?;
    let asked = named(&query, "broadcaster_user_id");
    if asked.len() > MAX_KICK {
        return Err(Refusal::of(Platform::Kick, 400, "Invalid request: too many ids"));
    }
    let inner = state.lock();
    let data: Vec<Value> = on_air(&inner, Platform::Kick, &asked)
        .map(|live| {
            let id: u64 = live.id.parse().unwrap_or_default();
            json!({
                "broadcaster_user_id": id, "channel_id": id, "slug": live.id, "stream_title": live.title,
                "category": { "id": 1, "name": live.category, "thumbnail": "" }, "viewer_count": live.viewers,
                "started_at": clock::seconds(live.started_at), "has_mature_content": false, "language": "en",
            })
        })
        .collect();
    Ok(HttpResponse::Ok().json(json!({ "data": data, "message": "OK" })))
}

/// `POST /openplatform/channels/id`: a channel with its broadcast. Needs only an application.
pub async fn trovo_channel(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Json<ChannelBody>,
) -> Result<HttpResponse, Refusal> {
    crate::trovo::require_client(&request)?;
    let inner = state.lock();
    let user = inner.user(Platform::Trovo, &body.channel_id);
    let user = user.ok_or_else(|| Refusal::of(Platform::Trovo, 400, "no such channel"))?;
    let asked = [body.channel_id.as_str()];
    let live = on_air(&inner, Platform::Trovo, &asked).next();
    Ok(HttpResponse::Ok().json(json!({
        "is_live": live.is_some(),
        "category_id": "1",
        "category_name": live.map_or("", |live| &live.category),
        "live_title": live.map_or("", |live| &live.title),
        "audi_type": "CHANNEL_AUDIENCE_TYPE_EVERYONE",
        "language_code": "EN",
        "current_viewers": live.map_or(0, |live| live.viewers),
        "followers": 0,
        "streamer_info": format!("About {}", user.login),
        "profile_pic": user.avatar_url,
        "channel_url": format!("https://trovo.live/{}", user.login),
        "created_at": user.created_at.timestamp().to_string(),
        "started_at": live.map(|live| live.started_at.timestamp().to_string()).unwrap_or_default(),
        "username": user.login,
    })))
}

/// `GET /youtube/v3/videos`: broadcasts by the ids of their videos.
pub async fn youtube_videos(
    state: web::Data<State>,
    request: HttpRequest,
    query: web::Query<Vec<(String, String)>>,
) -> Result<HttpResponse, Refusal> {
    crate::youtube::youtube_user(&state, &request)?;
    let ids = named(&query, "id");
    let asked: Vec<&str> = ids.iter().flat_map(|ids| ids.split(',')).collect();
    if asked.len() > MAX_YOUTUBE {
        return Err(Refusal::of(
            Platform::Youtube,
            400,
            "The request specifies an invalid filter parameter.",
        ));
    }
    let inner = state.lock();
    let items: Vec<Value> = on_air(&inner, Platform::Youtube, &asked)
        .map(|live| {
            json!({
                "kind": "youtube#video", "id": live.id,
                "snippet": { "title": live.title, "liveBroadcastContent": "live" },
                "liveStreamingDetails": {
                    "actualStartTime": clock::seconds(live.started_at),
                    "concurrentViewers": live.viewers.to_string(),
                },
                "statistics": { "viewCount": (live.viewers * 10).to_string(), "likeCount": "7" },
            })
        })
        .collect();
    Ok(HttpResponse::Ok().json(json!({ "kind": "youtube#videoListResponse", "items": items })))
}

fn named<'a>(query: &'a [(String, String)], key: &str) -> Vec<&'a str> {
    query.iter().filter(|(name, _)| name == key).map(|(_, id)| id.as_str()).collect()
}

fn on_air<'a>(inner: &'a Inner, platform: Platform, asked: &'a [&'a str]) -> impl Iterator<Item = &'a OnAir> {
    inner.on_air.iter().filter(move |live| live.platform == platform && asked.contains(&live.id.as_str()))
}
