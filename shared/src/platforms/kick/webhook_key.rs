//! The key that signs Kick's webhooks: remembered for an hour, asked for again when a signature does not fit.

use std::{
    sync::{Arc, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use aws_lc_rs::signature::{ParsedPublicKey, RSA_PKCS1_2048_8192_SHA256};

use crate::platforms::{PlatformError, Result};

/// How long a key is believed.
const LIFETIME: Duration = Duration::from_secs(3600);
/// A forged delivery makes us ask at most this often.
const MIN_FETCH_INTERVAL: Duration = Duration::from_secs(60);
/// While there is no key, deliveries wait for one: then we ask more often.
const RETRY_DELAY: Duration = Duration::from_secs(2);

/// The key, shared by everybody who verifies. What the known key has signed waits for nobody's question for another.
#[derive(Debug, Default)]
pub(super) struct WebhookKey {
    state: std::sync::Mutex<State>,
    /// Held by whoever asks, so that only one does.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    known: Option<Known>,
    /// When somebody began to ask and has not been answered with a key.
    failed_at: Option<Instant>,
}

#[derive(Debug, Clone)]
struct Known {
    key: Arc<ParsedPublicKey>,
    fetched_at: Instant,
}

impl WebhookKey {
    /// Whether `signature` is the key holder's over `signed`. While no newer key can be had, the known one decides.
    ///
    /// # Errors
    /// When there is no key and none can be had: nothing is known of the signature then.
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
        if age < if fits { LIFETIME } else { MIN_FETCH_INTERVAL } {
            return Ok(fits);
        }
        let _asking = if fits {
            // Somebody else is asking already.
            let Ok(asking) = self.asking.try_lock() else { return Ok(true) };
            asking
        } else {
            self.asking.lock().await
        };
        match self.newer(Some(known.fetched_at), now, &fetch).await {
            Ok(key) => Ok(key.verify_sig(signed, signature).is_ok()),
            Err(error) => {
                tracing::warn!(%error, "the key of Kick's webhooks could not be asked for again");
                Ok(fits)
            }
        }
    }

    /// The key after the one of `replaces`, which somebody else may have asked for meanwhile. Call it with `asking`
    /// held.
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
        assert_eq!(platform.verifies(&key, &new, start + MIN_FETCH_INTERVAL).await, Ok(true));
        assert_eq!(platform.verifies(&key, &old, start + MIN_FETCH_INTERVAL).await, Ok(false));
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

    #[tokio::test]
    async fn while_no_newer_key_can_be_had_the_known_one_decides() {
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
    async fn a_forged_delivery_that_waits_for_the_key_holds_no_genuine_one_up() {
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
