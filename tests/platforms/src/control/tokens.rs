//! Applications, and changes of tokens.

use actix_web::{HttpResponse, web};
use serde::Deserialize;

use super::{not_found, records::Filter};
use crate::{Platform, Rotation, refusal::Refusal, state::State};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewApp {
    platform: Platform,
    client_id: String,
    client_secret: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Revoke {
    platform: Platform,
    token: String,
    /// Every token of the authorisation, as when the user removes the application.
    #[serde(default)]
    all: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeRules {
    platform: Platform,
    rotation: Option<Rotation>,
    access_token_secs: Option<i64>,
}

pub async fn register_app(state: web::Data<State>, body: web::Json<NewApp>) -> HttpResponse {
    let NewApp { platform, client_id, client_secret } = body.into_inner();
    state.lock().register_app(platform, &client_id, &client_secret);
    HttpResponse::NoContent().finish()
}

pub async fn revoke(state: web::Data<State>, body: web::Json<Revoke>) -> Result<HttpResponse, Refusal> {
    let Revoke { platform, token, all } = body.into_inner();
    let oauth = &mut state.lock().oauth;
    let is_known =
        if all { oauth.revoke_authorisation(platform, &token) } else { oauth.revoke(platform, &token) };
    if is_known {
        Ok(HttpResponse::NoContent().finish())
    } else {
        Err(not_found(format!("{platform} knows no such token")))
    }
}

pub async fn change_rules(state: web::Data<State>, body: web::Json<ChangeRules>) -> HttpResponse {
    let ChangeRules { platform, rotation, access_token_secs } = body.into_inner();
    let mut inner = state.lock();
    let changes = inner.oauth.change(platform);
    changes.rotation = rotation.or(changes.rotation);
    changes.access_token_secs = access_token_secs.or(changes.access_token_secs);
    HttpResponse::NoContent().finish()
}

pub async fn token_calls(state: web::Data<State>, filter: web::Query<Filter>) -> HttpResponse {
    let inner = state.lock();
    let calls: Vec<_> = inner.token_calls.iter().filter(|call| filter.wants(call.platform)).collect();
    HttpResponse::Ok().json(calls)
}
