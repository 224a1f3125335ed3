//! Users, tokens and what has been recorded.

use actix_web::{HttpRequest, HttpResponse, web};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{bad_request, not_found};
use crate::{NewToken, NewUser, OnAir, Platform, refusal::Refusal, stand_in, state::State};

#[derive(Debug, Deserialize)]
pub struct NewUserBody {
    platform: Platform,
    #[serde(flatten)]
    user: NewUser,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignIn {
    platform: Platform,
    user_id: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    platform: Option<Platform>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SentFilter {
    platform: Option<Platform>,
    since: Option<DateTime<Utc>>,
}

impl Filter {
    pub(super) fn wants(&self, platform: Platform) -> bool {
        self.platform.is_none_or(|wanted| wanted == platform)
    }
}

pub async fn environment(state: web::Data<State>, request: HttpRequest) -> HttpResponse {
    let url = format!("http://{}", request.app_config().local_addr());
    let variables: Map<String, Value> = stand_in::environment(&url, &state)
        .into_iter()
        .map(|(name, value)| (name, Value::String(value)))
        .collect();
    HttpResponse::Ok().json(variables)
}

pub async fn create_user(
    state: web::Data<State>,
    body: web::Json<NewUserBody>,
) -> Result<HttpResponse, Refusal> {
    let NewUserBody { platform, user } = body.into_inner();
    let created = state.lock().create_user(platform, user).map_err(bad_request)?;
    Ok(HttpResponse::Created().json(created))
}

pub async fn list_users(state: web::Data<State>, filter: web::Query<Filter>) -> HttpResponse {
    let inner = state.lock();
    let users: Vec<_> = inner.users.iter().filter(|user| filter.wants(user.platform)).collect();
    HttpResponse::Ok().json(users)
}

pub async fn issue_token(
    state: web::Data<State>,
    body: web::Json<NewToken>,
) -> Result<HttpResponse, Refusal> {
    let new = body.into_inner();
    let mut inner = state.lock();
    if let Some(id) = &new.user_id
        && inner.user(new.platform, id).is_none()
    {
        return Err(not_found(format!("there is no user `{id}` on {}", new.platform)));
    }
    let client_id = inner.default_app(new.platform).client_id;
    let access_token = inner.oauth.issue(new, &client_id);
    Ok(HttpResponse::Created().json(json!({ "access_token": access_token })))
}

pub async fn sign_in(state: web::Data<State>, body: web::Json<SignIn>) -> Result<HttpResponse, Refusal> {
    let SignIn { platform, user_id } = body.into_inner();
    let mut inner = state.lock();
    if inner.user(platform, &user_id).is_none() {
        return Err(not_found(format!("there is no user `{user_id}` on {platform}")));
    }
    inner.signed_in.insert(platform, user_id);
    Ok(HttpResponse::NoContent().finish())
}

pub async fn go_live(state: web::Data<State>, body: web::Json<OnAir>) -> HttpResponse {
    state.lock().on_air.push(body.into_inner());
    HttpResponse::NoContent().finish()
}

pub async fn sent(state: web::Data<State>, filter: web::Query<SentFilter>) -> HttpResponse {
    let SentFilter { platform, since } = filter.into_inner();
    let (platform, inner) = (Filter { platform }, state.lock());
    let mut messages: Vec<_> = inner
        .sent
        .iter()
        .rev()
        .take_while(|message| since.is_none_or(|since| message.sent_at >= since))
        .filter(|message| platform.wants(message.platform))
        .collect();
    messages.reverse();
    HttpResponse::Ok().json(messages)
}

pub async fn moderation(state: web::Data<State>, filter: web::Query<Filter>) -> HttpResponse {
    let inner = state.lock();
    let actions: Vec<_> = inner.moderation.iter().filter(|action| filter.wants(action.platform)).collect();
    HttpResponse::Ok().json(actions)
}

pub async fn redemptions(state: web::Data<State>) -> HttpResponse {
    let inner = state.lock();
    let redemptions: Vec<_> = inner.redemptions.iter().map(crate::twitch::Redemption::json).collect();
    HttpResponse::Ok().json(redemptions)
}

pub async fn subscriptions(state: web::Data<State>) -> HttpResponse {
    let inner = state.lock();
    let twitch: Vec<_> = inner.eventsub.iter().map(crate::twitch::Subscription::json).collect();
    let kick: Vec<_> = inner.kick_subscriptions.iter().map(crate::kick::Subscription::json).collect();
    HttpResponse::Ok()
        .json(json!({ "twitch": twitch, "kick": kick, "kick_webhook_url": inner.kick_webhook_url }))
}

pub async fn reset(state: web::Data<State>) -> HttpResponse {
    state.reset();
    HttpResponse::NoContent().finish()
}
