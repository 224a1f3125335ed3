//! Passwords of shared links: Argon2id (reference/history.md#passwords).

use api_core::{ApiError, Code, Result};
use argon2::{
    Argon2,
    password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash},
};
use tokio::sync::Semaphore;

/// Computations of a process at a time. Each takes 19 MiB and a thread (reference/history.md#passwords).
const MAX_CONCURRENT: usize = 2;
/// Calls of a process that compute or wait (reference/history.md#passwords).
const MAX_CALLS: usize = 66;
static COMPUTATIONS: Semaphore = Semaphore::const_new(MAX_CONCURRENT);
static CALLS: Semaphore = Semaphore::const_new(MAX_CALLS);
/// Hash that no known password has, with the parameters of new hashes. It is verified where there is none, so
/// that the time of a refusal does not depend on its cause.
const UNUSABLE: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Hashes a password for its row.
///
/// # Errors
/// 429 when too many calls wait.
pub(crate) async fn hash(password: String) -> Result<String> {
    compute(move || Argon2::default().hash_password(password.as_bytes()).map(|hash| hash.to_string()))
        .await?
        .map_err(ApiError::internal)
}

/// True when a password has this hash. Without a hash the answer is false after the same time.
///
/// # Errors
/// 429 when too many calls wait.
pub(crate) async fn verify(password: String, hash: Option<String>) -> Result<bool> {
    compute(move || {
        let hash = hash.as_deref();
        is_of(&password, hash.unwrap_or(UNUSABLE)) && hash.is_some()
    })
    .await
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

/// Computes on a thread that serves no requests. The computation keeps its place also when the caller has
/// gone.
async fn compute<T: Send + 'static>(computation: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let call = CALLS.try_acquire().map_err(|_full| busy())?;
    let permit = COMPUTATIONS.acquire().await.map_err(ApiError::internal)?;
    let computing = tokio::task::spawn_blocking(move || {
        let _held = (call, permit);
        computation()
    });
    computing.await.map_err(ApiError::internal)
}

fn busy() -> ApiError {
    tracing::warn!("too many calls wait for the check of a password");
    ApiError::new(Code::RateLimitExceeded, "Too many requests at once").with_retry_after(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn verify_accepts_the_hashed_password_only() {
        let hashed = hash("correct horse".to_owned()).await.unwrap();
        assert!(hashed.starts_with("$argon2id$v=19$"), "{hashed}");
        assert!(verify("correct horse".to_owned(), Some(hashed.clone())).await.unwrap());
        assert!(!verify("Correct horse".to_owned(), Some(hashed.clone())).await.unwrap());
        assert!(!verify(String::new(), Some(hashed)).await.unwrap());
        assert!(!verify("correct horse".to_owned(), None).await.unwrap());
        assert!(!verify("correct horse".to_owned(), Some("no hash".to_owned())).await.unwrap());
    }

    #[tokio::test]
    async fn verify_without_a_hash_costs_what_a_new_hash_costs() {
        let new = hash("correct horse".to_owned()).await.unwrap();
        let cost = |hash: &str| hash.split('$').take(4).collect::<Vec<_>>().join("$");
        assert_eq!(cost(UNUSABLE), cost(&new));
        assert!(PasswordHash::new(UNUSABLE).is_ok());
    }
}
