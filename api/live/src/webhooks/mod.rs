//! Deliveries of the platforms (specification C §10, D §1, §2, §4): the signature is checked over the raw bytes, the
//! delivery is written to the inbox, then it is answered. What it means is found out by the ingest daemon.

mod db;
mod delivery;
mod kick;
pub mod rest;
mod twitch;

use std::time::Duration;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AnyOperation, Visitor},
};
use shared::{jobs::HandleDelivery, platforms::Platform};
use uuid::Uuid;

pub use delivery::{LARGEST_BODY, RawDelivery, WINDOW};

use delivery::VerifiedDelivery;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&RECEIVE_TWITCH_WEBHOOK, &RECEIVE_KICK_WEBHOOK];

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
        twitch::Message::Delivery(delivery) => accept(cx, &visitor, delivery).await,
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
        Some(delivery) => accept(cx, &visitor, delivery).await,
        None => Ok(Received::Accepted),
    }
}

/// Makes a delivery durable and hands it on.
async fn accept(cx: &Cx, visitor: &Visitor, delivery: VerifiedDelivery) -> Result<Received> {
    let store = async { db::insert(&mut *visitor.db().await?, &delivery, cx.state().clock.now()).await };
    let inserted = tokio::time::timeout(STORE_TIMEOUT, store).await.map_err(ApiError::internal)??;
    match inserted {
        Some(id) => enqueue(cx, delivery.platform, id).await,
        None => tracing::debug!(platform = %delivery.platform, "a delivery came again"),
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

fn bad_signature() -> ApiError {
    ApiError::unauthorized("Invalid webhook signature")
}
