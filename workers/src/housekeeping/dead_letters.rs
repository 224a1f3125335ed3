//! Deletion of old dead letters. They may name people, and an erasure does not search them
//! (reference/jobs.md#dead-letters).

use chrono::Duration;
use foundation::jobs::QUEUES;
use shared::Result;

use super::budget::Progress;
use worker_core::Context;

/// Time for which a dead letter is kept for operators.
const RETENTION: Duration = Duration::days(7);

pub(super) async fn forget(context: &Context) -> Result<Progress> {
    let before = context.clock.now() - RETENTION;
    for queue in QUEUES {
        let forgotten = context.queues.forget_dead_letters(queue, before).await?;
        if forgotten > 0 {
            tracing::warn!(queue, forgotten, "expired dead letters deleted");
        }
    }
    Ok(Progress::Completed)
}
