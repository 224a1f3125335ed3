//! Signatures of deliveries by Standard Webhooks (reference/webhooks.md#signatures).

use chrono::{DateTime, Utc};
use shared::{Error, Result, secret::Secret};
use standardwebhooks::Webhook;
use uuid::Uuid;

pub use standardwebhooks::{HEADER_WEBHOOK_ID, HEADER_WEBHOOK_SIGNATURE, HEADER_WEBHOOK_TIMESTAMP};

/// Values of the header fields of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    /// Value of `webhook-id`: the same for every attempt of a delivery.
    pub id: String,
    /// Value of `webhook-timestamp`: seconds of the attempt.
    pub timestamp: String,
    /// Value of `webhook-signature`: one signature for each secret, separated by spaces.
    pub signature: String,
}

/// Signs the body of a delivery with each secret.
///
/// # Errors
/// A secret that is not in the form of Standard Webhooks.
pub fn sign(delivery: Uuid, at: DateTime<Utc>, body: &str, secrets: &[Secret]) -> Result<Signed> {
    let (id, timestamp) = (delivery.to_string(), at.timestamp());
    let signature = |secret: &Secret| {
        // The error may quote a part of the secret.
        let webhook = Webhook::new(secret.expose()).map_err(|_malformed| unsignable())?;
        webhook.sign(&id, timestamp, body.as_bytes()).map_err(|_malformed| unsignable())
    };
    let signatures = secrets.iter().map(signature).collect::<Result<Vec<String>>>()?;
    Ok(Signed { id, timestamp: timestamp.to_string(), signature: signatures.join(" ") })
}

fn unsignable() -> Error {
    Error::Internal("the secret of a webhook endpoint cannot sign".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sign_signs_with_each_secret() {
        let (id, at) = (Uuid::now_v7(), DateTime::from_timestamp(1_900_000_000, 999_000_000).unwrap());
        let secrets = [crate::secrets::generate(), crate::secrets::generate()];
        let signed = sign(id, at, "{}", &secrets).unwrap();
        assert_eq!((signed.id.as_str(), signed.timestamp.as_str()), (&*id.to_string(), "1900000000"));
        let expected = secrets.each_ref().map(|secret| {
            Webhook::new(secret.expose()).unwrap().sign(&id.to_string(), 1_900_000_000, b"{}").unwrap()
        });
        assert_eq!(signed.signature, expected.join(" "));
        let error = sign(id, at, "{}", &[Secret::new("whsec_%%%")]).unwrap_err().to_string();
        assert_eq!(error, "the secret of a webhook endpoint cannot sign");
    }
}
