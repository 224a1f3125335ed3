//! Passwords of shared links: Argon2id (reference/history.md#passwords).

use std::sync::Arc;

use api_core::{ApiError, Code, Result, State, http::SharedPermits};
use argon2::{
    Argon2,
    password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash},
};
use foundation::db::Holder;
use tokio::sync::Semaphore;

/// Computations of a process at a time. Each takes 19 MiB and a thread (reference/history.md#passwords).
const MAX_CONCURRENT: usize = 2;
/// Calls of one kind in a process that compute or wait (reference/history.md#passwords).
const MAX_CALLS: usize = 22;
/// Calls of one kind that belong to one account or address (reference/history.md#passwords).
const MAX_CALLS_OF_HOLDER: usize = 4;
/// Hash that no known password has, with the parameters of new hashes. It is verified where there is none, so
/// that the time of a refusal does not depend on its cause.
const UNUSABLE: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Computations of a process. Each kind of call has permits of its own, so that tokens without a link keep neither
/// readers nor members waiting.
pub(crate) struct Passwords {
    computations: Arc<Semaphore>,
    new: SharedPermits<Holder>,
    of_links: SharedPermits<Holder>,
    without_link: SharedPermits<Holder>,
}

impl Passwords {
    /// Computations of this process.
    pub fn of(state: &State) -> &Self {
        state.component(|_| Self::new())
    }

    fn new() -> Self {
        let permits = || SharedPermits::new(MAX_CALLS, MAX_CALLS_OF_HOLDER);
        Self {
            computations: Arc::new(Semaphore::new(MAX_CONCURRENT)),
            new: permits(),
            of_links: permits(),
            without_link: permits(),
        }
    }

    /// Hashes a password for its row.
    ///
    /// # Errors
    /// 429 when too many calls wait.
    pub async fn hash(&self, holder: Holder, password: String) -> Result<String> {
        let hashing =
            move || Argon2::default().hash_password(password.as_bytes()).map(|hash| hash.to_string());
        self.compute(&self.new, holder, hashing).await?.map_err(ApiError::internal)
    }

    /// True when a password has this hash. Without a hash the answer is false after the same time.
    ///
    /// # Errors
    /// 429 when too many calls wait.
    pub async fn verify(&self, holder: Holder, password: String, hash: Option<String>) -> Result<bool> {
        let permits = if hash.is_some() { &self.of_links } else { &self.without_link };
        let verifying = move || {
            let hash = hash.as_deref();
            is_of(&password, hash.unwrap_or(UNUSABLE)) && hash.is_some()
        };
        self.compute(permits, holder, verifying).await
    }

    /// Computes on a thread that serves no requests. The computation keeps its permits also when the caller
    /// has gone.
    async fn compute<T: Send + 'static>(
        &self,
        permits: &SharedPermits<Holder>,
        holder: Holder,
        computation: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        let of_call = permits.try_acquire(holder).ok_or_else(busy)?;
        let computation_permit = Arc::clone(&self.computations).acquire_owned().await;
        let of_computation = computation_permit.map_err(ApiError::internal)?;
        let computing = tokio::task::spawn_blocking(move || {
            let _held = (of_call, of_computation);
            computation()
        });
        computing.await.map_err(ApiError::internal)
    }
}

fn is_of(password: &str, hash: &str) -> bool {
    match PasswordHash::new(hash) {
        Ok(hash) => Argon2::default().verify_password(password.as_bytes(), &hash).is_ok(),
        Err(error) => {
            tracing::error!(%error, "a stored hash of a password cannot be read");
            false
        }
    }
}

fn busy() -> ApiError {
    tracing::warn!("too many calls wait for the check of a password");
    ApiError::new(Code::RateLimitExceeded, "Too many requests at once").with_retry_after(1)
}

#[cfg(test)]
mod tests {
    use futures::{FutureExt, future::join_all};

    use super::*;

    fn address(number: usize) -> Holder {
        Holder::Address(number.to_string())
    }

    fn password() -> String {
        "correct horse".to_owned()
    }

    #[tokio::test]
    async fn verify_accepts_the_hashed_password_only() {
        let passwords = Passwords::new();
        let hashed = passwords.hash(address(0), password()).await.unwrap();
        assert!(hashed.starts_with("$argon2id$v=19$"), "{hashed}");
        for (given, hash, is_right) in [
            ("correct horse", Some(hashed.as_str()), true),
            ("Correct horse", Some(hashed.as_str()), false),
            ("", Some(hashed.as_str()), false),
            ("correct horse", None, false),
            ("correct horse", Some("no hash"), false),
        ] {
            let verified = passwords.verify(address(0), given.to_owned(), hash.map(str::to_owned)).await;
            assert_eq!(verified, Ok(is_right), "{given} {hash:?}");
        }
        let cost = |hash: &str| hash.split('$').take(4).collect::<Vec<_>>().join("$");
        assert_eq!(cost(UNUSABLE), cost(&hashed), "a check without a hash costs what one with a hash costs");
        assert!(PasswordHash::new(UNUSABLE).is_ok());
    }

    #[tokio::test]
    async fn verify_without_a_link_computes_and_takes_no_permit_of_others() {
        let passwords = Passwords::new();
        let both = Arc::clone(&passwords.computations).acquire_many_owned(2).await.unwrap();
        let mut waiting = Vec::new();
        for number in 0..MAX_CALLS {
            // No more than four of one address.
            let mut call = passwords.verify(address(number / 4), password(), None).boxed();
            assert_eq!((&mut call).now_or_never(), None, "{number}: it waits for a computation");
            waiting.push(call);
        }
        for holder in [address(0), address(100)] {
            let refused = passwords.verify(holder, password(), None).now_or_never();
            assert_eq!(refused, Some(Err(busy())));
        }
        let mut of_link = passwords.verify(address(0), password(), Some(UNUSABLE.to_owned())).boxed();
        let mut new = passwords.hash(address(0), password()).boxed();
        assert!((&mut of_link).now_or_never().is_none() && (&mut new).now_or_never().is_none());
        drop(both);
        let (verified, of_link, new) = tokio::join!(join_all(waiting), of_link, new);
        assert!(verified.iter().all(|answer| *answer == Ok(false)));
        assert_eq!((of_link, new.is_ok()), (Ok(false), true));
        assert_eq!(passwords.computations.available_permits(), MAX_CONCURRENT);
    }
}
