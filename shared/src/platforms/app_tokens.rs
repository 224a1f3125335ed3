//! Tokens of our application, kept until shortly before they expire.

use std::time::{Duration, Instant};

use tokio::sync::Mutex;

use super::{AppToken, PlatformError, Result};
use crate::secret::Secret;

/// A token that lives no longer than this is asked for again.
const MARGIN: Duration = Duration::from_secs(60);

/// A failure is answered to everybody for this long, so that a platform that is away is not pressed and callers that
/// waited for each other do not wait again.
const FAILURE_REMEMBERED: Duration = Duration::from_secs(2);

/// The token of one platform.
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
    /// The kept token or a new one; callers that come together ask once and are answered alike.
    pub async fn get(&self, fetch: impl Future<Output = Result<AppToken>>) -> Result<Secret> {
        let mut state = self.state.lock().await;
        if let Some((token, until)) = &state.kept
            && Instant::now() + MARGIN < *until
        {
            return Ok(token.clone());
        }
        if let Some((error, at)) = &state.failed
            && at.elapsed() < FAILURE_REMEMBERED
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

    /// Forgets the token, if it is still the kept one: the platform no longer takes it.
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
    async fn a_failure_is_answered_again_without_asking() {
        let (token, away) = (KeptAppToken::default(), PlatformError::Transient { detail: "away".into() });
        assert_eq!(token.get(async { Err(away.clone()) }).await.map(|_| ()), Err(away.clone()));
        let asked = async { panic!("the platform is asked again") };
        assert_eq!(token.get(asked).await.map(|_| ()), Err(away));
    }
}
