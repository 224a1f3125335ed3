//! What moderators remove. A removal is noted first, so that a message which is told or written later is found to be
//! removed; then it is told; then it is marked, by a job that outlives an outage of the time-series database.

use std::{sync::Arc, time::Duration};

use apalis::prelude::{BoxDynError, Data};
use shared::{
    Result,
    events::{Channel, Event},
    ingest::Removal,
    jobs::MarkRemoval,
    outbox,
};
use tokio::time::Instant;

use super::{handle::Ingest, occasion::Occasion};
use crate::Context;

/// How long a job waits for rows that were buffered before it began; then it is tried again.
const WRITTEN_WITHIN: Duration = Duration::from_secs(20);
const POLL_INTERVAL: Duration = Duration::from_millis(200);

impl Ingest {
    pub(super) async fn removal(
        &self,
        occasion: &Occasion<'_>,
        removal: &Removal,
        index: usize,
    ) -> Result<()> {
        let (platform, at) = (occasion.platform.slug(), occasion.sent_at());
        let mut jobs = Vec::with_capacity(occasion.accounts.len());
        for account in occasion.accounts {
            let account_id = account.account_id;
            self.removals.note(account_id, platform, removal, at).await?;
            let source = format!("{account_id}:{platform}:{}", occasion.source(index));
            let (channel, data) = (Channel::Chat(account_id), removal.data(platform));
            let event = Event::of_source(channel, removal.event_type(), data, at, &source);
            if !occasion.delivery.is_reopened {
                self.context.events.append(&event).await?;
            }
            self.health.note(account_id, occasion.platform, removal.event_type(), at);
            let key = format!("removal:{}", event.id);
            let platform = platform.to_owned();
            let removal = removal.clone();
            jobs.push((MarkRemoval { account_id, platform, removal, event, is_told: true }, key));
        }
        outbox::add_each(&mut *self.context.databases.postgres.get().await?, &jobs).await?;
        self.mark_beside(jobs.into_iter().map(|(job, _)| job).collect());
        Ok(())
    }

    /// Marks at once where that is possible, beside what the channel tells next: it must not wait for a database that
    /// is away. The jobs do it otherwise.
    fn mark_beside(&self, jobs: Vec<MarkRemoval>) {
        let Ok(room) = self.marking.clone().try_acquire_owned() else { return };
        let context = self.context.clone();
        tokio::spawn(async move {
            for job in jobs {
                if let Err(error) = mark(&context, &job).await {
                    tracing::warn!(account_id = %job.account_id, %error, "removed messages are marked later");
                    break;
                }
            }
            drop(room);
        });
    }

    /// Waits until everything that was buffered by now is written; `false` when that takes too long.
    async fn is_buffer_written(&self) -> Result<bool> {
        let Some(newest) = self.messages.newest().await? else { return Ok(true) };
        let give_up = Instant::now() + WRITTEN_WITHIN;
        while self.messages.oldest().await?.is_some_and(|oldest| oldest <= newest) {
            if Instant::now() >= give_up {
                return Ok(false);
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        Ok(true)
    }
}

/// Repeats every step of a removal: whoever began it may have died in between.
pub(super) async fn mark_removal(job: MarkRemoval, ingest: Data<Arc<Ingest>>) -> Result<(), BoxDynError> {
    ingest.removals.note(job.account_id, &job.platform, &job.removal, job.event.timestamp).await?;
    if !job.is_told {
        ingest.context.events.append(&job.event).await?;
    }
    mark(&ingest.context, &job).await?;
    if !ingest.is_buffer_written().await? {
        return Err("rows from before a removal wait to be written".into());
    }
    // Among them may have been some that were removed.
    Ok(mark(&ingest.context, &job).await?)
}

async fn mark(context: &Context, job: &MarkRemoval) -> Result<()> {
    let mut connection = context.databases.timescaledb.get().await?;
    job.removal.mark(&mut connection, job.account_id, &job.platform, job.event.timestamp).await?;
    Ok(())
}
