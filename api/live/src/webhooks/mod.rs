//! Deliveries of the platforms (reference/ingest.md#deliveries): the signature is checked over the raw bytes,
//! the delivery is written to the inbox, and then the response is sent. The ingest daemon interprets it.

mod db;
mod delivery;
mod kick;
pub mod rest;
mod shopify;
mod trovo;
mod twitch;
mod youtube;

use platform_access::PlatformAccess as _;
use std::time::Duration;

use api_core::{
    ApiError, Code, Cx, Input, Operation, Result,
    access::{AnyOperation, Grants, Visitor, account_features},
    http::{Tier, rate_key},
    webhooks::{bad_signature, check_mac},
};
use chrono::{DateTime, Utc};
use foundation::jobs::HandleDelivery;
use hmac::{KeyInit, Mac};
use live_model::{
    inbox::{self, Inbound},
    shop::{self, SHOPIFY},
};
use platforms::youtube::callback::HubCallback;
use shared::{catalogue::Feature, platform::Platform, secret::Secret};
use uuid::Uuid;

pub use delivery::{MAX_BODY_BYTES, MAX_DELIVERY_AGE, RawDelivery};

pub use youtube::HubQuestion;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &RECEIVE_TWITCH_WEBHOOK,
    &RECEIVE_KICK_WEBHOOK,
    &VERIFY_YOUTUBE_WEBHOOK,
    &RECEIVE_YOUTUBE_WEBHOOK,
    &RECEIVE_TROVO_WEBHOOK,
    &RECEIVE_SHOPIFY_WEBHOOK,
];

/// Longest wait for the queue. A platform waits for seconds only, and the periodic sweep of the inbox repeats
/// a failed enqueue.
const ENQUEUE_TIMEOUT: Duration = Duration::from_secs(1);

/// Longest wait for the inbox. A delivery that is not stored by then is refused, and the platform sends it
/// again.
const STORE_TIMEOUT: Duration = Duration::from_secs(5);

/// Response to a platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Received {
    /// The delivery is stored now, was stored before, or has no effect.
    Accepted,
    /// The platform verifies the address: the text to return unchanged.
    Challenge(String),
}

pub static RECEIVE_TWITCH_WEBHOOK: Operation<Visitor> =
    Operation::public("receiveTwitchWebhook", Grants::Nothing)
        .rest_only()
        .not_idempotent("the platform's delivery id is its key");

/// Receives a delivery of Twitch EventSub: a notification, a verification, or the end of a subscription.
///
/// The delivery is stored before the response and processed afterwards. A repeated delivery has no effect. A
/// verification returns the challenge.
///
/// (reference/ingest.md#deliveries)
///
/// # Errors
/// 401 for a delivery that is not signed with the secret of the deployment or is older than ten minutes; 400
/// for one that is larger than 256 KiB or not as Twitch documents. Nothing is stored then.
#[api_core::operation]
pub async fn receive_twitch_webhook(cx: &Cx, delivery: Input<RawDelivery>) -> Result<Received> {
    let visitor = cx.authorize(&RECEIVE_TWITCH_WEBHOOK).await?;
    let delivery = delivery?;
    let secret = cx.state().config.platforms.twitch_eventsub_secret.as_ref();
    let signed = twitch::verify(&delivery, secret)?;
    signed.check_age(cx.state().clock.now())?;
    match twitch::read(&delivery, signed)? {
        twitch::Message::Verification { challenge } => Ok(Received::Challenge(challenge)),
        twitch::Message::Delivery(delivery) => accept(cx, &visitor, &[delivery]).await,
    }
}

pub static RECEIVE_KICK_WEBHOOK: Operation<Visitor> =
    Operation::public("receiveKickWebhook", Grants::Nothing)
        .rest_only()
        .not_idempotent("the platform's delivery id is its key");

/// Receives a delivery of Kick.
///
/// The delivery is stored before the response and processed afterwards. A repeated delivery has no effect.
/// Events that Lumio does not support are accepted without effect, so that Kick does not end the
/// subscription.
///
/// (reference/ingest.md#deliveries)
///
/// # Errors
/// 401 for a delivery that is not signed by Kick or is older than ten minutes; 400 for one that is larger
/// than 256 KiB, not JSON, or of another shape than its type, which Kick does not sign; 500 when Kick's key
/// is not available.
#[api_core::operation]
pub async fn receive_kick_webhook(cx: &Cx, delivery: Input<RawDelivery>) -> Result<Received> {
    let visitor = cx.authorize(&RECEIVE_KICK_WEBHOOK).await?;
    let delivery = delivery?;
    let signed = kick::verify(&delivery, cx.state().platforms()).await?;
    signed.check_age(cx.state().clock.now())?;
    match kick::read(&delivery, signed)? {
        Some(delivery) => accept(cx, &visitor, &[delivery]).await,
        None => Ok(Received::Accepted),
    }
}

pub static VERIFY_YOUTUBE_WEBHOOK: Operation<Visitor> =
    Operation::public("verifyYoutubeWebhook", Grants::Nothing).rest_only();

/// Confirms to YouTube's hub that its deliveries are wanted.
///
/// Deliveries of connected channels are wanted. A request at an address that was not given to the hub counts
/// against the limit of anonymous callers.
///
/// (reference/ingest.md#hub-of-youtube)
///
/// # Errors
/// 401 at an address that the deployment did not issue, 429 for too many requests there; 400 for a request
/// that is not one of a hub; 404 for a feed that does not belong to the address or is not wanted, and for an
/// end of a subscription that was not requested.
#[api_core::operation]
pub async fn verify_youtube_webhook(
    cx: &Cx,
    callback: Input<HubCallback>,
    question: Input<HubQuestion>,
) -> Result<Received> {
    let visitor = cx.authorize(&VERIFY_YOUTUBE_WEBHOOK).await?;
    let Ok(channel) = own_channel(cx, callback) else {
        let (limits, address) = (&cx.state().config.rate_limits, rate_key(cx.request().ip));
        let (limiter, tier) = (&cx.state().limiter, Tier::Anonymous);
        cx.refuse_over(&limiter.check(tier, &address, tier.limit(limits)).await)?;
        return Err(bad_signature());
    };
    let hub_request = youtube::read_question(question?)?;
    if hub_request.channel_id != channel {
        return Err(ApiError::not_found("No such subscription"));
    }
    let is_connected =
        db::is_connected(&mut *visitor.db().await?, Platform::Youtube, &hub_request.channel_id).await?;
    if is_connected == hub_request.is_subscribe {
        return Ok(Received::Challenge(hub_request.challenge));
    }
    Err(ApiError::not_found("No such subscription"))
}

pub static RECEIVE_YOUTUBE_WEBHOOK: Operation<Visitor> =
    Operation::public("receiveYoutubeWebhook", Grants::Nothing)
        .rest_only()
        .not_idempotent("the platform's delivery id is its key");

/// Receives a delivery of YouTube's hub: videos that were published or changed.
///
/// The delivery is stored before the response. The channel is then checked for a broadcast. Deleted videos
/// are ignored.
///
/// (reference/ingest.md#hub-of-youtube)
///
/// # Errors
/// 401 at an address that the deployment did not issue, or for a delivery that is not signed with its secret;
/// 400 for one that is larger than 256 KiB, is no feed of videos, or belongs to another channel than the
/// address.
#[api_core::operation]
pub async fn receive_youtube_webhook(
    cx: &Cx,
    callback: Input<HubCallback>,
    delivery: Input<RawDelivery>,
) -> Result<Received> {
    let visitor = cx.authorize(&RECEIVE_YOUTUBE_WEBHOOK).await?;
    let channel = own_channel(cx, callback)?;
    let delivery = delivery?;
    youtube::verify(&delivery, cx.state().config.ingest.youtube_hub_secret.as_ref())?;
    let videos = youtube::read(&delivery, cx.state().clock.now())?;
    if videos.iter().any(|video| video.body["channel_id"] != channel.as_str()) {
        return Err(ApiError::bad_request("The feed is of another channel than the address"));
    }
    accept(cx, &visitor, &videos).await
}

/// Channel of the address.
fn own_channel(cx: &Cx, callback: Input<HubCallback>) -> Result<String> {
    let Some(key) = &cx.state().config.ingest.youtube_hub_secret else {
        tracing::warn!("LUMIO_YOUTUBE_HUB_SECRET is not set: requests of the hub cannot be authenticated");
        return Err(bad_signature());
    };
    callback?.vouched(key)?.map(str::to_owned).ok_or_else(bad_signature)
}

pub static RECEIVE_TROVO_WEBHOOK: Operation<Visitor> =
    Operation::public("receiveTrovoWebhook", Grants::Nothing)
        .rest_only()
        .not_idempotent("the platform's delivery id is its key");

/// Receives a delivery of Trovo: chat in the form of its socket.
///
/// The delivery is stored before the response and processed afterwards. A repeated delivery has no effect.
///
/// (reference/ingest.md#deliveries)
///
/// # Errors
/// 401 for a delivery that is not signed with the secret of the deployment, or whose content is all older
/// than ten minutes; 400 for one that is larger than 256 KiB or not as Trovo documents.
#[api_core::operation]
pub async fn receive_trovo_webhook(cx: &Cx, delivery: Input<RawDelivery>) -> Result<Received> {
    let visitor = cx.authorize(&RECEIVE_TROVO_WEBHOOK).await?;
    let delivery = delivery?;
    trovo::verify(&delivery, cx.state().config.ingest.trovo_webhook_secret.as_ref())?;
    let chats = trovo::read(&delivery, cx.state().clock.now())?;
    accept(cx, &visitor, &chats).await
}

pub static RECEIVE_SHOPIFY_WEBHOOK: Operation<Visitor> =
    Operation::public("receiveShopifyWebhook", Grants::Nothing)
        .rest_only()
        .not_idempotent("the platform's delivery id is its key");

/// Receives a delivery of Shopify: an order in a connected shop.
///
/// An order is stored once, also when several topics report it. Other topics and shops are accepted without
/// effect, so that Shopify does not end the subscription.
///
/// (reference/ingest.md#orders-of-shops)
///
/// # Errors
/// 401 for a delivery that is not signed with the secret of the deployment or is older than ten minutes; 403
/// `FEATURE_DISABLED` when the account may not use the integration; 400 for one that is larger than 256 KiB
/// or no order.
#[api_core::operation]
pub async fn receive_shopify_webhook(cx: &Cx, delivery: Input<RawDelivery>) -> Result<Received> {
    let visitor = cx.authorize(&RECEIVE_SHOPIFY_WEBHOOK).await?;
    let delivery = delivery?;
    shopify::verify(&delivery, cx.state().config.ingest.shopify_webhook_secret.as_ref())?;
    let shop = shopify::shop(&delivery)?;
    let account = shopify::account(&mut *visitor.db().await?, &shop).await?;
    if let Some(account) = account
        && !account_features(cx.state(), account).await?.has(Feature::Shopify)
    {
        let message = format!("Feature is disabled: {}", Feature::Shopify.key());
        return Err(ApiError::new(Code::FeatureDisabled, message));
    }
    let now = cx.state().clock.now();
    let read = shopify::read(&delivery, shop, now)?;
    let Some(delivered) = read.filter(|_| account.is_some()) else { return Ok(Received::Accepted) };
    let store = async {
        let mut connection = visitor.db().await?;
        shop::accept_order(&mut connection, &delivered.webhook_id, &delivered.order, delivered.sent_at, now)
            .await
            .map_err(ApiError::from)
    };
    let accepted = tokio::time::timeout(STORE_TIMEOUT, store).await.map_err(ApiError::internal)??;
    enqueue(cx, SHOPIFY, accepted.as_slice()).await;
    Ok(Received::Accepted)
}

/// Content of a delivery after the check of its signature, for tests with arbitrary input.
///
/// # Errors
/// 400 and 401 like the operation of the platform; 404 for platforms without deliveries.
pub fn read_verified(platform: Platform, delivery: &RawDelivery, now: DateTime<Utc>) -> Result<Vec<Inbound>> {
    let signed = || delivery::Signed { delivery_id: "believed".to_owned(), sent_at: now };
    match platform {
        Platform::Twitch => match twitch::read(delivery, signed())? {
            twitch::Message::Verification { .. } => Ok(Vec::new()),
            twitch::Message::Delivery(delivery) => Ok(vec![delivery]),
        },
        Platform::Kick => Ok(kick::read(delivery, signed())?.into_iter().collect()),
        Platform::Youtube => youtube::read(delivery, now),
        Platform::Trovo => trovo::read(delivery, now),
        Platform::Spotify | Platform::Discord => Err(ApiError::not_found("No such webhook")),
    }
}

/// Order of a delivery after the check of its signature, for tests with arbitrary input.
///
/// # Errors
/// 400 and 401 like the operation.
pub fn read_verified_order(delivery: &RawDelivery, now: DateTime<Utc>) -> Result<Option<shop::ShopOrder>> {
    let read = shopify::read(delivery, "shop.example".to_owned(), now)?;
    Ok(read.map(|delivery| delivery.order))
}

/// Stores deliveries and enqueues them.
async fn accept(cx: &Cx, visitor: &Visitor, deliveries: &[Inbound]) -> Result<Received> {
    let Some(first) = deliveries.first() else { return Ok(Received::Accepted) };
    let store = async {
        inbox::accept(&mut *visitor.db().await?, deliveries, cx.state().clock.now())
            .await
            .map_err(ApiError::from)
    };
    let accepted = tokio::time::timeout(STORE_TIMEOUT, store).await.map_err(ApiError::internal)??;
    let repeated = deliveries.len() - accepted.len();
    if repeated > 0 {
        tracing::debug!(platform = %first.platform, repeated, "repeated deliveries");
    }
    enqueue(cx, first.platform, &accepted).await;
    Ok(Received::Accepted)
}

/// Enqueues the jobs of stored deliveries in one call, for which the platform does not wait long.
async fn enqueue(cx: &Cx, source: impl std::fmt::Display, accepted: &[Uuid]) {
    if accepted.is_empty() {
        return;
    }
    let job = |id: &Uuid| (HandleDelivery { delivery_id: *id }, id.to_string());
    let jobs: Vec<(HandleDelivery, String)> = accepted.iter().map(job).collect();
    let deliveries = jobs.len();
    match tokio::time::timeout(ENQUEUE_TIMEOUT, cx.state().jobs.enqueue_each(&jobs)).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => {
            tracing::warn!(%source, deliveries, %error, "deliveries have no job until the sweep of the inbox");
        }
        Err(_elapsed) => {
            tracing::warn!(%source, deliveries, "deliveries have no job until the sweep of the inbox");
        }
    }
}

/// Checks a hexadecimal HMAC over a message, in constant time.
fn check_hmac<M: Mac + KeyInit>(secret: &Secret, message: &[u8], signature: &str) -> Result<()> {
    let signature = hex::decode(signature).map_err(|_error| bad_signature())?;
    check_mac::<M>(secret, message, &signature)
}
