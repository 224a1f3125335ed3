//! Commands to the player. Each is recorded with its parameters.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    gate::{CONTROL, failed, json_body, no_body, query, refuse, require_premium, user},
    player::{Player, Track, UserPlaylist},
};
use crate::{
    EngagementCall, Platform,
    refusal::Refusal,
    state::{Inner, State},
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OnDevice {
    device_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Seek {
    position_ms: i64,
    device_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shuffle {
    state: bool,
    device_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Repeat {
    state: String,
    device_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Volume {
    volume_percent: i64,
    device_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Queued {
    uri: String,
    device_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Play {
    context_uri: Option<String>,
    uris: Option<Vec<String>>,
    position_ms: Option<i64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Transfer {
    device_ids: Vec<String>,
    play: Option<bool>,
}

/// `PUT /v1/me/player/play`.
pub(super) async fn play(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Bytes,
) -> Result<HttpResponse, Refusal> {
    let user = user(&state, &request, Some(CONTROL), true)?;
    let OnDevice { device_id } = query(&request)?;
    if body.is_empty() {
        no_body(&request, &body)?;
    }
    let Play { context_uri, uris, position_ms } = json_body(&body)?;
    if context_uri.is_some() && uris.is_some() {
        return Err(refuse(400, "Can't have both context_uri and uris"));
    }
    let mut inner = state.lock();
    require_premium(&inner, &user)?;
    let tracks: Option<Result<Vec<Track>, Refusal>> =
        uris.as_ref().map(|uris| uris.iter().map(|uri| track(&inner, uri)).collect());
    let tracks = tracks.transpose()?;
    let mut known = inner.players.libraries.values().flatten().map(UserPlaylist::uri);
    if context_uri.as_ref().is_some_and(|uri| known.all(|known| known != *uri)) {
        return Err(refuse(404, "Context not found"));
    }
    let player = commanded(&mut inner, &user, device_id.as_deref())?;
    if let Some(mut tracks) = tracks {
        player.played.extend(player.track.take());
        player.track = (!tracks.is_empty()).then(|| tracks.remove(0));
        drop(player.queue.splice(0..0, tracks));
        player.progress_ms = 0;
    }
    if context_uri.is_some() {
        player.context_uri.clone_from(&context_uri);
        player.progress_ms = 0;
    }
    player.progress_ms = position_ms.unwrap_or(player.progress_ms);
    player.is_playing = true;
    Ok(done(&mut inner, &user, "play", json!({ "uris": uris, "context_uri": context_uri })))
}

/// `PUT /v1/me/player/pause`.
pub(super) async fn pause(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Bytes,
) -> Result<HttpResponse, Refusal> {
    let user = user(&state, &request, Some(CONTROL), true)?;
    let OnDevice { device_id } = query(&request)?;
    no_body(&request, &body)?;
    let mut inner = state.lock();
    let player = commanded(&mut inner, &user, device_id.as_deref())?;
    if !player.is_playing {
        return Err(failed(403, "Restriction violated", "UNKNOWN"));
    }
    player.is_playing = false;
    Ok(done(&mut inner, &user, "pause", json!({})))
}

/// `POST /v1/me/player/next`.
pub(super) async fn next(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Bytes,
) -> Result<HttpResponse, Refusal> {
    let user = user(&state, &request, Some(CONTROL), true)?;
    let OnDevice { device_id } = query(&request)?;
    no_body(&request, &body)?;
    let mut inner = state.lock();
    let player = commanded(&mut inner, &user, device_id.as_deref())?;
    player.progress_ms = 0;
    if !player.queue.is_empty() {
        player.played.extend(player.track.take());
        player.track = Some(player.queue.remove(0));
    }
    Ok(done(&mut inner, &user, "next", json!({})))
}

/// `POST /v1/me/player/previous`.
pub(super) async fn previous(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Bytes,
) -> Result<HttpResponse, Refusal> {
    let user = user(&state, &request, Some(CONTROL), true)?;
    let OnDevice { device_id } = query(&request)?;
    no_body(&request, &body)?;
    let mut inner = state.lock();
    let player = commanded(&mut inner, &user, device_id.as_deref())?;
    player.progress_ms = 0;
    if let Some(before) = player.played.pop() {
        let left = player.track.replace(before);
        drop(player.queue.splice(0..0, left));
    }
    Ok(done(&mut inner, &user, "previous", json!({})))
}

/// `PUT /v1/me/player/seek`.
pub(super) async fn seek(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Bytes,
) -> Result<HttpResponse, Refusal> {
    let user = user(&state, &request, Some(CONTROL), true)?;
    let Seek { position_ms, device_id } = query(&request)?;
    no_body(&request, &body)?;
    if position_ms < 0 {
        return Err(refuse(400, "Invalid position_ms"));
    }
    let mut inner = state.lock();
    commanded(&mut inner, &user, device_id.as_deref())?.progress_ms = position_ms;
    Ok(done(&mut inner, &user, "seek", json!({ "position_ms": position_ms })))
}

/// `PUT /v1/me/player/shuffle`.
pub(super) async fn shuffle(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Bytes,
) -> Result<HttpResponse, Refusal> {
    let user = user(&state, &request, Some(CONTROL), true)?;
    let Shuffle { state: enabled, device_id } = query(&request)?;
    no_body(&request, &body)?;
    let mut inner = state.lock();
    commanded(&mut inner, &user, device_id.as_deref())?.shuffle = enabled;
    Ok(done(&mut inner, &user, "shuffle", json!({ "state": enabled })))
}

/// `PUT /v1/me/player/repeat`.
pub(super) async fn repeat(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Bytes,
) -> Result<HttpResponse, Refusal> {
    let user = user(&state, &request, Some(CONTROL), true)?;
    let Repeat { state: mode, device_id } = query(&request)?;
    no_body(&request, &body)?;
    if !matches!(mode.as_str(), "off" | "track" | "context") {
        return Err(refuse(400, "Invalid state"));
    }
    let mut inner = state.lock();
    commanded(&mut inner, &user, device_id.as_deref())?.repeat.clone_from(&mode);
    Ok(done(&mut inner, &user, "repeat", json!({ "state": mode })))
}

/// `PUT /v1/me/player/volume`.
pub(super) async fn volume(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Bytes,
) -> Result<HttpResponse, Refusal> {
    let user = user(&state, &request, Some(CONTROL), true)?;
    let Volume { volume_percent, device_id } = query(&request)?;
    no_body(&request, &body)?;
    if !(0..=100).contains(&volume_percent) {
        return Err(refuse(400, "Invalid volume_percent"));
    }
    let mut inner = state.lock();
    let player = commanded(&mut inner, &user, device_id.as_deref())?;
    let device = player.devices.iter_mut().find(|device| device.is_active).expect("an active device");
    if device.volume_percent.is_none() {
        return Err(failed(403, "Cannot control device volume", "VOLUME_CONTROL_DISALLOW"));
    }
    device.volume_percent = Some(volume_percent);
    Ok(done(&mut inner, &user, "volume", json!({ "volume_percent": volume_percent })))
}

/// `POST /v1/me/player/queue`.
pub(super) async fn add_to_queue(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Bytes,
) -> Result<HttpResponse, Refusal> {
    let user = user(&state, &request, Some(CONTROL), true)?;
    let Queued { uri, device_id } = query(&request)?;
    no_body(&request, &body)?;
    let mut inner = state.lock();
    require_premium(&inner, &user)?;
    let added = track(&inner, &uri)?;
    commanded(&mut inner, &user, device_id.as_deref())?.queue.push(added);
    Ok(done(&mut inner, &user, "queue", json!({ "uri": uri })))
}

/// `PUT /v1/me/player`.
pub(super) async fn transfer(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Bytes,
) -> Result<HttpResponse, Refusal> {
    let user = user(&state, &request, Some(CONTROL), true)?;
    let Transfer { device_ids, play } = json_body(&body)?;
    let [chosen] = device_ids.as_slice() else {
        return Err(refuse(400, "Only one device_id is currently supported"));
    };
    let mut inner = state.lock();
    require_premium(&inner, &user)?;
    let player = inner.players.by_user.get_mut(&user);
    let player = player.filter(|player| player.devices.iter().any(|device| device.id == *chosen));
    let player = player.ok_or_else(|| refuse(404, "Device not found"))?;
    for device in &mut player.devices {
        device.is_active = device.id == *chosen;
    }
    player.is_playing = play.unwrap_or(player.is_playing);
    Ok(done(&mut inner, &user, "transfer", json!({ "device_ids": device_ids })))
}

/// The player of a user whose device takes commands.
fn commanded<'a>(
    inner: &'a mut Inner,
    user: &str,
    device_id: Option<&str>,
) -> Result<&'a mut Player, Refusal> {
    require_premium(inner, user)?;
    let no_device = || failed(404, "No active device found", "NO_ACTIVE_DEVICE");
    let player = inner.players.by_user.get_mut(user).ok_or_else(no_device)?;
    if let Some(wanted) = device_id.filter(|id| player.devices.iter().all(|device| device.id != *id)) {
        return Err(refuse(404, &format!("Device not found: {wanted}")));
    }
    if player.active().ok_or_else(no_device)?.is_restricted {
        return Err(failed(403, "Restricted device", "REMOTE_CONTROL_DISALLOW"));
    }
    Ok(player)
}

fn track(inner: &Inner, uri: &str) -> Result<Track, Refusal> {
    let found = inner.players.catalogue.iter().find(|track| track.uri() == uri).cloned();
    found.ok_or_else(|| refuse(400, "Invalid track uri"))
}

fn done(inner: &mut Inner, user: &str, action: &'static str, mut body: Value) -> HttpResponse {
    body["user_id"] = json!(user);
    inner.record_engagement(EngagementCall { platform: Platform::Spotify, action, body });
    HttpResponse::NoContent().finish()
}
