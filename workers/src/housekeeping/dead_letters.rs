//! Forgetting jobs that nobody made jobs again: they may name people, whom nobody can be expected to look for there.

use chrono::Duration;
use shared::{Result, jobs::QUEUES};

use super::turn::Progress;
use crate::Context;

/// A dead letter is kept for operators for this long.
const RETENTION: Duration = Duration::days(7);

pub(super) async fn forget(context: &Context) -> Result<Progress> {
    let before = context.clock.now() - RETENTION;
    for queue in QUEUES {
        let forgotten = context.queues.forget_dead_letters(queue, before).await?;
        if forgotten > 0 {
            tracing::warn!(queue, forgotten, "dead letters are forgotten");
        }
    }
    Ok(Progress::Through)
}
