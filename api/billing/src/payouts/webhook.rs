//! What the payment provider tells of payouts (specification A §4.1): the move that an operator would make by hand. The
//! signature is `X-Payouts-Signature: t={unix seconds},v1={hex}`, the HMAC-SHA256 over `{t}.{raw body}`.

use actix_web::{
    HttpRequest, HttpResponse, post,
    web::{Data, Payload, ServiceConfig},
};
use api_core::{
    Cx, Input, Operation, Result, State,
    access::{Grants, Visitor},
    http::parse,
    webhooks::{MAX_BODY_BYTES, RawDelivery, bad_signature, check_age, check_sha256, nobody},
};
use chrono::DateTime;
use diesel_async::AsyncConnection;
use serde::Deserialize;
use shared::secret::Secret;
use uuid::Uuid;

use super::{Advance, PayoutStatus, advance};

/// What the provider tells.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct PayoutNews {
    /// The payout, as Lumio named it when it was paid.
    pub payout_id: Uuid,
    pub status: PayoutStatus,
}

/// The provider tells of a payout.
pub static RECEIVE_PAYOUT_WEBHOOK: Operation<Visitor> =
    Operation::public("receivePayoutWebhook", Grants::Nothing).rest_only();

/// Moves a payout to the status that the provider tells. News that came before, that came late, or that are of a
/// payout which Lumio does not know have no effect: delivering them again would not change that.
///
/// # Errors
/// 401 when they are not signed with our secret, or more than ten minutes ago; 400 when they are larger than 256 KiB or
/// name no payout or status.
pub async fn receive_payout_webhook(cx: &Cx, delivery: Input<RawDelivery>) -> Result<()> {
    let visitor = cx.authorize(&RECEIVE_PAYOUT_WEBHOOK).await?;
    let delivery = delivery?;
    verify(cx, &delivery, cx.state().config.billing.payouts_webhook_secret.as_ref())?;
    let PayoutNews { payout_id, status } = parse(&delivery.body)?;
    let advanced = visitor
        .db()
        .await?
        .transaction(async |connection| advance(cx, connection, payout_id, status).await)
        .await?;
    match advanced {
        Advance::Done(_) => {}
        Advance::Unknown => tracing::warn!(%payout_id, "the provider tells of a payout that there is not"),
        Advance::Refused(from) if from == status => {}
        Advance::Refused(from) => {
            tracing::warn!(%payout_id, ?from, ?status, "the provider tells what does not follow");
        }
    }
    Ok(())
}

/// The route, which stays out of the OpenAPI document.
pub fn routes(config: &mut ServiceConfig) {
    config.service(receive);
}

/// News of payouts.
#[post("/v1/webhooks/payouts")]
async fn receive(state: Data<State>, request: HttpRequest, payload: Payload) -> Result<HttpResponse> {
    let delivery = RawDelivery::read(&request, payload, MAX_BODY_BYTES).await;
    receive_payout_webhook(&nobody(&state), delivery).await?;
    Ok(HttpResponse::Ok().finish())
}

fn verify(cx: &Cx, delivery: &RawDelivery, secret: Option<&Secret>) -> Result<()> {
    let header = delivery.signature_header("x-payouts-signature")?;
    let Some(secret) = secret else {
        tracing::warn!("LUMIO_PAYOUTS_WEBHOOK_SECRET is not set: news of payouts cannot be verified");
        return Err(bad_signature());
    };
    let (time, signature) = parts(header).ok_or_else(bad_signature)?;
    let signature = hex::decode(signature).map_err(|_error| bad_signature())?;
    check_sha256(secret, &[time.as_bytes(), b".", &delivery.body].concat(), &signature)?;
    let signed_at = time.parse().ok().and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    check_age(signed_at.ok_or_else(bad_signature)?, cx.state().clock.now())
}

/// `t` and `v1` of the header.
fn parts(header: &str) -> Option<(&str, &str)> {
    let (time, signature) = header.split_once(',')?;
    Some((time.trim().strip_prefix("t=")?, signature.trim().strip_prefix("v1=")?))
}
