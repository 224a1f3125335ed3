//! Playlists and their entries, as an application in development mode gets them: under `/items`, each as `item`.

use std::collections::HashMap;

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{Platform, StandIn, oauth, refusal::Refusal, state::State};

/// Number of entries of a page.
const MAX_PAGE_SIZE: usize = 50;

/// Playlists by id, and the calls about them.
#[derive(Debug, Default)]
pub(crate) struct Playlists {
    known: HashMap<String, Playlist>,
    calls: HashMap<String, Vec<String>>,
}

#[derive(Debug)]
struct Playlist {
    name: String,
    version: usize,
    is_closed: bool,
    entries: Vec<Value>,
}

#[derive(Deserialize)]
struct Page {
    limit: usize,
    offset: usize,
}

pub(super) fn configure(routes: &mut web::ServiceConfig) {
    routes
        .route("/spotify/api/v1/playlists/{id}", web::get().to(playlist))
        .route("/spotify/api/v1/playlists/{id}/items", web::get().to(items));
}

impl StandIn {
    /// Creates a playlist, or gives it these entries and another version.
    pub fn set_playlist(&self, id: &str, name: &str, entries: Vec<Value>) {
        let known = &mut self.state.lock().playlists.known;
        let version = known.get(id).map_or(1, |playlist| playlist.version + 1);
        let playlist = Playlist { name: name.into(), version, is_closed: false, entries };
        known.insert(id.into(), playlist);
    }

    /// Shows the playlist without its entries, as one of another user.
    pub fn close_playlist(&self, id: &str) {
        let mut inner = self.state.lock();
        inner.playlists.known.get_mut(id).expect("a playlist").is_closed = true;
    }

    /// Deletes a playlist.
    pub fn delete_playlist(&self, id: &str) {
        self.state.lock().playlists.known.remove(id);
    }

    /// Calls about a playlist, oldest first: `playlist`, or `items` with the offset.
    #[must_use]
    pub fn playlist_calls(&self, id: &str) -> Vec<String> {
        self.state.lock().playlists.calls.get(id).cloned().unwrap_or_default()
    }
}

/// An entry of a playlist with a track of the catalogue. The number becomes part of its id.
#[must_use]
pub fn track(number: usize, title: &str, artists: &[&str], isrc: Option<&str>) -> Value {
    let artists: Vec<Value> = artists.iter().map(|name| json!({ "name": name, "type": "artist" })).collect();
    let id = track_id(number);
    json!({
        "added_at": "2026-01-01T00:00:00Z",
        "is_local": false,
        "item": { "id": id, "type": "track", "name": title, "artists": artists,
            "external_ids": isrc.map_or(json!({}), |isrc| json!({ "isrc": isrc })) },
    })
}

/// Id of the track of [`track`].
#[must_use]
pub fn track_id(number: usize) -> String {
    format!("{number:0>22}")
}

/// `GET /v1/playlists/{id}`.
async fn playlist(
    state: web::Data<State>,
    request: HttpRequest,
    id: web::Path<String>,
) -> Result<HttpResponse, Refusal> {
    let (mut inner, id) = (state.lock(), id.into_inner());
    inner.playlists.calls.entry(id.clone()).or_default().push("playlist".into());
    authorized(&inner, &request)?;
    let found = inner.playlists.known.get(&id).ok_or_else(missing)?;
    Ok(HttpResponse::Ok().json(json!({
        "name": found.name,
        "snapshot_id": format!("snapshot-{}", found.version),
    })))
}

/// `GET /v1/playlists/{id}/items`.
async fn items(
    state: web::Data<State>,
    request: HttpRequest,
    id: web::Path<String>,
    page: web::Query<Page>,
) -> Result<HttpResponse, Refusal> {
    let (mut inner, id) = (state.lock(), id.into_inner());
    inner.playlists.calls.entry(id.clone()).or_default().push(format!("items {}", page.offset));
    authorized(&inner, &request)?;
    if page.limit == 0 || page.limit > MAX_PAGE_SIZE {
        return Err(Refusal::of(Platform::Spotify, 400, "Invalid limit"));
    }
    let found = inner.playlists.known.get(&id).ok_or_else(missing)?;
    if found.is_closed {
        return Err(Refusal::of(Platform::Spotify, 403, "Forbidden"));
    }
    let items: Vec<&Value> = found.entries.iter().skip(page.offset).take(page.limit).collect();
    Ok(HttpResponse::Ok().json(json!({ "total": found.entries.len(), "items": items })))
}

fn authorized(inner: &crate::state::Inner, request: &HttpRequest) -> Result<(), Refusal> {
    let token = oauth::authorization(request, "Bearer");
    let known = token.and_then(|token| inner.oauth.access(Platform::Spotify, token));
    known.map(|_| ()).ok_or_else(|| Refusal::of(Platform::Spotify, 401, "The access token expired"))
}

fn missing() -> Refusal {
    Refusal::of(Platform::Spotify, 404, "Resource not found")
}
