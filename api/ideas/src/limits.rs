//! Limits of what a person writes in an hour (reference/ideas.md#write-limits).

use std::time::Duration;

use api_core::{
    Cx, Result,
    http::{Policy, Verdict},
    limits::{Holder, WindowLimit},
};
use foundation::limits::FixedWindow;
use shared::id::UserId;

/// New ideas of a person in an hour (reference/ideas.md#write-limits).
const MAX_IDEAS_PER_HOUR: u32 = 5;
/// New comments of a person in an hour (reference/ideas.md#write-limits).
const MAX_COMMENTS_PER_HOUR: u32 = 30;
/// Votes of a person on ideas and comments in an hour (reference/ideas.md#write-limits).
const MAX_VOTES_PER_HOUR: u32 = 120;
/// Changes of own texts of a person in an hour. Each may notify the people that it mentions
/// (reference/ideas.md#write-limits).
const MAX_EDITS_PER_HOUR: u32 = 30;
/// New tags of a person in an hour (reference/ideas.md#write-limits).
const MAX_TAGS_PER_HOUR: u32 = 20;
const HOUR_SECS: i64 = 3600;
/// Maximum wait for Redis. Beyond, the process counts by itself as it counts requests.
const COUNT_TIMEOUT: Duration = Duration::from_secs(1);

/// Kind of a limited write.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Limit {
    /// New ideas.
    Ideas,
    /// New comments.
    Comments,
    /// Votes on ideas and comments.
    Votes,
    /// Changes of own texts.
    Edits,
    /// New tags.
    Tags,
}

impl Limit {
    /// Counts a write in all processes at once. Call it after the checks of the input, so that what is refused counts
    /// nothing, and before ideas, comments and totals are locked, because it waits for Redis. What is kept by then
    /// (people, categories, tags) only delays the deletion of these.
    ///
    /// # Errors
    /// 429 beyond the limit.
    pub async fn take(self, cx: &Cx, user: UserId) -> Result<()> {
        let (name, limit) = self.figures();
        let policy = Policy { name, limit, seconds: HOUR_SECS };
        let verdict = match counted(cx, policy, user).await {
            Some(verdict) => verdict,
            None => cx.state().limiter.count(name, &user.to_string(), limit, HOUR_SECS).await,
        };
        cx.refuse_over(&verdict)
    }

    /// Name of the count, and writes in an hour.
    const fn figures(self) -> (&'static str, u32) {
        match self {
            Self::Ideas => ("ideas", MAX_IDEAS_PER_HOUR),
            Self::Comments => ("idea_comments", MAX_COMMENTS_PER_HOUR),
            Self::Votes => ("idea_votes", MAX_VOTES_PER_HOUR),
            Self::Edits => ("idea_edits", MAX_EDITS_PER_HOUR),
            Self::Tags => ("idea_tags", MAX_TAGS_PER_HOUR),
        }
    }

    const fn listed(self) -> WindowLimit {
        let (name, limit) = self.figures();
        WindowLimit { name, limit, seconds: HOUR_SECS, holder: Holder::Person }
    }
}

api_core::limits::submit! { Limit::Ideas.listed() }
api_core::limits::submit! { Limit::Comments.listed() }
api_core::limits::submit! { Limit::Votes.listed() }
api_core::limits::submit! { Limit::Edits.listed() }
api_core::limits::submit! { Limit::Tags.listed() }

/// Verdict over a write that Redis has counted; `None` when Redis does not answer in time. The key is that of the counts
/// of requests, so that both counts are one.
async fn counted(cx: &Cx, policy: Policy, user: UserId) -> Option<Verdict> {
    let state = cx.state();
    let now = state.clock.now().timestamp();
    let window = now.div_euclid(policy.seconds);
    let key = state.redis.key(format_args!("rl:{}:{user}:{window}", policy.name));
    let window_count = FixedWindow { key, ttl_secs: policy.seconds };
    let count = tokio::time::timeout(COUNT_TIMEOUT, window_count.count(&state.redis)).await.ok()?.ok()?;
    let reset = (window + 1) * policy.seconds;
    let wait = u64::try_from(reset - now).unwrap_or(1).max(1);
    let retry_after = (count > policy.limit).then_some(wait);
    Some(Verdict { policy, remaining: policy.limit.saturating_sub(count), reset, wait, retry_after })
}
