//! `id.kick.com`.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::json;

use super::{ok, refuse};
use crate::{
    Platform,
    oauth::{self, AuthorizeQuery, TokenRequest},
    refusal::Refusal,
    state::State,
};

#[derive(Debug, Deserialize)]
pub struct RevokeQuery {
    token: String,
    token_hint_type: Option<String>,
}

pub async fn authorize(
    state: web::Data<State>,
    query: web::Query<AuthorizeQuery>,
) -> Result<HttpResponse, Refusal> {
    let target = oauth::authorize(&mut state.lock(), Platform::Kick, query.into_inner());
    let target = target.map_err(|reason| Refusal::new(400, json!({ "error": reason })))?;
    Ok(HttpResponse::Found().insert_header(("Location", target.as_str())).finish())
}

pub async fn token(state: web::Data<State>, form: web::Form<TokenRequest>) -> Result<HttpResponse, Refusal> {
    let grant = oauth::grant(&mut state.lock(), Platform::Kick, &form);
    let grant = grant.map_err(|error| Refusal::new(400, json!({ "error": error.standard_code() })))?;
    let mut json = json!({
        "access_token": grant.access_token,
        "token_type": "Bearer",
        "expires_in": grant.expires_in,
    });
    if let Some(refresh_token) = grant.refresh_token {
        json["refresh_token"] = json!(refresh_token);
        json["scope"] = json!(grant.scopes.join(" "));
    }
    Ok(HttpResponse::Ok().json(json))
}

pub async fn introspect(state: web::Data<State>, request: HttpRequest) -> Result<HttpResponse, Refusal> {
    let token = oauth::authorization(&request, "Bearer").ok_or_else(|| refuse(401, "Unauthorized"))?;
    let inner = state.lock();
    let Some(token) = inner.oauth.access(Platform::Kick, token) else {
        return Ok(ok(json!({ "active": false })));
    };
    Ok(ok(json!({
        "active": true,
        "client_id": token.client_id,
        "token_type": if token.user_id.is_some() { "user" } else { "app" },
        "scope": token.scopes.join(" "),
        "exp": token.expires_at.timestamp(),
    })))
}

pub async fn revoke(
    state: web::Data<State>,
    query: web::Query<RevokeQuery>,
) -> Result<HttpResponse, Refusal> {
    let is_known_hint =
        matches!(query.token_hint_type.as_deref(), None | Some("access_token" | "refresh_token"));
    if !is_known_hint || !state.lock().oauth.revoke(Platform::Kick, &query.token) {
        return Err(Refusal::new(400, json!({ "error": "Invalid request" })));
    }
    Ok(HttpResponse::Ok().body("OK"))
}
