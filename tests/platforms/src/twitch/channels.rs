//! Titles of streams, and clips.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::json;

use super::{
    engagement::{BroadcasterQuery, check_broadcaster, record},
    helix_token, refuse, require_scope,
};
use crate::{Platform, identifier, refusal::Refusal, state::State};

const MAX_TITLE_CHARACTERS: usize = 140;

#[derive(Debug, Deserialize)]
pub struct Change {
    title: Option<String>,
}

/// `PATCH /helix/channels`.
pub async fn update(
    state: web::Data<State>,
    request: HttpRequest,
    query: web::Query<BroadcasterQuery>,
    body: web::Json<Change>,
) -> Result<HttpResponse, Refusal> {
    let token = helix_token(&state, &request)?;
    check_broadcaster(&token, &query.broadcaster_id, "channel:manage:broadcast")?;
    let title = body.into_inner().title.ok_or_else(|| refuse(400, "The request must set a field"))?;
    if title.is_empty() || title.chars().count() > MAX_TITLE_CHARACTERS {
        return Err(refuse(
            400,
            "The title field may not contain an empty string or more than 140 characters",
        ));
    }
    let change = json!({ "channel": query.broadcaster_id, "title": title });
    record(&mut state.lock(), "title", change);
    Ok(HttpResponse::NoContent().finish())
}

/// `POST /helix/clips`: any user clips any live channel.
pub async fn create_clip(
    state: web::Data<State>,
    request: HttpRequest,
    query: web::Query<BroadcasterQuery>,
) -> Result<HttpResponse, Refusal> {
    let token = helix_token(&state, &request)?;
    require_scope(&token, "clips:edit")?;
    let mut inner = state.lock();
    let channel = &query.broadcaster_id;
    if !inner.on_air.iter().any(|live| live.platform == Platform::Twitch && live.id == *channel) {
        return Err(refuse(404, "Clipping is not possible for an offline channel."));
    }
    let id = identifier::uuid();
    record(&mut inner, "clip", json!({ "channel": channel, "id": id }));
    let edit_url = format!("https://clips.twitch.tv/{id}/edit");
    Ok(HttpResponse::Accepted().json(json!({ "data": [{ "id": id, "edit_url": edit_url }] })))
}
