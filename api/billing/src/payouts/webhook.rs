//! Webhook of the payment provider, which reports the status of payouts
//! (reference/billing.md#payout-webhook). The signature is `X-Payouts-Signature: t={unix seconds},v1={hex}`,
//! the HMAC-SHA256 over `{t}.{raw body}`.

use actix_web::{
    HttpRequest, HttpResponse, post,
    web::{Data, Payload, ServiceConfig},
};
use api_core::{
    Cx, Input, Operation, Result, State,
    access::{Grants, Visitor},
    http::parse,
    webhooks::{MAX_BODY_BYTES, RawDelivery, anonymous_cx, bad_signature, check_age, check_sha256},
};
use chrono::DateTime;
use diesel_async::AsyncConnection;
use serde::Deserialize;
use shared::secret::Secret;
use uuid::Uuid;

use super::{Advance, PayoutStatus, advance};

/// Status of a payout, as the provider reports it.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct PayoutNews {
    /// Id of the payout at Lumio.
    pub payout_id: Uuid,
    /// New status.
    pub status: PayoutStatus,
}

pub static RECEIVE_PAYOUT_WEBHOOK: Operation<Visitor> =
    Operation::public("receivePayoutWebhook", Grants::Nothing)
        .rest_only()
        .not_idempotent("a repeated status changes nothing");

/// Receives the status of a payout from the payment provider.
///
/// The delivery is signed with `X-Payouts-Signature`. A status that was reported before, that the present
/// status does not allow, or of an unknown payout has no effect and is answered 200, because a repetition
/// would not change it. A change notifies the developer.
///
/// # Errors
/// - 400: the body is larger than 256 KiB, or names no payout or status.
/// - 401: the signature is missing or wrong, or more than ten minutes old.
#[api_core::operation]
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
        Advance::Unknown => tracing::warn!(%payout_id, "the provider reports an unknown payout"),
        Advance::Refused(from) if from == status => {}
        Advance::Refused(from) => {
            tracing::warn!(%payout_id, ?from, ?status, "the provider reports a status that cannot follow");
        }
    }
    Ok(())
}

/// Route of the webhook, which is not in the OpenAPI document.
pub fn routes(config: &mut ServiceConfig) {
    config.service(receive);
}

/// Receives a delivery of the provider.
#[post("/v1/webhooks/payouts")]
async fn receive(state: Data<State>, request: HttpRequest, payload: Payload) -> Result<HttpResponse> {
    let delivery = RawDelivery::read(&request, payload, MAX_BODY_BYTES).await;
    receive_payout_webhook(&anonymous_cx(&state), delivery).await?;
    Ok(HttpResponse::Ok().finish())
}

fn verify(cx: &Cx, delivery: &RawDelivery, secret: Option<&Secret>) -> Result<()> {
    let header = delivery.signature_header("x-payouts-signature")?;
    let Some(secret) = secret else {
        tracing::warn!("LUMIO_PAYOUTS_WEBHOOK_SECRET is not set: webhooks of payouts cannot be verified");
        return Err(bad_signature());
    };
    let (time, signature) = parts(header).ok_or_else(bad_signature)?;
    let signature = hex::decode(signature).map_err(|_error| bad_signature())?;
    check_sha256(secret, &[time.as_bytes(), b".", &delivery.body].concat(), &signature)?;
    let signed_at = time.parse().ok().and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    check_age(signed_at.ok_or_else(bad_signature)?, cx.state().clock.now())
}

/// Values of `t` and `v1` in the header.
fn parts(header: &str) -> Option<(&str, &str)> {
    let (time, signature) = header.split_once(',')?;
    Some((time.trim().strip_prefix("t=")?, signature.trim().strip_prefix("v1=")?))
}
