//! Tokens of our applications, kept until shortly before they expire.

use std::time::{Duration, Instant};

use tokio::sync::Mutex;

use super::{AppToken, PlatformError, Result};
use shared::secret::Secret;

/// A token that expires within this time is requested again.
const EXPIRY_MARGIN: Duration = Duration::from_secs(60);

/// Time for which a failure is returned to every caller. It spares a platform that is away, and callers that
/// waited for each other do not wait again.
const FAILURE_TTL: Duration = Duration::from_secs(2);

/// Token of one platform.
#[derive(Debug, Default)]
pub(super) struct KeptAppToken {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    kept: Option<(Secret, Instant)>,
    failed: Option<(PlatformError, Instant)>,
}

impl KeptAppToken {
    /// Returns the kept token or a new one. Concurrent callers cause one request and get the same result.
    pub async fn get(&self, fetch: impl Future<Output = Result<AppToken>>) -> Result<Secret> {
        let mut state = self.state.lock().await;
        if let Some((token, until)) = &state.kept
            && Instant::now() + EXPIRY_MARGIN < *until
        {
            return Ok(token.clone());
        }
        if let Some((error, at)) = &state.failed
            && at.elapsed() < FAILURE_TTL
        {
            return Err(error.clone());
        }
        let token = match fetch.await {
            Ok(token) => token,
            Err(error) => {
                state.failed = Some((error.clone(), Instant::now()));
                return Err(error);
            }
        };
        let access_token = token.access_token.clone();
        *state = State { kept: Some((token.access_token, Instant::now() + token.expires_in)), failed: None };
        Ok(access_token)
    }

    /// Drops the token, if it is still the kept one: the platform no longer accepts it.
    pub async fn forget(&self, token: &Secret) {
        let mut state = self.state.lock().await;
        if state.kept.as_ref().is_some_and(|(known, _)| known.expose() == token.expose()) {
            state.kept = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn kept_app_token_repeats_a_failure_without_a_request() {
        let (token, away) = (KeptAppToken::default(), PlatformError::Transient { detail: "away".into() });
        assert_eq!(token.get(async { Err(away.clone()) }).await.map(|_| ()), Err(away.clone()));
        let asked = async { panic!("the platform is asked again") };
        assert_eq!(token.get(asked).await.map(|_| ()), Err(away));
    }
}
