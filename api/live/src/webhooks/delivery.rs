//! A delivery on its way from raw bytes to something that may be believed.

use actix_web::http::header::HeaderMap;
use api_core::{ApiError, Result};
use bytes::Bytes;
use chrono::{DateTime, Duration, Utc};
use serde_json::Value;
use shared::ingest::inbox::storable;

use super::bad_signature;

/// Largest body (C §10).
pub const LARGEST_BODY: usize = 256 * 1024;
/// How far the time of a delivery may be from ours (C §10).
pub const WINDOW: Duration = Duration::minutes(10);
/// Longest id of a delivery; the platforms' have 26 to 64 characters.
const LONGEST_ID: usize = 128;

/// A delivery as it arrived.
#[derive(Debug)]
pub struct RawDelivery {
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// What the signature of a delivery vouches for beside the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Signed {
    pub delivery_id: String,
    pub sent_at: DateTime<Utc>,
}

impl RawDelivery {
    /// A header that the signature needs: without it nothing can be verified.
    pub(super) fn signature_header(&self, name: &str) -> Result<&str> {
        self.header(name).ok_or_else(bad_signature)
    }

    /// A header's text, when it is there and printable.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok()).filter(|text| !text.is_empty())
    }

    /// The body as a JSON object.
    pub(super) fn object(&self) -> Result<Value> {
        let body: Value = serde_json::from_slice(&self.body)
            .map_err(|error| ApiError::bad_request(format!("Malformed JSON: {error}")))?;
        if body.is_object() {
            return Ok(storable(body));
        }
        Err(ApiError::bad_request("The body of a delivery must be a JSON object"))
    }
}

impl Signed {
    /// Reads what was signed. Only call it once the signature was verified.
    pub fn new(delivery_id: &str, timestamp: &str) -> Result<Self> {
        let sent_at = DateTime::parse_from_rfc3339(timestamp)
            .map_err(|_error| ApiError::bad_request("The timestamp of a delivery must be RFC 3339"))?;
        if delivery_id.len() > LONGEST_ID {
            return Err(ApiError::bad_request(format!(
                "The id of a delivery has at most {LONGEST_ID} characters"
            )));
        }
        Ok(Self { delivery_id: delivery_id.to_owned(), sent_at: sent_at.to_utc() })
    }

    /// Refuses what was recorded and is played back later, when the inbox has forgotten it.
    pub fn check_age(&self, now: DateTime<Utc>) -> Result<()> {
        if (now - self.sent_at).abs() <= WINDOW {
            return Ok(());
        }
        Err(ApiError::unauthorized("The delivery is older than 10 minutes"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_minutes_are_the_limit_on_both_sides() {
        let signed = Signed::new("id", "2026-11-21T10:00:00.123456789Z").unwrap();
        let at = |seconds| signed.check_age(signed.sent_at + Duration::seconds(seconds)).is_ok();
        assert!(at(0) && at(600) && at(-600));
        assert!(!at(601) && !at(-601));
    }

    #[test]
    fn odd_ids_and_times_are_refused() {
        assert!(Signed::new("id", "yesterday").is_err());
        assert!(Signed::new(&"x".repeat(129), "2026-11-21T10:00:00Z").is_err());
    }
}
