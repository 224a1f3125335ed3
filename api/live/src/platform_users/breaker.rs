//! Circuit breaker of profile requests (reference/chat.md#profile-breaker): open after five failures in five
//! minutes; after a minute one trial call is let through. All processes share its state.

use std::time::Duration;

use api_core::State;
use foundation::breaker::{self, Policy, Recovery};

use super::subject::Subject;

const POLICY: Policy = Policy {
    max_failures: MAX_FAILURES,
    window: WINDOW,
    pause: OPEN_TTL,
    recovery: Recovery::Trial { timeout: TRIAL_TIMEOUT },
};
/// Number of failures that open the breaker.
const MAX_FAILURES: usize = 5;
/// Time within which the failures must follow each other.
const WINDOW: Duration = Duration::from_secs(5 * 60);
/// Time for which the breaker refuses calls.
const OPEN_TTL: Duration = Duration::from_secs(60);
/// Time after which a trial ends whose process died.
const TRIAL_TIMEOUT: Duration = Duration::from_secs(30);

/// Breaker of an account and a platform.
pub(super) struct Breaker<'a> {
    state: &'a State,
    breaker: breaker::Breaker<'a>,
}

impl<'a> Breaker<'a> {
    /// Breaker for a user's account and platform.
    pub fn of(state: &'a State, subject: &Subject) -> Self {
        let Subject { account, platform, .. } = subject;
        let key = |name: &str| state.redis.key(format_args!("profile_breaker:{account}:{platform}:{name}"));
        let breaker = breaker::Breaker::new(&state.redis, POLICY, key("state"), key("failures"));
        Self { state, breaker }
    }

    /// True when a call may be made. Without Redis the state is unknown and calls pass.
    pub async fn allows_call(&self) -> bool {
        match self.breaker.admit(self.state.clock.now(), None).await {
            Ok(admitted) => admitted.is_some(),
            Err(error) => {
                tracing::warn!(%error, "a breaker cannot be read");
                true
            }
        }
    }

    /// Closes the breaker after a success.
    pub async fn succeeded(&self) {
        log_failure(self.breaker.succeed().await);
    }

    /// Counts a failure.
    pub async fn failed(&self) {
        log_failure(self.breaker.fail(self.state.clock.now()).await.map(drop));
    }
}

fn log_failure(result: shared::Result<()>) {
    if let Err(error) = result {
        tracing::warn!(%error, "the state of a breaker cannot be updated");
    }
}
