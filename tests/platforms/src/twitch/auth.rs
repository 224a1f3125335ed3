//! `id.twitch.tv`.

use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::json;

use super::refuse;
use crate::{
    Platform,
    oauth::{self, AuthorizeQuery, Grant, GrantError, RevokeForm, TokenRequest},
    refusal::Refusal,
    state::State,
};

pub async fn authorize(
    state: web::Data<State>,
    query: web::Query<AuthorizeQuery>,
) -> Result<HttpResponse, Refusal> {
    let target = oauth::authorize(&mut state.lock(), Platform::Twitch, query.into_inner());
    let target = target.map_err(|reason| refuse(400, &reason))?;
    Ok(HttpResponse::Found().insert_header(("Location", target.as_str())).finish())
}

pub async fn token(state: web::Data<State>, form: web::Form<TokenRequest>) -> Result<HttpResponse, Refusal> {
    let grant = oauth::grant(&mut state.lock(), Platform::Twitch, &form).map_err(grant_refusal)?;
    Ok(HttpResponse::Ok().json(grant_json(&grant)))
}

fn grant_json(grant: &Grant) -> serde_json::Value {
    let mut json = json!({
        "access_token": grant.access_token,
        "expires_in": grant.expires_in,
        "token_type": "bearer",
    });
    if let Some(refresh_token) = &grant.refresh_token {
        json["refresh_token"] = json!(refresh_token);
        json["scope"] = json!(grant.scopes);
    }
    json
}

fn grant_refusal(error: GrantError) -> Refusal {
    match error {
        GrantError::UnknownClient => refuse(400, "invalid client"),
        GrantError::WrongSecret => refuse(403, "invalid client secret"),
        GrantError::UnsupportedGrant => refuse(400, "invalid grant type"),
        GrantError::InvalidCode | GrantError::InvalidVerifier => refuse(400, "Invalid authorization code"),
        GrantError::InvalidRefreshToken => refuse(400, "Invalid refresh token"),
    }
}

pub async fn validate(state: web::Data<State>, request: HttpRequest) -> Result<HttpResponse, Refusal> {
    let inner = state.lock();
    let token = oauth::authorization(&request, "OAuth").or_else(|| oauth::authorization(&request, "Bearer"));
    let token = token.and_then(|token| inner.oauth.access(Platform::Twitch, token));
    let token = token
        .ok_or_else(|| Refusal::new(401, json!({ "status": 401, "message": "invalid access token" })))?;
    let mut json = json!({
        "client_id": token.client_id,
        "scopes": token.scopes,
        "expires_in": token.expires_in(),
    });
    if let Some(user_id) = &token.user_id {
        json["user_id"] = json!(user_id);
        json["login"] = json!(inner.user(Platform::Twitch, user_id).map(|user| &user.login));
    }
    Ok(HttpResponse::Ok().json(json))
}

pub async fn revoke(state: web::Data<State>, form: web::Form<RevokeForm>) -> Result<HttpResponse, Refusal> {
    let mut inner = state.lock();
    let client_id = form.client_id.as_deref().unwrap_or_default();
    if !inner.apps.iter().any(|app| app.platform == Platform::Twitch && app.client_id == client_id) {
        return Err(refuse(404, "client does not exist"));
    }
    if !inner.oauth.revoke(Platform::Twitch, form.token.as_deref().unwrap_or_default()) {
        return Err(refuse(400, "Invalid token"));
    }
    Ok(HttpResponse::Ok().finish())
}
