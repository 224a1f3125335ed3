//! The key that signs Kick's webhooks: remembered for an hour, asked for again when a signature does not fit.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use rsa::{RsaPublicKey, pkcs1v15, pkcs8::DecodePublicKey, sha2::Sha256, signature::Verifier};
use tokio::sync::Mutex;

use crate::platforms::{PlatformError, Result};

/// How long a key is believed.
const LIFETIME: Duration = Duration::from_secs(3600);
/// A forged delivery makes us ask at most this often.
const ASK_EVERY: Duration = Duration::from_secs(60);
/// While there is no key, deliveries wait for one: then we ask more often.
const ASK_AGAIN_AFTER_FAILURE: Duration = Duration::from_secs(2);

type VerifyingKey = pkcs1v15::VerifyingKey<Sha256>;

/// The key, shared by everybody who verifies.
#[derive(Debug, Default)]
pub(super) struct WebhookKey {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    key: Option<Arc<VerifyingKey>>,
    fetched_at: Option<Instant>,
    failed_at: Option<Instant>,
}

impl WebhookKey {
    /// Whether `signature` is the key holder's over `signed`.
    ///
    /// # Errors
    /// When there is no key that may be believed and none can be had: nothing is known of the signature then.
    pub async fn verifies(
        &self,
        signed: &[u8],
        signature: &[u8],
        now: Instant,
        fetch: impl AsyncFn() -> Result<String>,
    ) -> Result<bool> {
        let Ok(signature) = pkcs1v15::Signature::try_from(signature) else { return Ok(false) };
        let (key, fetched_at) = self.current(now, &fetch).await?;
        if key.verify(signed, &signature).is_ok() {
            return Ok(true);
        }
        if now.saturating_duration_since(fetched_at) < ASK_EVERY {
            return Ok(false);
        }
        let key = self.replaced(fetched_at, now, &fetch).await?;
        Ok(key.verify(signed, &signature).is_ok())
    }

    async fn current(
        &self,
        now: Instant,
        fetch: &impl AsyncFn() -> Result<String>,
    ) -> Result<(Arc<VerifyingKey>, Instant)> {
        let mut known = self.known.lock().await;
        if let (Some(key), Some(at)) = (&known.key, known.fetched_at)
            && now.saturating_duration_since(at) < LIFETIME
        {
            return Ok((Arc::clone(key), at));
        }
        let key = known.refresh(now, fetch).await?;
        Ok((key, now))
    }

    /// The key after the one of `replaces`, which somebody else may have asked for meanwhile.
    async fn replaced(
        &self,
        replaces: Instant,
        now: Instant,
        fetch: &impl AsyncFn() -> Result<String>,
    ) -> Result<Arc<VerifyingKey>> {
        let mut known = self.known.lock().await;
        match &known.key {
            Some(key) if known.fetched_at != Some(replaces) => Ok(Arc::clone(key)),
            _ => known.refresh(now, fetch).await,
        }
    }
}

impl Known {
    async fn refresh(&mut self, now: Instant, fetch: &impl AsyncFn() -> Result<String>) -> Result<Arc<VerifyingKey>> {
        if self.failed_at.is_some_and(|at| now.saturating_duration_since(at) < ASK_AGAIN_AFTER_FAILURE) {
            return Err(PlatformError::Transient { detail: "the webhook key could not be had a moment ago".into() });
        }
        self.failed_at = Some(now);
        let pem = fetch().await?;
        let key = RsaPublicKey::from_public_key_pem(&pem)
            .map_err(|_error| PlatformError::invalid("the webhook key is not an RSA public key in PEM form"))?;
        let key = Arc::new(VerifyingKey::new(key));
        *self = Self { key: Some(Arc::clone(&key)), fetched_at: Some(now), failed_at: None };
        Ok(key)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use rsa::{
        RsaPrivateKey,
        pkcs8::{EncodePublicKey, LineEnding},
        rand_core::OsRng,
        signature::{SignatureEncoding, Signer},
    };

    use super::*;

    struct Platform {
        key: RsaPrivateKey,
        asked: Cell<u32>,
        is_away: Cell<bool>,
    }

    impl Platform {
        fn new() -> Self {
            let key = RsaPrivateKey::new(&mut OsRng, 1024).unwrap();
            Self { key, asked: Cell::new(0), is_away: Cell::new(false) }
        }

        fn sign(&self, message: &[u8]) -> Vec<u8> {
            pkcs1v15::SigningKey::<Sha256>::new(self.key.clone()).sign(message).to_vec()
        }

        async fn verifies(&self, key: &WebhookKey, signature: &[u8], now: Instant) -> Result<bool> {
            let fetch = async || {
                self.asked.set(self.asked.get() + 1);
                if self.is_away.get() {
                    return Err(PlatformError::Transient { detail: "away".into() });
                }
                Ok(self.key.to_public_key().to_public_key_pem(LineEnding::LF).unwrap())
            };
            key.verifies(b"message", signature, now, fetch).await
        }
    }

    #[tokio::test]
    async fn one_key_serves_for_an_hour() {
        let (platform, key, start) = (Platform::new(), WebhookKey::default(), Instant::now());
        let signature = platform.sign(b"message");
        for (after, asked) in [(0, 1), (3599, 1), (3600, 2)] {
            let now = start + Duration::from_secs(after);
            assert_eq!(platform.verifies(&key, &signature, now).await, Ok(true));
            assert_eq!(platform.asked.get(), asked, "after {after} s");
        }
    }

    #[tokio::test]
    async fn forged_signatures_ask_for_the_key_once_a_minute() {
        let (platform, key, start) = (Platform::new(), WebhookKey::default(), Instant::now());
        let forged = Platform::new().sign(b"message");
        for (after, asked) in [(0, 1), (1, 1), (59, 1), (60, 2), (61, 2), (119, 2), (120, 3)] {
            let now = start + Duration::from_secs(after);
            assert_eq!(platform.verifies(&key, &forged, now).await, Ok(false));
            assert_eq!(platform.asked.get(), asked, "after {after} s");
        }
        assert_eq!(platform.verifies(&key, b"no signature at all", start).await, Ok(false));
    }

    #[tokio::test]
    async fn a_changed_key_is_found() {
        let (mut platform, key, start) = (Platform::new(), WebhookKey::default(), Instant::now());
        let old = platform.sign(b"message");
        assert_eq!(platform.verifies(&key, &old, start).await, Ok(true));
        platform.key = Platform::new().key;
        let new = platform.sign(b"message");
        assert_eq!(platform.verifies(&key, &new, start + ASK_EVERY).await, Ok(true));
        assert_eq!(platform.verifies(&key, &old, start + ASK_EVERY).await, Ok(false));
    }

    #[tokio::test]
    async fn without_a_key_nothing_is_known_and_the_platform_is_not_pressed() {
        let (platform, key, start) = (Platform::new(), WebhookKey::default(), Instant::now());
        let signature = platform.sign(b"message");
        platform.is_away.set(true);
        assert!(platform.verifies(&key, &signature, start).await.is_err());
        assert!(platform.verifies(&key, &signature, start + Duration::from_secs(1)).await.is_err());
        assert_eq!(platform.asked.get(), 1);
        platform.is_away.set(false);
        assert_eq!(platform.verifies(&key, &signature, start + Duration::from_secs(2)).await, Ok(true));
    }
}
