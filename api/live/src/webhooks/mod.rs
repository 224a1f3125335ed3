//! Deliveries of the platforms (specification C §10, D §1 to §5): the signature is checked over the raw bytes, the
//! delivery is written to the inbox, then it is answered. What it means is found out by the ingest daemon.

mod db;
mod delivery;
mod kick;
pub mod rest;
mod trovo;
mod twitch;
mod youtube;

use std::time::Duration;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AnyOperation, Visitor},
};
use hmac::{KeyInit, Mac};
use shared::{
    ingest::inbox::{self, Inbound},
    jobs::HandleDelivery,
    platforms::Platform,
    secret::Secret,
};
use uuid::Uuid;

pub use delivery::{LARGEST_BODY, RawDelivery, WINDOW};

pub use youtube::HubQuestion;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &RECEIVE_TWITCH_WEBHOOK,
    &RECEIVE_KICK_WEBHOOK,
    &VERIFY_YOUTUBE_WEBHOOK,
    &RECEIVE_YOUTUBE_WEBHOOK,
    &RECEIVE_TROVO_WEBHOOK,
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
pub static RECEIVE_TWITCH_WEBHOOK: Operation<Visitor> = Operation::public("receiveTwitchWebhook").rest_only();

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
pub static RECEIVE_KICK_WEBHOOK: Operation<Visitor> = Operation::public("receiveKickWebhook").rest_only();

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
pub static VERIFY_YOUTUBE_WEBHOOK: Operation<Visitor> = Operation::public("verifyYoutubeWebhook").rest_only();

/// Answers the hub's question whether its deliveries are wanted: those of connected channels are.
///
/// # Errors
/// 400 when it is not a hub's question; 404 when the feed is not one that is wanted, or is one whose end was not asked
/// for.
pub async fn verify_youtube_webhook(cx: &Cx, question: Input<HubQuestion>) -> Result<Received> {
    let visitor = cx.authorize(&VERIFY_YOUTUBE_WEBHOOK).await?;
    let wish = youtube::read_question(question?)?;
    let is_connected =
        db::is_connected(&mut *visitor.db().await?, Platform::Youtube, &wish.channel_id).await?;
    if is_connected == wish.is_subscribe {
        return Ok(Received::Challenge(wish.challenge));
    }
    Err(ApiError::not_found("No such subscription"))
}

/// A delivery of YouTube's hub.
pub static RECEIVE_YOUTUBE_WEBHOOK: Operation<Visitor> =
    Operation::public("receiveYoutubeWebhook").rest_only();

/// Takes a delivery of the hub: videos that were published or changed. The channel is looked at for a broadcast.
///
/// # Errors
/// 401 when it is not signed with our secret; 400 when it is larger than 256 KiB or no feed of videos.
pub async fn receive_youtube_webhook(cx: &Cx, delivery: Input<RawDelivery>) -> Result<Received> {
    let visitor = cx.authorize(&RECEIVE_YOUTUBE_WEBHOOK).await?;
    let delivery = delivery?;
    youtube::verify(&delivery, cx.state().config.ingest.youtube_hub_secret.as_ref())?;
    let videos = youtube::read(&delivery, cx.state().clock.now())?;
    accept(cx, &visitor, &videos).await
}

/// A delivery of Trovo.
pub static RECEIVE_TROVO_WEBHOOK: Operation<Visitor> = Operation::public("receiveTrovoWebhook").rest_only();

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
    for id in accepted {
        enqueue(cx, first.platform, id).await;
    }
    Ok(Received::Accepted)
}

async fn enqueue(cx: &Cx, platform: Platform, delivery_id: Uuid) {
    let (job, key) = (HandleDelivery { delivery_id }, delivery_id.to_string());
    let enqueued = tokio::time::timeout(ENQUEUE_TIMEOUT, cx.state().jobs.enqueue(&job, &key)).await;
    match enqueued {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => {
            tracing::warn!(%platform, %delivery_id, %error, "a delivery waits for the sweep of the inbox")
        }
        Err(_elapsed) => {
            tracing::warn!(%platform, %delivery_id, "a delivery waits for the sweep of the inbox")
        }
    }
}

/// Checks a hexadecimal HMAC over a message, in constant time.
fn check_hmac<M: Mac + KeyInit>(secret: &Secret, message: &[u8], signature: &str) -> Result<()> {
    let signature = hex::decode(signature).map_err(|_error| bad_signature())?;
    let mut mac = <M as KeyInit>::new_from_slice(secret.expose().as_bytes()).map_err(ApiError::internal)?;
    mac.update(message);
    mac.verify_slice(&signature).map_err(|_mismatch| bad_signature())
}

fn bad_signature() -> ApiError {
    ApiError::unauthorized("Invalid webhook signature")
}
