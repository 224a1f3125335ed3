//! Rate limits over a sliding window, counted exactly and over all processes.

use std::{
    fmt::{self, Display},
    time::Duration,
};

use api_core::{
    ApiError, Cx, Result, State,
    http::{Policy, Verdict},
};
use foundation::{limits::SlidingLog, redis::milliseconds};

const WINDOW: Duration = Duration::from_secs(30);
const WINDOW_SECS: i64 = 30;

/// Kind of a limited action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paced {
    /// Chat messages of an account on a platform.
    Messages,
    /// Moderation actions of an account on a platform.
    Moderation,
    /// Events that an install emits.
    Emits,
}

/// Refusal: the limit is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooFast {
    /// Limited action.
    pub what: Paced,
    /// Largest number in 30 seconds.
    pub limit: u32,
    /// Time until the next one is allowed.
    pub retry_after: Duration,
    /// True for the first refusal in 30 seconds.
    pub is_first: bool,
}

impl Paced {
    const fn name(self) -> &'static str {
        match self {
            Self::Messages => "chat_sends",
            Self::Moderation => "chat_moderation",
            Self::Emits => "events_emits",
        }
    }

    /// Counts an action of the holder `of` before it is done, unless the limit of the last 30 seconds is
    /// reached.
    ///
    /// # Errors
    /// An error when Redis cannot be reached.
    pub async fn take(self, state: &State, of: &str) -> Result<Result<(), TooFast>> {
        let limits = &state.config.rate_limits;
        let limit = match self {
            Self::Messages => limits.chat_send,
            Self::Moderation => limits.chat_moderate,
            Self::Emits => limits.events_emit,
        };
        let name = self.name();
        let log = SlidingLog {
            counted: state.redis.key(format!("{name}:{of}")),
            refused: state.redis.key(format!("{name}:refused:{of}")),
            limit,
            window: WINDOW,
        };
        let Some(refusal) = log.take(&state.redis, state.clock.now()).await? else { return Ok(Ok(())) };
        let retry_after = Duration::from_secs(milliseconds(refusal.wait).div_ceil(1000));
        Ok(Err(TooFast { what: self, limit, retry_after, is_first: refusal.is_first }))
    }
}

impl Display for TooFast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.what {
            Paced::Messages => "messages in 30 seconds may be sent",
            Paced::Moderation => "moderation actions in 30 seconds may be taken",
            Paced::Emits => "events in 30 seconds may be emitted",
        };
        write!(f, "At most {} {what}", self.limit)
    }
}

impl TooFast {
    /// Error with the headers of this limit instead of the caller's tier.
    pub fn refusal(&self, cx: &Cx) -> ApiError {
        let (now, wait) = (cx.state().clock.now().timestamp(), self.retry_after.as_secs());
        let reset = now.saturating_add(i64::try_from(wait).unwrap_or(i64::MAX));
        let policy = Policy { name: self.what.name(), limit: self.limit, seconds: WINDOW_SECS };
        let verdict = Verdict { policy, remaining: 0, reset, wait, retry_after: Some(wait) };
        match cx.refuse_over(&verdict) {
            Err(refusal) => refusal,
            Ok(()) => ApiError::internal("a passed limit was not refused"),
        }
    }
}
