//! Spotify (reference/platforms.md#spotify): client credentials in a Basic header, no validation and no revocation.

mod commands;
mod control;
mod gate;
pub mod player;
pub mod playlists;
mod reads;

use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::json;

use crate::{
    Platform,
    oauth::{self, AuthorizeQuery, GrantError, TokenRequest},
    refusal::Refusal,
    state::State,
};

pub(crate) fn configure(routes: &mut web::ServiceConfig) {
    playlists::configure(routes);
    configure_player(routes);
    routes
        .route("/spotify/auth/authorize", web::get().to(authorize))
        .route("/spotify/auth/api/token", web::post().to(token))
        .route("/spotify/api/v1/me", web::get().to(me));
}

fn configure_player(routes: &mut web::ServiceConfig) {
    let one = |path, method| gate::resource(path, vec![method]);
    routes
        .service(gate::resource(
            "/me/player",
            vec![web::get().to(reads::player), web::put().to(commands::transfer)],
        ))
        .service(gate::resource(
            "/me/player/queue",
            vec![web::get().to(reads::queue), web::post().to(commands::add_to_queue)],
        ))
        .service(one("/me/player/devices", web::get().to(reads::devices)))
        .service(one("/me/playlists", web::get().to(reads::library)))
        .service(one("/search", web::get().to(reads::search)))
        .service(one("/me/player/play", web::put().to(commands::play)))
        .service(one("/me/player/pause", web::put().to(commands::pause)))
        .service(one("/me/player/next", web::post().to(commands::next)))
        .service(one("/me/player/previous", web::post().to(commands::previous)))
        .service(one("/me/player/seek", web::put().to(commands::seek)))
        .service(one("/me/player/shuffle", web::put().to(commands::shuffle)))
        .service(one("/me/player/repeat", web::put().to(commands::repeat)))
        .service(one("/me/player/volume", web::put().to(commands::volume)));
}

async fn authorize(
    state: web::Data<State>,
    query: web::Query<AuthorizeQuery>,
) -> Result<HttpResponse, Refusal> {
    let target = oauth::authorize(&mut state.lock(), Platform::Spotify, query.into_inner());
    let target = target.map_err(|reason| oauth_refusal(400, "invalid_request", &reason))?;
    Ok(HttpResponse::Found().insert_header(("Location", target.as_str())).finish())
}

async fn token(
    state: web::Data<State>,
    request: HttpRequest,
    form: web::Form<TokenRequest>,
) -> Result<HttpResponse, Refusal> {
    let credentials = oauth::basic_credentials(&request);
    let (id, secret) = credentials.ok_or_else(|| oauth_refusal(400, "invalid_client", "Invalid client"))?;
    let form = TokenRequest { client_id: Some(id), client_secret: Some(secret), ..form.into_inner() };
    let grant = oauth::grant(&mut state.lock(), Platform::Spotify, &form).map_err(|error| {
        let description = match error {
            GrantError::UnknownClient => "Invalid client",
            GrantError::WrongSecret => "Invalid client secret",
            GrantError::UnsupportedGrant => "grant_type parameter is missing or unknown",
            GrantError::InvalidCode => "Invalid authorization code",
            GrantError::InvalidVerifier => "code_verifier was incorrect",
            GrantError::InvalidRefreshToken => "Invalid refresh token",
        };
        oauth_refusal(400, error.standard_code(), description)
    })?;
    let mut json = json!({
        "access_token": grant.access_token,
        "token_type": "Bearer",
        "expires_in": grant.expires_in,
        "scope": grant.scopes.join(" "),
    });
    if let Some(refresh_token) = grant.refresh_token {
        json["refresh_token"] = json!(refresh_token);
    }
    Ok(HttpResponse::Ok().json(json))
}

/// `GET /v1/me`.
async fn me(state: web::Data<State>, request: HttpRequest) -> Result<HttpResponse, Refusal> {
    let inner = state.lock();
    let token = oauth::authorization(&request, "Bearer");
    let token = token.and_then(|token| inner.oauth.access(Platform::Spotify, token));
    let user = token.and_then(|token| inner.user(Platform::Spotify, token.user_id.as_deref()?));
    let user = user.ok_or_else(|| Refusal::of(Platform::Spotify, 401, "Invalid access token"))?;
    Ok(HttpResponse::Ok().json(json!({
        "id": user.id,
        "type": "user",
        "uri": format!("spotify:user:{}", user.id),
        "display_name": user.display_name,
        "product": if inner.players.free.contains(&user.id) { "free" } else { "premium" },
        "followers": { "href": null, "total": 0 },
        "images": [{ "url": user.avatar_url, "height": 300, "width": 300 }],
    })))
}

fn oauth_refusal(status: u16, error: &str, description: &str) -> Refusal {
    Refusal::new(status, json!({ "error": error, "error_description": description }))
}
