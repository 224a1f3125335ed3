//! Deliveries of the platforms (specification C §10, D §1 to §5): the signature is checked over the raw bytes, the
//! delivery is written to the inbox, then it is answered. What it means is found out by the ingest daemon.

mod db;
mod delivery;
mod kick;
pub mod rest;
mod shopify;
mod trovo;
mod twitch;
mod youtube;

use std::time::Duration;

use api_core::{
    ApiError, Code, Cx, Input, Operation, Result,
    access::{AnyOperation, Grants, Visitor, account_features},
    http::{Tier, rate_key},
    webhooks::{bad_signature, check_mac},
};
use chrono::{DateTime, Utc};
use hmac::{KeyInit, Mac};
use shared::{
    catalogue::Feature,
    ingest::{
        inbox::{self, Inbound},
        shop::{self, SHOPIFY},
    },
    jobs::HandleDelivery,
    platforms::{Platform, youtube::callback::HubCallback},
    secret::Secret,
};
use uuid::Uuid;

pub use delivery::{MAX_BODY_BYTES, RawDelivery, WINDOW};

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

/// A platform waits for seconds only, and the periodic sweep of the inbox does what a failed enqueue left undone.
const ENQUEUE_TIMEOUT: Duration = Duration::from_secs(1);

/// What was not stored by then is refused, and delivered again by the platform.
const STORE_TIMEOUT: Duration = Duration::from_secs(5);

/// What a platform is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Received {
    /// The delivery is durable, was so before, or is of no interest.
    Accepted,
    /// The platform asks whether the address wants its deliveries: the text to send back as it is.
    Challenge(String),
}

/// A delivery of Twitch EventSub.
pub static RECEIVE_TWITCH_WEBHOOK: Operation<Visitor> =
    Operation::public("receiveTwitchWebhook", Grants::Nothing).rest_only();

/// Takes a delivery of Twitch EventSub: a notification, a question about the address, or the end of a subscription.
///
/// # Errors
/// 401 when it is not signed with our secret or was sent more than ten minutes ago; 400 when it is larger than
/// 256 KiB or not what Twitch documents. Nothing is stored then.
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

/// A delivery of Kick.
pub static RECEIVE_KICK_WEBHOOK: Operation<Visitor> =
    Operation::public("receiveKickWebhook", Grants::Nothing).rest_only();

/// Takes a delivery of Kick. Events that Lumio does not know are accepted without effect, so that Kick does not end
/// the subscription.
///
/// # Errors
/// 401 when it is not signed by Kick or was sent more than ten minutes ago; 400 when it is larger than 256 KiB, not
/// JSON, or of another shape than its type, which Kick does not sign; 500 when Kick's key cannot be had.
pub async fn receive_kick_webhook(cx: &Cx, delivery: Input<RawDelivery>) -> Result<Received> {
    let visitor = cx.authorize(&RECEIVE_KICK_WEBHOOK).await?;
    let delivery = delivery?;
    let signed = kick::verify(&delivery, &cx.state().platforms).await?;
    signed.check_age(cx.state().clock.now())?;
    match kick::read(&delivery, signed)? {
        Some(delivery) => accept(cx, &visitor, &[delivery]).await,
        None => Ok(Received::Accepted),
    }
}

/// The question of YouTube's hub.
pub static VERIFY_YOUTUBE_WEBHOOK: Operation<Visitor> =
    Operation::public("verifyYoutubeWebhook", Grants::Nothing).rest_only();

/// Answers the hub's question whether its deliveries are wanted: those of connected channels are. Whoever asks at
/// another address than the one that was given to the hub is counted as anonymous callers are.
///
/// # Errors
/// 401 at an address that the deployment gave to nobody, 429 for too many there; 400 when it is not a hub's question;
/// 404 when the feed is not the address's or not one that is wanted, or is one whose end was not asked for.
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
    let wish = youtube::read_question(question?)?;
    if wish.channel_id != channel {
        return Err(ApiError::not_found("No such subscription"));
    }
    let is_connected =
        db::is_connected(&mut *visitor.db().await?, Platform::Youtube, &wish.channel_id).await?;
    if is_connected == wish.is_subscribe {
        return Ok(Received::Challenge(wish.challenge));
    }
    Err(ApiError::not_found("No such subscription"))
}

/// A delivery of YouTube's hub.
pub static RECEIVE_YOUTUBE_WEBHOOK: Operation<Visitor> =
    Operation::public("receiveYoutubeWebhook", Grants::Nothing).rest_only();

/// Takes a delivery of the hub: videos that were published or changed. The channel is looked at for a broadcast.
///
/// # Errors
/// 401 at an address that the deployment gave to nobody, or when it is not signed with our secret; 400 when it is larger
/// than 256 KiB, no feed of videos, or one of another channel than the address is for.
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

/// The channel whose address it is.
fn own_channel(cx: &Cx, callback: Input<HubCallback>) -> Result<String> {
    let Some(key) = &cx.state().config.ingest.youtube_hub_secret else {
        tracing::warn!("LUMIO_YOUTUBE_HUB_SECRET is not set: the hub cannot be told from others");
        return Err(bad_signature());
    };
    callback?.vouched(key)?.map(str::to_owned).ok_or_else(bad_signature)
}

/// A delivery of Trovo.
pub static RECEIVE_TROVO_WEBHOOK: Operation<Visitor> =
    Operation::public("receiveTrovoWebhook", Grants::Nothing).rest_only();

/// Takes a delivery of Trovo: chat as its socket tells it.
///
/// # Errors
/// 401 when it is not signed with our secret, or everything in it was sent more than ten minutes ago; 400 when it is
/// larger than 256 KiB or not what Trovo's chat documents.
pub async fn receive_trovo_webhook(cx: &Cx, delivery: Input<RawDelivery>) -> Result<Received> {
    let visitor = cx.authorize(&RECEIVE_TROVO_WEBHOOK).await?;
    let delivery = delivery?;
    trovo::verify(&delivery, cx.state().config.ingest.trovo_webhook_secret.as_ref())?;
    let chats = trovo::read(&delivery, cx.state().clock.now())?;
    accept(cx, &visitor, &chats).await
}

/// A delivery of Shopify.
pub static RECEIVE_SHOPIFY_WEBHOOK: Operation<Visitor> =
    Operation::public("receiveShopifyWebhook", Grants::Nothing).rest_only();

/// Takes a delivery of Shopify: an order in a shop that an account has connected. Other topics and shops are accepted
/// without effect, so that Shopify does not end the subscription.
///
/// # Errors
/// 401 when it is not signed with our secret or was sent more than ten minutes ago; 403 `FEATURE_DISABLED` when the
/// account may not use the integration; 400 when it is larger than 256 KiB or no order.
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
    let Some(told) = read.filter(|_| account.is_some()) else { return Ok(Received::Accepted) };
    let store = async {
        let mut connection = visitor.db().await?;
        shop::accept_order(&mut connection, &told.webhook_id, &told.order, told.sent_at, now)
            .await
            .map_err(ApiError::from)
    };
    let accepted = tokio::time::timeout(STORE_TIMEOUT, store).await.map_err(ApiError::internal)??;
    hand_on(cx, SHOPIFY, accepted.as_slice()).await;
    Ok(Received::Accepted)
}

/// What stands in a delivery whose signature was checked, for whoever feeds the readers with anything.
///
/// # Errors
/// 400 and 401 as the operations of the platform; 404 for platforms that deliver nothing.
pub fn read_believed(platform: Platform, delivery: &RawDelivery, now: DateTime<Utc>) -> Result<Vec<Inbound>> {
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

/// The order in a delivery of a shop whose signature was checked, for whoever feeds the reader with anything.
///
/// # Errors
/// 400 and 401 as the operation.
pub fn read_believed_order(delivery: &RawDelivery, now: DateTime<Utc>) -> Result<Option<shop::ShopOrder>> {
    let read = shopify::read(delivery, "shop.example".to_owned(), now)?;
    Ok(read.map(|delivery| delivery.order))
}

/// Makes deliveries durable and hands them on.
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
        tracing::debug!(platform = %first.platform, repeated, "deliveries came again");
    }
    hand_on(cx, first.platform, &accepted).await;
    Ok(Received::Accepted)
}

/// Adds the jobs of stored deliveries in one call, which the platform does not wait for long.
async fn hand_on(cx: &Cx, source: impl std::fmt::Display, accepted: &[Uuid]) {
    if accepted.is_empty() {
        return;
    }
    let job = |id: &Uuid| (HandleDelivery { delivery_id: *id }, id.to_string());
    let jobs: Vec<(HandleDelivery, String)> = accepted.iter().map(job).collect();
    let deliveries = jobs.len();
    match tokio::time::timeout(ENQUEUE_TIMEOUT, cx.state().jobs.enqueue_each(&jobs)).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => {
            tracing::warn!(%source, deliveries, %error, "deliveries wait for the sweep of the inbox");
        }
        Err(_elapsed) => tracing::warn!(%source, deliveries, "deliveries wait for the sweep of the inbox"),
    }
}

/// Checks a hexadecimal HMAC over a message, in constant time.
fn check_hmac<M: Mac + KeyInit>(secret: &Secret, message: &[u8], signature: &str) -> Result<()> {
    let signature = hex::decode(signature).map_err(|_error| bad_signature())?;
    check_mac::<M>(secret, message, &signature)
}
