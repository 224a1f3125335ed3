//! Key that signs the webhooks of Kick (reference/platforms.md#kick-webhooks). It is cached for an hour, and
//! requested again when a signature does not verify.

use std::{
    sync::{Arc, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use aws_lc_rs::signature::{ParsedPublicKey, RSA_PKCS1_2048_8192_SHA256};

use crate::{PlatformError, Result};

/// Time that a key is cached.
const KEY_TTL: Duration = Duration::from_secs(3600);
/// Shortest time between two requests, so that forged deliveries cause no more of them.
const MIN_FETCH_INTERVAL: Duration = Duration::from_secs(60);
/// Shortest time between two requests without a key. It is shorter, because deliveries wait for a key.
const RETRY_DELAY: Duration = Duration::from_secs(2);

/// The key, shared by all verifications. A signature of the known key never waits for the request of another
/// key.
#[derive(Debug, Default)]
pub(super) struct WebhookKey {
    state: std::sync::Mutex<State>,
    /// Held by the task that requests the key, so that only one does.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    known: Option<Known>,
    /// Start of the last request that returned no key.
    failed_at: Option<Instant>,
}

#[derive(Debug, Clone)]
struct Known {
    key: Arc<ParsedPublicKey>,
    fetched_at: Instant,
}

impl WebhookKey {
    /// Returns true when `signature` is a signature of the key over `signed`. While no newer key is
    /// available, the known one decides.
    ///
    /// # Errors
    /// No key is available, so the signature could not be checked.
    pub async fn verifies(
        &self,
        signed: &[u8],
        signature: &[u8],
        now: Instant,
        fetch: impl AsyncFn() -> Result<String>,
    ) -> Result<bool> {
        let Some(known) = self.lock().known.clone() else {
            let _asking = self.asking.lock().await;
            return Ok(self.newer(None, now, &fetch).await?.verify_sig(signed, signature).is_ok());
        };
        let fits = known.key.verify_sig(signed, signature).is_ok();
        let age = now.saturating_duration_since(known.fetched_at);
        if age < if fits { KEY_TTL } else { MIN_FETCH_INTERVAL } {
            return Ok(fits);
        }
        let _asking = if fits {
            // Another task is requesting the key already.
            let Ok(asking) = self.asking.try_lock() else { return Ok(true) };
            asking
        } else {
            self.asking.lock().await
        };
        match self.newer(Some(known.fetched_at), now, &fetch).await {
            Ok(key) => Ok(key.verify_sig(signed, signature).is_ok()),
            Err(error) => {
                tracing::warn!(%error, "the key of Kick's webhooks could not be requested again");
                Ok(fits)
            }
        }
    }

    /// Returns the key after the one of `replaces`, which another task may have requested meanwhile. Call it
    /// with `asking` held.
    async fn newer(
        &self,
        replaces: Option<Instant>,
        now: Instant,
        fetch: &impl AsyncFn() -> Result<String>,
    ) -> Result<Arc<ParsedPublicKey>> {
        {
            let mut state = self.lock();
            if let Some(known) = &state.known
                && Some(known.fetched_at) != replaces
            {
                return Ok(Arc::clone(&known.key));
            }
            if state.failed_at.is_some_and(|at| now.saturating_duration_since(at) < RETRY_DELAY) {
                return Err(PlatformError::Transient {
                    detail: "the webhook key could not be had a moment ago".into(),
                });
            }
            state.failed_at = Some(now);
        }
        let key = Arc::new(parse(&fetch().await?)?);
        *self.lock() =
            State { known: Some(Known { key: Arc::clone(&key), fetched_at: now }), failed_at: None };
        Ok(key)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn parse(key: &str) -> Result<ParsedPublicKey> {
    let invalid = || PlatformError::invalid("the webhook key is not an RSA public key in PEM form");
    let key = pem::parse(key).map_err(|_error| invalid())?;
    ParsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key.contents()).map_err(|_error| invalid())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use aws_lc_rs::{
        encoding::{AsDer, PublicKeyX509Der},
        rand::SystemRandom,
        rsa::{KeyPair, KeySize},
        signature::{KeyPair as _, RSA_PKCS1_SHA256},
    };
    use pem::Pem;

    use super::*;

    struct Platform {
        key: KeyPair,
        asked: Cell<u32>,
        is_away: Cell<bool>,
    }

    impl Platform {
        fn new() -> Self {
            let key = KeyPair::generate(KeySize::Rsa2048).unwrap();
            Self { key, asked: Cell::new(0), is_away: Cell::new(false) }
        }

        fn sign(&self, message: &[u8]) -> Vec<u8> {
            let mut signature = vec![0; self.key.public_modulus_len()];
            self.key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message, &mut signature).unwrap();
            signature
        }

        async fn verifies(&self, key: &WebhookKey, signature: &[u8], now: Instant) -> Result<bool> {
            let fetch = async || {
                self.asked.set(self.asked.get() + 1);
                if self.is_away.get() {
                    return Err(PlatformError::Transient { detail: "away".into() });
                }
                let public: PublicKeyX509Der<'_> = self.key.public_key().as_der().unwrap();
                Ok(pem::encode(&Pem::new("PUBLIC KEY", public.as_ref())))
            };
            key.verifies(b"message", signature, now, fetch).await
        }
    }

    #[tokio::test]
    async fn webhook_key_is_used_for_an_hour() {
        let (platform, key, start) = (Platform::new(), WebhookKey::default(), Instant::now());
        let signature = platform.sign(b"message");
        for (after, asked) in [(0, 1), (3599, 1), (3600, 2)] {
            let now = start + Duration::from_secs(after);
            assert_eq!(platform.verifies(&key, &signature, now).await, Ok(true));
            assert_eq!(platform.asked.get(), asked, "after {after} s");
        }
    }

    #[tokio::test]
    async fn webhook_key_is_fetched_once_a_minute_for_forged_signatures() {
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
    async fn webhook_key_that_changed_is_fetched() {
        let (mut platform, key, start) = (Platform::new(), WebhookKey::default(), Instant::now());
        let old = platform.sign(b"message");
        assert_eq!(platform.verifies(&key, &old, start).await, Ok(true));
        platform.key = Platform::new().key;
        let new = platform.sign(b"message");
        assert_eq!(platform.verifies(&key, &new, start + MIN_FETCH_INTERVAL).await, Ok(true));
        assert_eq!(platform.verifies(&key, &old, start + MIN_FETCH_INTERVAL).await, Ok(false));
    }

    #[tokio::test]
    async fn webhook_key_that_is_missing_is_fetched_with_a_delay() {
        let (platform, key, start) = (Platform::new(), WebhookKey::default(), Instant::now());
        let signature = platform.sign(b"message");
        platform.is_away.set(true);
        assert!(platform.verifies(&key, &signature, start).await.is_err());
        assert!(platform.verifies(&key, &signature, start + Duration::from_secs(1)).await.is_err());
        assert_eq!(platform.asked.get(), 1);
        platform.is_away.set(false);
        assert_eq!(platform.verifies(&key, &signature, start + Duration::from_secs(2)).await, Ok(true));
    }

    #[tokio::test]
    async fn webhook_key_that_is_known_decides_while_no_newer_is_available() {
        let (platform, key, start) = (Platform::new(), WebhookKey::default(), Instant::now());
        let (genuine, forged) = (platform.sign(b"message"), Platform::new().sign(b"message"));
        assert_eq!(platform.verifies(&key, &genuine, start).await, Ok(true));
        platform.is_away.set(true);
        for after in [60, 61, 3600, 7200] {
            let now = start + Duration::from_secs(after);
            assert_eq!(platform.verifies(&key, &forged, now).await, Ok(false), "after {after} s");
            assert_eq!(platform.verifies(&key, &genuine, now).await, Ok(true), "after {after} s");
        }
    }

    #[tokio::test]
    async fn webhook_key_fetch_for_a_forgery_does_not_block_genuine_deliveries() {
        let (platform, key, start) = (Platform::new(), WebhookKey::default(), Instant::now());
        let (genuine, forged) = (platform.sign(b"message"), Platform::new().sign(b"message"));
        assert_eq!(platform.verifies(&key, &genuine, start).await, Ok(true));
        for after in [60, 3600] {
            let now = start + Duration::from_secs(after);
            let forged = key.verifies(b"message", &forged, now, async || std::future::pending().await);
            tokio::select! {
                biased;
                answer = forged => panic!("{answer:?} without a key"),
                answer = platform.verifies(&key, &genuine, now) => assert_eq!(answer, Ok(true)),
            }
        }
        assert_eq!(platform.asked.get(), 1);
    }
}
