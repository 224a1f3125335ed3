//! Deliveries of others (specification C §10): they carry a signature over the raw body instead of a credential. The
//! signature is checked before anything of the body is believed.

use actix_web::{
    HttpRequest,
    http::header::{CONTENT_LENGTH, HeaderMap},
    web::{Bytes, Data, Payload},
};
use chrono::{DateTime, Duration, Utc};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;
use shared::{ingest::inbox::storable, secret::Secret};

use crate::{
    ApiError, Cx, Result, State,
    access::{Principal, RequestInfo},
    http::{Input, read},
};

/// Largest body (C §10).
pub const MAX_BODY_BYTES: usize = 256 * 1024;
/// How far the time of a delivery may be from ours (C §10).
pub const WINDOW: Duration = Duration::minutes(10);

/// A delivery as it arrived.
#[derive(Debug)]
pub struct RawDelivery {
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl RawDelivery {
    /// Reads a request up to a limit.
    ///
    /// # Errors
    /// 400 `Request body too large`, or when the sender stops sending.
    pub async fn read(request: &HttpRequest, payload: Payload, largest: usize) -> Input<Self> {
        let headers = request.headers().clone();
        let declared = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
        let body = read(&mut payload.into_inner(), declared, largest).await?;
        Ok(Self { headers, body })
    }

    /// A header that the signature needs: without it nothing can be verified.
    ///
    /// # Errors
    /// 401 when it is missing.
    pub fn signature_header(&self, name: &str) -> Result<&str> {
        self.header(name).ok_or_else(bad_signature)
    }

    /// A header's text, when it is there and printable.
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

/// Refuses what was recorded and is played back later.
///
/// # Errors
/// 401 when the time is more than [`WINDOW`] away from ours.
pub fn check_age(sent_at: DateTime<Utc>, now: DateTime<Utc>) -> Result<()> {
    if (now - sent_at).abs() <= WINDOW {
        return Ok(());
    }
    Err(ApiError::unauthorized("The delivery is older than 10 minutes"))
}

/// Checks an HMAC-SHA256 over a message, in constant time.
///
/// # Errors
/// 401 when it is another's.
pub fn check_sha256(secret: &Secret, message: &[u8], signature: &[u8]) -> Result<()> {
    check_mac::<Hmac<Sha256>>(secret, message, signature)
}

/// Checks an HMAC over a message, in constant time.
///
/// # Errors
/// 401 when it is another's.
pub fn check_mac<M: Mac + KeyInit>(secret: &Secret, message: &[u8], signature: &[u8]) -> Result<()> {
    let mut mac = <M as KeyInit>::new_from_slice(secret.expose().as_bytes()).map_err(ApiError::internal)?;
    mac.update(message);
    mac.verify_slice(signature).map_err(|_mismatch| bad_signature())
}

/// What is said of every delivery that cannot be believed, whatever is wrong with it.
#[must_use]
pub fn bad_signature() -> ApiError {
    ApiError::unauthorized("Invalid webhook signature")
}

/// The request of somebody who has no credential of ours.
#[must_use]
pub fn nobody(state: &Data<State>) -> Cx {
    Cx::new(state.as_ref().clone(), Principal::Anonymous { refused: false }, RequestInfo::default())
}
