//! Custom rewards of channel points, and their redemptions. Only the application that created a reward may change it or
//! end its redemptions.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Event, helix_token, refuse, require_scope, unauthorized};
use crate::{
    Platform, StandIn, User, clock, identifier,
    oauth::AccessToken,
    refusal::Refusal,
    state::{EngagementCall, Inner, State},
};

const SCOPE: &str = "channel:manage:redemptions";
const MAX_TITLE_LENGTH: usize = 45;
const UNFULFILLED: &str = "UNFULFILLED";
const NOT_FOUND: &str = "The custom reward specified in the id query parameter was not found";
const NOT_OPEN: &str = "The redemptions specified in id were not found, or their status is not UNFULFILLED";

/// A reward as Twitch shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reward {
    pub id: String,
    pub broadcaster_id: String,
    /// Application that created it; absent for one of the broadcaster's own.
    pub client_id: Option<String>,
    pub title: String,
    pub cost: u32,
    pub is_enabled: bool,
}

/// A redemption of a reward.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redemption {
    pub id: String,
    pub reward_id: String,
    /// `UNFULFILLED`, `FULFILLED` or `CANCELED`.
    pub status: String,
}

#[derive(Debug, Deserialize)]
pub struct ChannelQuery {
    broadcaster_id: String,
}

#[derive(Debug, Deserialize)]
pub struct RewardQuery {
    broadcaster_id: String,
    id: String,
}

#[derive(Debug, Deserialize)]
pub struct RedemptionQuery {
    broadcaster_id: String,
    reward_id: String,
    id: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewReward {
    title: String,
    cost: u32,
    is_enabled: Option<bool>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RewardChange {
    title: Option<String>,
    cost: Option<u32>,
    is_enabled: Option<bool>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RedemptionChange {
    status: String,
}

/// `POST /helix/channel_points/custom_rewards`.
pub async fn create(
    state: web::Data<State>,
    request: HttpRequest,
    query: web::Query<ChannelQuery>,
    body: web::Json<NewReward>,
) -> Result<HttpResponse, Refusal> {
    let token = checked_token(&state, &request, &query.broadcaster_id)?;
    let NewReward { title, cost, is_enabled } = body.into_inner();
    check(&title, cost)?;
    let mut inner = state.lock();
    if inner.rewards.iter().any(|one| one.broadcaster_id == query.broadcaster_id && one.title == title) {
        return Err(refuse(400, "CREATE_CUSTOM_REWARD_DUPLICATE_REWARD"));
    }
    let reward = Reward {
        id: identifier::uuid(),
        broadcaster_id: query.broadcaster_id.clone(),
        client_id: Some(token.client_id),
        title,
        cost,
        is_enabled: is_enabled.unwrap_or(true),
    };
    inner.rewards.push(reward.clone());
    record(&mut inner, "reward", reward.json());
    Ok(HttpResponse::Ok().json(json!({ "data": [reward.json()] })))
}

/// `PATCH /helix/channel_points/custom_rewards`.
pub async fn update(
    state: web::Data<State>,
    request: HttpRequest,
    query: web::Query<RewardQuery>,
    body: web::Json<RewardChange>,
) -> Result<HttpResponse, Refusal> {
    let token = checked_token(&state, &request, &query.broadcaster_id)?;
    let RewardChange { title, cost, is_enabled } = body.into_inner();
    let mut inner = state.lock();
    let reward = own(&mut inner, &token, &query.broadcaster_id, &query.id)?;
    let title = title.unwrap_or_else(|| reward.title.clone());
    let cost = cost.unwrap_or(reward.cost);
    check(&title, cost)?;
    *reward = Reward { title, cost, is_enabled: is_enabled.unwrap_or(reward.is_enabled), ..reward.clone() };
    let changed = reward.json();
    record(&mut inner, "update_reward", changed.clone());
    Ok(HttpResponse::Ok().json(json!({ "data": [changed] })))
}

/// `DELETE /helix/channel_points/custom_rewards`.
pub async fn delete(
    state: web::Data<State>,
    request: HttpRequest,
    query: web::Query<RewardQuery>,
) -> Result<HttpResponse, Refusal> {
    let token = checked_token(&state, &request, &query.broadcaster_id)?;
    let mut inner = state.lock();
    let deleted = own(&mut inner, &token, &query.broadcaster_id, &query.id)?.json();
    inner.rewards.retain(|one| one.id != query.id);
    record(&mut inner, "delete_reward", deleted);
    Ok(HttpResponse::NoContent().finish())
}

/// `PATCH /helix/channel_points/custom_rewards/redemptions`.
pub async fn end(
    state: web::Data<State>,
    request: HttpRequest,
    query: web::Query<RedemptionQuery>,
    body: web::Json<RedemptionChange>,
) -> Result<HttpResponse, Refusal> {
    let token = checked_token(&state, &request, &query.broadcaster_id)?;
    let RedemptionChange { status } = body.into_inner();
    if !matches!(status.as_str(), "FULFILLED" | "CANCELED") {
        return Err(refuse(400, "The value in the status field is not valid"));
    }
    let mut inner = state.lock();
    own(&mut inner, &token, &query.broadcaster_id, &query.reward_id)?;
    let open = inner
        .redemptions
        .iter_mut()
        .find(|one| one.id == query.id && one.reward_id == query.reward_id && one.status == UNFULFILLED);
    open.ok_or_else(|| refuse(404, NOT_OPEN))?.status.clone_from(&status);
    let ended = json!({ "id": query.id, "broadcaster_id": query.broadcaster_id, "status": status,
        "reward": { "id": query.reward_id } });
    record(&mut inner, "end_redemption", ended.clone());
    Ok(HttpResponse::Ok().json(json!({ "data": [ended] })))
}

impl StandIn {
    /// Creates a reward in the name of the broadcaster: no application may change it.
    pub fn add_twitch_reward(&self, broadcaster: &User, title: &str, cost: u32) -> Reward {
        let reward = Reward {
            id: identifier::uuid(),
            broadcaster_id: broadcaster.id.clone(),
            client_id: None,
            title: title.to_owned(),
            cost,
            is_enabled: true,
        };
        self.state.lock().rewards.push(reward.clone());
        reward
    }

    /// Rewards of a channel, oldest first.
    #[must_use]
    pub fn twitch_rewards(&self, broadcaster: &User) -> Vec<Reward> {
        let inner = self.state.lock();
        inner.rewards.iter().filter(|one| one.broadcaster_id == broadcaster.id).cloned().collect()
    }

    /// Redeems a reward; returns the event of its delivery, whose `id` is that of the redemption.
    ///
    /// # Panics
    /// The channel has no such reward.
    pub fn redeem_on_twitch(&self, broadcaster: &User, viewer: &User, reward_id: &str, input: &str) -> Event {
        let redeemed = redeem(&mut self.state.lock(), broadcaster, viewer, reward_id, input);
        redeemed.expect("a reward of the channel")
    }

    /// Status of a redemption; `None` when there is none.
    #[must_use]
    pub fn twitch_redemption(&self, id: &str) -> Option<String> {
        let inner = self.state.lock();
        inner.redemptions.iter().find(|one| one.id == id).map(|one| one.status.clone())
    }
}

impl Event {
    /// A new redemption with its id and the input of the viewer.
    fn redemption(broadcaster: &User, viewer: &User, reward: &Reward, (id, input): (&str, &str)) -> Self {
        Self {
            subscription_type: "channel.channel_points_custom_reward_redemption.add",
            version: "1",
            condition: json!({ "broadcaster_user_id": broadcaster.id }),
            event: json!({
                "id": id,
                "broadcaster_user_id": broadcaster.id,
                "broadcaster_user_login": broadcaster.login,
                "broadcaster_user_name": broadcaster.display_name,
                "user_id": viewer.id,
                "user_login": viewer.login,
                "user_name": viewer.display_name,
                "user_input": input,
                "status": "unfulfilled",
                "reward": { "id": reward.id, "title": reward.title, "cost": reward.cost, "prompt": "" },
                "redeemed_at": clock::nanoseconds(clock::now()),
            }),
        }
    }

    /// The update of a redemption that follows its end.
    #[must_use]
    pub fn redemption_update(&self, status: &str) -> Self {
        let mut event = self.event.clone();
        event["status"] = json!(status);
        let subscription_type = "channel.channel_points_custom_reward_redemption.update";
        Self { subscription_type, event, ..self.clone() }
    }
}

impl Reward {
    fn json(&self) -> Value {
        json!({ "id": self.id, "broadcaster_id": self.broadcaster_id, "title": self.title, "cost": self.cost,
            "is_enabled": self.is_enabled, "prompt": "", "is_user_input_required": false, "is_paused": false,
            "is_in_stock": true, "should_redemptions_skip_request_queue": false })
    }
}

/// Redeems a reward; `None` when the channel has no such reward.
pub(crate) fn redeem(
    inner: &mut Inner,
    broadcaster: &User,
    viewer: &User,
    reward_id: &str,
    input: &str,
) -> Option<Event> {
    let is_wanted = |one: &&Reward| one.id == reward_id && one.broadcaster_id == broadcaster.id;
    let reward = inner.rewards.iter().find(is_wanted)?.clone();
    let id = identifier::uuid();
    inner.redemptions.push(Redemption {
        id: id.clone(),
        reward_id: reward.id.clone(),
        status: UNFULFILLED.to_owned(),
    });
    Some(Event::redemption(broadcaster, viewer, &reward, (&id, input)))
}

impl Redemption {
    pub(crate) fn json(&self) -> Value {
        json!({ "id": self.id, "reward_id": self.reward_id, "status": self.status })
    }
}

fn checked_token(state: &State, request: &HttpRequest, broadcaster_id: &str) -> Result<AccessToken, Refusal> {
    let token = helix_token(state, request)?;
    require_scope(&token, SCOPE)?;
    if token.user_id.as_deref() != Some(broadcaster_id) {
        return Err(unauthorized("The ID in broadcaster_id must match the user ID found in the OAuth token"));
    }
    Ok(token)
}

fn check(title: &str, cost: u32) -> Result<(), Refusal> {
    if !(1..=MAX_TITLE_LENGTH).contains(&title.chars().count()) {
        return Err(refuse(400, "The title field is not valid"));
    }
    if cost == 0 { Err(refuse(400, "The value in the cost field must be at least 1")) } else { Ok(()) }
}

/// Reward of a channel that the application of the token created.
fn own<'a>(
    inner: &'a mut Inner,
    token: &AccessToken,
    broadcaster_id: &str,
    id: &str,
) -> Result<&'a mut Reward, Refusal> {
    let found = inner.rewards.iter_mut().find(|one| one.id == id && one.broadcaster_id == broadcaster_id);
    let found = found.ok_or_else(|| refuse(404, NOT_FOUND))?;
    if found.client_id.as_deref() != Some(&token.client_id) {
        let message =
            "The ID in the Client-Id header must match the client ID used to create the custom reward";
        return Err(refuse(403, message));
    }
    Ok(found)
}

fn record(inner: &mut Inner, action: &'static str, body: Value) {
    inner.record_engagement(EngagementCall { platform: Platform::Twitch, action, body });
}
