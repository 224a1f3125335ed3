//! Deliveries: from raw bytes to verified data.

use api_core::{ApiError, Result, webhooks::check_age};
use chrono::{DateTime, Utc};

pub use api_core::webhooks::{MAX_BODY_BYTES, MAX_DELIVERY_AGE, RawDelivery};

/// Longest id of a delivery in characters; the platforms' have 26 to 64.
const MAX_ID_LENGTH: usize = 128;

/// Signed data of a delivery beside the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Signed {
    /// The platform's id of the delivery.
    pub delivery_id: String,
    /// The platform's time of sending.
    pub sent_at: DateTime<Utc>,
}

impl Signed {
    /// Parses the signed headers. Only call it after the signature was verified.
    pub fn new(delivery_id: &str, timestamp: &str) -> Result<Self> {
        let sent_at = DateTime::parse_from_rfc3339(timestamp)
            .map_err(|_error| ApiError::bad_request("The timestamp of a delivery must be RFC 3339"))?;
        if delivery_id.len() > MAX_ID_LENGTH {
            return Err(ApiError::bad_request(format!(
                "The id of a delivery has at most {MAX_ID_LENGTH} characters"
            )));
        }
        Ok(Self { delivery_id: delivery_id.to_owned(), sent_at: sent_at.to_utc() })
    }

    /// Refuses an old delivery, which may be a replay after the inbox has forgotten it.
    pub fn check_age(&self, now: DateTime<Utc>) -> Result<()> {
        check_age(self.sent_at, now)
    }
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use super::*;

    #[test]
    fn delivery_age_is_at_most_ten_minutes_in_both_directions() {
        let signed = Signed::new("id", "2026-11-21T10:00:00.123456789Z").unwrap();
        let at = |seconds| signed.check_age(signed.sent_at + Duration::seconds(seconds)).is_ok();
        assert!(at(0) && at(600) && at(-600));
        assert!(!at(601) && !at(-601));
    }

    #[test]
    fn delivery_refuses_malformed_ids_and_times() {
        assert!(Signed::new("id", "yesterday").is_err());
        assert!(Signed::new(&"x".repeat(129), "2026-11-21T10:00:00Z").is_err());
    }
}
