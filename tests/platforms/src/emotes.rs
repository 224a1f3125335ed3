//! Emotes as platforms and the other providers publish them. Every channel of a platform has one emote of each
//! provider; for an unknown one the provider replies in its own way.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    Platform, User,
    discord::BOT_TOKEN,
    oauth,
    refusal::Refusal,
    state::{Inner, State},
    trovo::require_client,
    twitch::helix_token,
    youtube::channel_id,
};

const TWITCH_TEMPLATE: &str =
    "https://static-cdn.jtvnw.net/emoticons/v2/{{id}}/{{format}}/{{theme_mode}}/{{scale}}";

#[derive(Debug, Deserialize)]
struct OfBroadcaster {
    broadcaster_id: String,
}

#[derive(Debug, Deserialize)]
struct TrovoEmotes {
    emote_type: u8,
    #[serde(default)]
    channel_id: Vec<String>,
}

pub(crate) fn configure(routes: &mut web::ServiceConfig) {
    routes
        .route("/twitch/api/helix/chat/emotes", web::get().to(twitch_channel))
        .route("/twitch/api/helix/chat/emotes/global", web::get().to(twitch_global))
        .route("/twitch/emotes/7tv/v3/emote-sets/global", web::get().to(seventv_global))
        .route("/twitch/emotes/7tv/v3/users/{platform}/{id}", web::get().to(seventv_user))
        .route("/twitch/emotes/bttv/3/cached/emotes/global", web::get().to(bttv_global))
        .route("/twitch/emotes/bttv/3/cached/users/{platform}/{id}", web::get().to(bttv_user))
        .route("/twitch/emotes/ffz/v1/set/global", web::get().to(ffz_global))
        .route("/twitch/emotes/ffz/v1/room/id/{id}", web::get().to(ffz_room))
        .route("/youtube/emotes/youtube/img/emojis/emojis-svg-9.json", web::get().to(youtube_emojis))
        .route("/kick/emotes/emotes/{slug}", web::get().to(kick_emotes))
        .route("/trovo/api/openplatform/getemotes", web::post().to(trovo_emotes))
        .route("/discord/api/v10/guilds/{guild_id}/emojis", web::get().to(discord_emojis));
}

/// The variables that lead to the providers that are no platform's API.
pub(crate) fn environment(url: &str) -> [(String, String); 5] {
    [
        ("LUMIO_SEVENTV_API_URL".into(), format!("{url}/twitch/emotes/7tv")),
        ("LUMIO_BTTV_API_URL".into(), format!("{url}/twitch/emotes/bttv")),
        ("LUMIO_FFZ_API_URL".into(), format!("{url}/twitch/emotes/ffz")),
        ("LUMIO_YOUTUBE_EMOJI_URL".into(), format!("{url}/youtube/emotes")),
        ("LUMIO_KICK_EMOTES_URL".into(), format!("{url}/kick/emotes")),
    ]
}

async fn twitch_channel(
    state: web::Data<State>,
    request: HttpRequest,
    asked: web::Query<OfBroadcaster>,
) -> Result<HttpResponse, Refusal> {
    helix_token(&state, &request)?;
    let inner = state.lock();
    let user = inner.user(Platform::Twitch, &asked.broadcaster_id);
    let emotes =
        user.map(|user| twitch_emote(&format!("emotesv2_{}", user.id), &format!("{}Hype", user.login)));
    Ok(twitch_answer(emotes.into_iter().collect()))
}

async fn twitch_global(state: web::Data<State>, request: HttpRequest) -> Result<HttpResponse, Refusal> {
    helix_token(&state, &request)?;
    Ok(twitch_answer(vec![json!({
        "id": "25", "name": "Kappa", "format": ["static"], "scale": ["1.0", "2.0", "3.0"],
        "theme_mode": ["light", "dark"], "images": {},
    })]))
}

fn twitch_emote(id: &str, name: &str) -> Value {
    json!({
        "id": id, "name": name, "tier": "1000", "emote_type": "subscriptions", "emote_set_id": "1",
        "format": ["static", "animated"], "scale": ["1.0", "2.0", "3.0"], "theme_mode": ["light", "dark"],
        "images": {},
    })
}

fn twitch_answer(data: Vec<Value>) -> HttpResponse {
    HttpResponse::Ok().json(json!({ "data": data, "template": TWITCH_TEMPLATE }))
}

async fn seventv_global() -> HttpResponse {
    HttpResponse::Ok().json(seventv_set("global", vec![seventv_emote("01GLOBAL", "EZ", false)]))
}

async fn seventv_user(state: web::Data<State>, path: web::Path<(String, String)>) -> HttpResponse {
    let (platform, id) = path.into_inner();
    let inner = state.lock();
    let Some(user) = channel(&inner, &platform, &id) else {
        return HttpResponse::NotFound().json(json!({ "status_code": 404, "error": "Unknown User" }));
    };
    let emotes = vec![seventv_emote(&format!("01{}", user.id), &format!("{}Jam", user.login), true)];
    HttpResponse::Ok().json(json!({
        "id": id, "platform": platform.to_uppercase(), "username": user.login,
        "emote_set": seventv_set("channel", emotes),
    }))
}

fn seventv_set(name: &str, emotes: Vec<Value>) -> Value {
    json!({ "id": name, "name": name, "emote_count": emotes.len(), "emotes": emotes })
}

fn seventv_emote(id: &str, name: &str, animated: bool) -> Value {
    let file = |size: &str, format: &str| {
        let name = format!("{size}.{}", format.to_lowercase());
        json!({ "name": name, "static_name": name, "width": 32, "height": 32, "frame_count": 1, "size": 1000,
                "format": format })
    };
    json!({
        "id": id, "name": name, "flags": 0, "timestamp": 0, "actor_id": null,
        "data": {
            "id": id, "name": name, "flags": 0, "animated": animated, "listed": true,
            "host": {
                "url": format!("//cdn.7tv.app/emote/{id}"),
                "files": [file("1x", "AVIF"), file("1x", "WEBP"), file("4x", "AVIF"), file("4x", "WEBP")],
            },
        },
    })
}

async fn bttv_global() -> HttpResponse {
    HttpResponse::Ok().json(json!([bttv_emote("54fa8f1401e468494b85b537", ":tf:", "png", false)]))
}

async fn bttv_user(state: web::Data<State>, path: web::Path<(String, String)>) -> HttpResponse {
    let (platform, id) = path.into_inner();
    let inner = state.lock();
    let Some(user) = channel(&inner, &platform, &id) else {
        return HttpResponse::NotFound().json(json!({ "message": "Not Found" }));
    };
    HttpResponse::Ok().json(json!({
        "id": "b", "bots": [], "avatar": "",
        "channelEmotes": [bttv_emote(&format!("c{}", user.id), &format!("{}Own", user.login), "gif", true)],
        "sharedEmotes": [bttv_emote(&format!("s{}", user.id), &format!("{}Shared", user.login), "png", false)],
    }))
}

fn bttv_emote(id: &str, code: &str, image_type: &str, animated: bool) -> Value {
    json!({ "id": id, "code": code, "imageType": image_type, "animated": animated, "userId": "u" })
}

async fn ffz_global() -> HttpResponse {
    HttpResponse::Ok().json(json!({
        "default_sets": [3],
        "sets": {
            "3": { "id": 3, "emoticons": [ffz_emote(28136, "LilZ", false)] },
            "4330": { "id": 4330, "emoticons": [ffz_emote(1, "OnlyForSome", false)] },
        },
        "users": {},
    }))
}

async fn ffz_room(state: web::Data<State>, id: web::Path<String>) -> HttpResponse {
    let inner = state.lock();
    let Some(user) = inner.user(Platform::Twitch, &id) else {
        return HttpResponse::NotFound()
            .json(json!({ "status": 404, "error": "Not Found", "message": "No such room" }));
    };
    let number = user.id.parse().unwrap_or(7);
    HttpResponse::Ok().json(json!({
        "room": { "_id": 1, "twitch_id": number, "id": user.login, "set": 9 },
        "sets": { "9": { "id": 9, "emoticons": [ffz_emote(number, &format!("{}Wave", user.login), true)] } },
    }))
}

fn ffz_emote(id: u64, name: &str, animated: bool) -> Value {
    let urls = |kind: &str| {
        json!({ "1": format!("https://cdn.frankerfacez.com/emote/{id}{kind}/1"),
                "4": format!("https://cdn.frankerfacez.com/emote/{id}{kind}/4") })
    };
    let mut emote = json!({ "id": id, "name": name, "height": 32, "width": 32, "urls": urls("") });
    if animated {
        emote["animated"] = urls("/animated");
    }
    emote
}

async fn youtube_emojis() -> HttpResponse {
    HttpResponse::Ok().json(json!([{
        "emojiId": "UCkszU2WH9gy1mb0dV-11UJg/CIW60IPp_dYCFcuqTgodEu4IlQ",
        "shortcuts": [":yt:"], "searchTerms": ["yt"], "isCustomEmoji": true,
        "image": { "thumbnails": [{ "url": "https://yt3.ggpht.com/yt=w24-h24-c-k-nd" },
                                  { "url": "https://yt3.ggpht.com/yt=w48-h48-c-k-nd" }] },
    }]))
}

/// Global parts in addition to the channel's own, as in Kick's public list.
async fn kick_emotes(state: web::Data<State>, slug: web::Path<String>) -> HttpResponse {
    let inner = state.lock();
    let global = json!({ "id": "Global", "name": "Global",
                         "emotes": [{ "id": 37226, "channel_id": null, "name": "KEKW", "subscribers_only": false }] });
    let mut parts = vec![global];
    if let Some(user) = inner.user_by_login(Platform::Kick, &slug) {
        let number: u64 = user.id.parse().unwrap_or_default();
        parts.push(json!({ "id": number, "slug": user.login, "user_id": number,
            "emotes": [{ "id": number, "channel_id": number, "name": format!("{}Cheer", user.login),
                         "subscribers_only": true }] }));
    } else if slug.as_str() != "kick" {
        return HttpResponse::NotFound().json(json!({ "message": "Not Found" }));
    }
    HttpResponse::Ok().json(parts)
}

async fn trovo_emotes(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Json<TrovoEmotes>,
) -> Result<HttpResponse, Refusal> {
    require_client(&request)?;
    if body.emote_type > 2 {
        return Err(Refusal::of(Platform::Trovo, 400, "invalid emote_type"));
    }
    let inner = state.lock();
    let users = body.channel_id.iter().filter_map(|id| inner.user(Platform::Trovo, id));
    let channel: Vec<Value> = users
        .map(|user| {
            json!({ "channel_id": user.id, "emotes": [{ "name": format!("{}_hi", user.login), "description": "",
                "url": "https://img.trovo.live/emotes/1.png", "status": "normal",
                "gifp": "https://img.trovo.live/emotes/1.gif", "webp": "", "updateTime": "0" }] })
        })
        .collect();
    Ok(HttpResponse::Ok().json(json!({
        "channels": {
            "customizedEmotes": { "channel": channel },
            "eventEmotes": [],
            "globalEmotes": [{ "name": "hi", "description": "", "url": "https://img.trovo.live/emotes/hi.png" }],
        },
    })))
}

async fn discord_emojis(request: HttpRequest, guild_id: web::Path<String>) -> Result<HttpResponse, Refusal> {
    if oauth::authorization(&request, "Bot") != Some(BOT_TOKEN) {
        return Err(Refusal::of(Platform::Discord, 401, "401: Unauthorized"));
    }
    Ok(HttpResponse::Ok().json(json!([
        { "id": format!("{guild_id}1"), "name": "blobwave", "animated": true, "available": true, "roles": [] },
    ])))
}

/// The channel of a platform, by the id that the platform's chat uses.
fn channel<'a>(inner: &'a Inner, platform: &str, id: &str) -> Option<&'a User> {
    let platform = Platform::ALL.into_iter().find(|known| known.slug() == platform)?;
    inner.users.iter().find(|user| {
        user.platform == platform
            && if platform == Platform::Youtube { channel_id(user) == id } else { user.id == id }
    })
}
