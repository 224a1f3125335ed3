//! Webhooks on command. Users are named by id or login.

use actix_web::{HttpResponse, web};
use serde::Deserialize;
use serde_json::json;

use super::{bad_request, not_found};
use crate::{
    Delivery, DeliveryOptions, Platform, User, kick,
    refusal::Refusal,
    server::Webhooks,
    stand_in,
    state::{Inner, State},
    twitch,
};

/// An event for the matching subscriptions, or for one receiver.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeliverBody<Event, Receiver> {
    event: Event,
    to: Option<Receiver>,
    #[serde(default)]
    options: DeliveryOptions,
}

/// A receiver that never subscribed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TwitchReceiver {
    callback: String,
    secret: String,
}

/// A receiver that never subscribed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KickReceiver {
    callback: String,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum TwitchEvent {
    ChatMessage { broadcaster: String, user: String, text: String },
    Follow { broadcaster: String, user: String },
    Raid { from: String, to: String, viewers: u32 },
    Subscribe { broadcaster: String, user: String, tier: u32, is_gift: bool },
    Cheer { broadcaster: String, user: Option<String>, bits: u32, message: String },
    Redemption { broadcaster: String, user: String, reward: String, input: String },
    StreamOnline { broadcaster: String },
    StreamOffline { broadcaster: String },
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum KickEvent {
    ChatMessage { broadcaster: String, user: String, text: String },
    Follow { broadcaster: String, user: String },
    SubscriptionNew { broadcaster: String, user: String },
    SubscriptionRenewal { broadcaster: String, user: String, months: u32 },
    SubscriptionGifts { broadcaster: String, gifter: Option<String>, giftees: Vec<String> },
    LivestreamStatus { broadcaster: String, is_live: bool, title: String },
    LivestreamMetadata { broadcaster: String, title: String, category: String },
    ModerationBanned { broadcaster: String, user: String, minutes: Option<u32>, reason: String },
    KicksGifted { broadcaster: String, user: String, amount: u32, message: String },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RevokeBody {
    id: String,
    #[serde(default = "authorization_revoked")]
    reason: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WebhookUrlBody {
    url: url::Url,
}

pub async fn twitch(
    state: web::Data<State>,
    webhooks: web::Data<Webhooks>,
    body: web::Json<DeliverBody<TwitchEvent, TwitchReceiver>>,
) -> Result<HttpResponse, Refusal> {
    let DeliverBody { event, to, options } = body.into_inner();
    let event = event.resolve(&mut state.lock())?;
    let deliveries = match to {
        None => stand_in::deliver_twitch(&state, &webhooks, &event, &options).await,
        Some(TwitchReceiver { callback, secret }) => {
            let subscription = twitch::Subscription::enabled(&event, &callback, &secret);
            let request = twitch::notification(&subscription, &event, &options);
            vec![request.deliver(&webhooks.client, &callback, &options).await]
        }
    };
    Ok(answer(deliveries))
}

pub async fn kick(
    state: web::Data<State>,
    webhooks: web::Data<Webhooks>,
    body: web::Json<DeliverBody<KickEvent, KickReceiver>>,
) -> Result<HttpResponse, Refusal> {
    let DeliverBody { event, to, options } = body.into_inner();
    let event = event.resolve(&state.lock())?;
    let deliveries = match to {
        None => stand_in::deliver_kick(&state, &webhooks, &event, &options).await.map_err(bad_request)?,
        Some(KickReceiver { callback }) => {
            vec![stand_in::deliver_kick_to(&state, &webhooks, &callback, &event, &options).await]
        }
    };
    Ok(answer(deliveries))
}

pub async fn revoke_eventsub(
    state: web::Data<State>,
    webhooks: web::Data<Webhooks>,
    body: web::Json<RevokeBody>,
) -> Result<HttpResponse, Refusal> {
    let delivery = stand_in::revoke_eventsub(&state, &webhooks, &body.id, &body.reason).await;
    let delivery = delivery.ok_or_else(|| not_found(format!("there is no subscription `{}`", body.id)))?;
    Ok(answer(vec![delivery]))
}

pub async fn set_kick_webhook_url(state: web::Data<State>, body: web::Json<WebhookUrlBody>) -> HttpResponse {
    state.lock().kick_webhook_url = Some(body.url.to_string());
    HttpResponse::NoContent().finish()
}

fn answer(deliveries: Vec<Delivery>) -> HttpResponse {
    HttpResponse::Ok().json(json!({ "deliveries": deliveries }))
}

fn authorization_revoked() -> String {
    "authorization_revoked".into()
}

impl TwitchEvent {
    /// The event. A redemption is also kept, as one that is open.
    fn resolve(&self, inner: &mut Inner) -> Result<twitch::Event, Refusal> {
        let user = |name: &String| find(inner, Platform::Twitch, name);
        Ok(match self {
            Self::ChatMessage { broadcaster, user: chatter, text } => {
                twitch::Event::chat_message(user(broadcaster)?, user(chatter)?, text)
            }
            Self::Follow { broadcaster, user: follower } => {
                twitch::Event::follow(user(broadcaster)?, user(follower)?)
            }
            Self::Raid { from, to, viewers } => twitch::Event::raid(user(from)?, user(to)?, *viewers),
            Self::Subscribe { broadcaster, user: subscriber, tier, is_gift } => {
                twitch::Event::subscribe(user(broadcaster)?, user(subscriber)?, *tier, *is_gift)
            }
            Self::Cheer { broadcaster, user: cheerer, bits, message } => {
                let cheerer = cheerer.as_ref().map(user).transpose()?;
                twitch::Event::cheer(user(broadcaster)?, cheerer, *bits, message)
            }
            Self::Redemption { broadcaster, user: viewer, reward, input } => {
                let (channel, viewer) = (user(broadcaster)?.clone(), user(viewer)?.clone());
                let redeemed = twitch::redeem(inner, &channel, &viewer, reward, input);
                redeemed.ok_or_else(|| not_found(format!("the channel has no reward `{reward}`")))?
            }
            Self::StreamOnline { broadcaster } => twitch::Event::stream_online(user(broadcaster)?),
            Self::StreamOffline { broadcaster } => twitch::Event::stream_offline(user(broadcaster)?),
        })
    }
}

impl KickEvent {
    fn resolve(&self, inner: &Inner) -> Result<kick::Event, Refusal> {
        let user = |name: &String| find(inner, Platform::Kick, name);
        Ok(match self {
            Self::ChatMessage { broadcaster, user: sender, text } => {
                kick::Event::chat_message(user(broadcaster)?, user(sender)?, text)
            }
            Self::Follow { broadcaster, user: follower } => {
                kick::Event::follow(user(broadcaster)?, user(follower)?)
            }
            Self::SubscriptionNew { broadcaster, user: subscriber } => {
                kick::Event::subscription_new(user(broadcaster)?, user(subscriber)?)
            }
            Self::SubscriptionRenewal { broadcaster, user: subscriber, months } => {
                kick::Event::subscription_renewal(user(broadcaster)?, user(subscriber)?, *months)
            }
            Self::SubscriptionGifts { broadcaster, gifter, giftees } => {
                let gifter = gifter.as_ref().map(user).transpose()?;
                let giftees: Vec<User> =
                    giftees.iter().map(|name| user(name).cloned()).collect::<Result<_, _>>()?;
                kick::Event::subscription_gifts(user(broadcaster)?, gifter, &giftees)
            }
            Self::LivestreamStatus { broadcaster, is_live, title } => {
                kick::Event::livestream_status(user(broadcaster)?, *is_live, title)
            }
            Self::LivestreamMetadata { broadcaster, title, category } => {
                kick::Event::livestream_metadata(user(broadcaster)?, title, category)
            }
            Self::ModerationBanned { broadcaster, user: banned, minutes, reason } => {
                let broadcaster = user(broadcaster)?;
                kick::Event::moderation_banned(broadcaster, broadcaster, user(banned)?, *minutes, reason)
            }
            Self::KicksGifted { broadcaster, user: sender, amount, message } => {
                kick::Event::kicks_gifted(user(broadcaster)?, user(sender)?, *amount, message)
            }
        })
    }
}

fn find<'a>(inner: &'a Inner, platform: Platform, name: &str) -> Result<&'a User, Refusal> {
    let user = inner.user(platform, name).or_else(|| inner.user_by_login(platform, name));
    user.ok_or_else(|| not_found(format!("there is no user `{name}` on {platform}")))
}
