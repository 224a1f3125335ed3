//! Relations of a user to a channel on the platforms: followers, subscribers, moderators, VIPs and bans.

use std::collections::HashMap;

use actix_web::{HttpRequest, HttpResponse, web};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    Platform, StandIn, clock,
    oauth::AccessToken,
    refusal::Refusal,
    state::{Inner, State},
    twitch::{helix_token, require_scope},
    youtube::{channel_id, youtube_user},
};

/// Relation of a user to a channel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Relation {
    pub followed_at: Option<DateTime<Utc>>,
    /// `1000`, `2000` or `3000`.
    pub subscription_tier: Option<String>,
    pub is_moderator: bool,
    pub is_vip: bool,
    pub ban: Option<BanRelation>,
}

/// A ban, or with an end a time-out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BanRelation {
    pub until: Option<DateTime<Utc>>,
    pub reason: String,
}

/// Relations by channel and user.
pub type Relations = HashMap<(String, String), Relation>;

#[derive(Debug, Deserialize)]
struct Asked {
    broadcaster_id: String,
    user_id: String,
}

#[derive(Debug, Deserialize)]
struct AskedChannels {
    id: Option<String>,
}

pub(crate) fn configure(routes: &mut web::ServiceConfig) {
    routes
        .route("/twitch/api/helix/channels/followers", web::get().to(followers))
        .route("/twitch/api/helix/subscriptions", web::get().to(subscriptions))
        .route("/twitch/api/helix/moderation/moderators", web::get().to(moderators))
        .route("/twitch/api/helix/channels/vips", web::get().to(vips))
        .route("/twitch/api/helix/moderation/banned", web::get().to(banned));
}

impl StandIn {
    /// Sets the relation of a user to a Twitch channel.
    pub fn relate(&self, channel_id: &str, user_id: &str, relation: Relation) {
        let key = (channel_id.to_owned(), user_id.to_owned());
        self.state.lock().relations.insert(key, relation);
    }
}

async fn followers(
    state: web::Data<State>,
    request: HttpRequest,
    asked: web::Query<Asked>,
) -> Result<HttpResponse, Refusal> {
    related(&state, &request, "moderator:read:followers", &asked, |user, relation| {
        let followed_at = clock::seconds(relation.followed_at?);
        Some(
            json!({ "user_id": user.0, "user_login": user.1, "user_name": user.2, "followed_at": followed_at }),
        )
    })
}

async fn subscriptions(
    state: web::Data<State>,
    request: HttpRequest,
    asked: web::Query<Asked>,
) -> Result<HttpResponse, Refusal> {
    related(&state, &request, "channel:read:subscriptions", &asked, |user, relation| {
        let tier = relation.subscription_tier.as_ref()?;
        Some(
            json!({ "user_id": user.0, "user_login": user.1, "user_name": user.2, "tier": tier, "is_gift": false }),
        )
    })
}

async fn moderators(
    state: web::Data<State>,
    request: HttpRequest,
    asked: web::Query<Asked>,
) -> Result<HttpResponse, Refusal> {
    related(&state, &request, "moderation:read", &asked, |user, relation| {
        relation.is_moderator.then(|| json!({ "user_id": user.0, "user_login": user.1, "user_name": user.2 }))
    })
}

async fn vips(
    state: web::Data<State>,
    request: HttpRequest,
    asked: web::Query<Asked>,
) -> Result<HttpResponse, Refusal> {
    related(&state, &request, "channel:read:vips", &asked, |user, relation| {
        relation.is_vip.then(|| json!({ "user_id": user.0, "user_login": user.1, "user_name": user.2 }))
    })
}

async fn banned(
    state: web::Data<State>,
    request: HttpRequest,
    asked: web::Query<Asked>,
) -> Result<HttpResponse, Refusal> {
    related(&state, &request, "moderator:manage:banned_users", &asked, |user, relation| {
        let ban = relation.ban.as_ref()?;
        let until = ban.until.map(clock::seconds).unwrap_or_default();
        Some(json!({ "user_id": user.0, "user_login": user.1, "user_name": user.2, "expires_at": until,
                     "reason": ban.reason }))
    })
}

/// Rows about one user in the channel of the token's owner.
fn related(
    state: &State,
    request: &HttpRequest,
    scope: &str,
    asked: &Asked,
    row: impl Fn((&str, &str, &str), &Relation) -> Option<Value>,
) -> Result<HttpResponse, Refusal> {
    let token: AccessToken = helix_token(state, request)?;
    require_scope(&token, scope)?;
    if token.user_id.as_deref() != Some(&asked.broadcaster_id) {
        return Err(Refusal::of(
            Platform::Twitch,
            401,
            "The ID in broadcaster_id must match the user ID of the token",
        ));
    }
    let inner = state.lock();
    let data: Vec<Value> = found(&inner, asked, row).into_iter().collect();
    Ok(HttpResponse::Ok().json(json!({ "data": data, "pagination": {} })))
}

fn found(
    inner: &Inner,
    asked: &Asked,
    row: impl Fn((&str, &str, &str), &Relation) -> Option<Value>,
) -> Option<Value> {
    let relation = inner.relations.get(&(asked.broadcaster_id.clone(), asked.user_id.clone()))?;
    let user = inner.user(Platform::Twitch, &asked.user_id)?;
    row((&user.id, &user.login, &user.display_name), relation)
}

/// `channels.list`: the owner of the token with `mine=true`, else the channels of these ids.
pub(crate) async fn youtube_channels(
    state: web::Data<State>,
    request: HttpRequest,
) -> Result<HttpResponse, Refusal> {
    let own = youtube_user(&state, &request)?.1;
    let asked = web::Query::<AskedChannels>::from_query(request.query_string())
        .map_err(|_error| Refusal::of(Platform::Youtube, 400, "Invalid query"))?;
    let inner = state.lock();
    let users: Vec<&crate::User> = match &asked.id {
        None => vec![&own],
        Some(ids) => {
            let is_asked = |user: &&crate::User| {
                user.platform == Platform::Youtube && ids.split(',').any(|id| id == channel_id(user))
            };
            inner.users.iter().filter(is_asked).collect()
        }
    };
    let mut answer =
        json!({ "kind": "youtube#channelListResponse", "pageInfo": { "totalResults": users.len() } });
    if !users.is_empty() {
        answer["items"] = users.into_iter().map(channel).collect();
    }
    Ok(HttpResponse::Ok().json(answer))
}

fn channel(user: &crate::User) -> Value {
    json!({
        "kind": "youtube#channel",
        "id": channel_id(user),
        "snippet": {
            "title": user.display_name,
            "description": format!("The channel of {}", user.display_name),
            "customUrl": format!("@{}", user.login),
            "publishedAt": clock::seconds(user.created_at),
            "thumbnails": { "default": { "url": user.avatar_url, "width": 88, "height": 88 } },
        },
    })
}
