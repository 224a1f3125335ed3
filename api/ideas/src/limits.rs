//! Limits of what a person writes in an hour (reference/ideas.md#write-limits).

use api_core::{Cx, Result};
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
    /// Counts a write. Call it after the checks of the input, so that what is refused counts nothing, and
    /// before rows are locked: the first count of a person may wait for Redis.
    ///
    /// # Errors
    /// 429 beyond the limit.
    pub async fn take(self, cx: &Cx, user: UserId) -> Result<()> {
        let (name, limit) = match self {
            Self::Ideas => ("ideas", MAX_IDEAS_PER_HOUR),
            Self::Comments => ("idea_comments", MAX_COMMENTS_PER_HOUR),
            Self::Votes => ("idea_votes", MAX_VOTES_PER_HOUR),
            Self::Edits => ("idea_edits", MAX_EDITS_PER_HOUR),
            Self::Tags => ("idea_tags", MAX_TAGS_PER_HOUR),
        };
        cx.refuse_over(&cx.state().limiter.count(name, &user.to_string(), limit, HOUR_SECS).await)
    }
}
