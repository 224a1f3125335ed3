//! Deliveries of other services (reference/connections.md#inbound-webhooks). They carry a signature over the
//! raw body instead of a credential. The signature is checked before any part of the body is trusted.

use actix_web::{
    HttpRequest,
    http::header::{CONTENT_LENGTH, HeaderMap},
    web::{Bytes, Data, Payload},
};
use chrono::{DateTime, Duration, Utc};
use hmac::{Hmac, KeyInit, Mac};
use live_model::inbox::storable;
use serde_json::Value;
use sha2::Sha256;
use shared::secret::Secret;

use crate::{
    ApiError, Cx, Result, State,
    access::{Principal, RequestInfo},
    http::{Input, read},
};

/// Largest body of a delivery, in bytes.
pub const MAX_BODY_BYTES: usize = 256 * 1024;
/// Largest difference between the time of a delivery and the clock of the process.
pub const MAX_DELIVERY_AGE: Duration = Duration::minutes(10);

/// A delivery as received.
#[derive(Debug)]
pub struct RawDelivery {
    /// Headers of the request.
    pub headers: HeaderMap,
    /// Raw body, which the signature covers.
    pub body: Bytes,
}

impl RawDelivery {
    /// Reads a request up to `largest` bytes.
    ///
    /// # Errors
    /// 400 `Request body too large`, or when the sender stops sending.
    pub async fn read(request: &HttpRequest, payload: Payload, largest: usize) -> Input<Self> {
        let headers = request.headers().clone();
        let declared = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
        let body = read(&mut payload.into_inner(), declared, largest).await?;
        Ok(Self { headers, body })
    }

    /// Returns a header that the signature needs.
    ///
    /// # Errors
    /// 401 when it is missing: nothing can be verified without it.
    pub fn signature_header(&self, name: &str) -> Result<&str> {
        self.header(name).ok_or_else(bad_signature)
    }

    /// Text of a header; `None` when it is missing, empty or not printable.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok()).filter(|text| !text.is_empty())
    }

    /// The body as a JSON object.
    ///
    /// # Errors
    /// 400 for anything else.
    pub fn object(&self) -> Result<Value> {
        let body: Value = serde_json::from_slice(&self.body)
            .map_err(|error| ApiError::bad_request(format!("Malformed JSON: {error}")))?;
        if body.is_object() {
            return Ok(storable(body));
        }
        Err(ApiError::bad_request("The body of a delivery must be a JSON object"))
    }
}

/// Refuses a delivery that was recorded and replayed later.
///
/// # Errors
/// 401 when its time differs by more than [`MAX_DELIVERY_AGE`].
pub fn check_age(sent_at: DateTime<Utc>, now: DateTime<Utc>) -> Result<()> {
    if (now - sent_at).abs() <= MAX_DELIVERY_AGE {
        return Ok(());
    }
    Err(ApiError::unauthorized("The delivery is older than 10 minutes"))
}

/// Checks an HMAC-SHA256 over a message, in constant time.
///
/// # Errors
/// 401 when the signature differs.
pub fn check_sha256(secret: &Secret, message: &[u8], signature: &[u8]) -> Result<()> {
    check_mac::<Hmac<Sha256>>(secret, message, signature)
}

/// Checks an HMAC over a message, in constant time.
///
/// # Errors
/// 401 when the signature differs.
pub fn check_mac<M: Mac + KeyInit>(secret: &Secret, message: &[u8], signature: &[u8]) -> Result<()> {
    let mut mac = <M as KeyInit>::new_from_slice(secret.expose().as_bytes()).map_err(ApiError::internal)?;
    mac.update(message);
    mac.verify_slice(signature).map_err(|_mismatch| bad_signature())
}

/// Error of every delivery that cannot be verified, the same for every cause.
#[must_use]
pub fn bad_signature() -> ApiError {
    ApiError::unauthorized("Invalid webhook signature")
}

/// Context of a request without a credential of the API.
#[must_use]
pub fn anonymous_cx(state: &Data<State>) -> Cx {
    Cx::new(state.as_ref().clone(), Principal::Anonymous { refused: false }, RequestInfo::default())
}
