//! Tokens of our application, kept until shortly before they expire.

use std::time::{Duration, Instant};

use tokio::sync::Mutex;

use super::{AppToken, Result};
use crate::secret::Secret;

/// A token that lives no longer than this is asked for again.
const MARGIN: Duration = Duration::from_secs(60);

/// The token of one platform.
#[derive(Debug, Default)]
pub(super) struct KeptAppToken {
    kept: Mutex<Option<(Secret, Instant)>>,
}

impl KeptAppToken {
    /// The kept token or a new one; callers that come together ask once.
    pub async fn get(&self, fetch: impl Future<Output = Result<AppToken>>) -> Result<Secret> {
        let mut kept = self.kept.lock().await;
        if let Some((token, until)) = &*kept
            && Instant::now() + MARGIN < *until
        {
            return Ok(token.clone());
        }
        let token = fetch.await?;
        let access_token = token.access_token.clone();
        *kept = Some((token.access_token, Instant::now() + token.expires_in));
        Ok(access_token)
    }

    /// Forgets the token, if it is still the kept one: the platform no longer takes it.
    pub async fn forget(&self, token: &Secret) {
        let mut kept = self.kept.lock().await;
        if kept.as_ref().is_some_and(|(known, _)| known.expose() == token.expose()) {
            *kept = None;
        }
    }
}
