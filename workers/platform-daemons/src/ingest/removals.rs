//! Removals by moderators (reference/ingest.md#removals). A removal is recorded first, so that a message that
//! is published or written later is recognised as removed. Then it is published. Then it is marked, by a job
//! that outlives an outage of the time-series database.

use std::{sync::Arc, time::Duration};

use apalis::prelude::{BoxDynError, Data};
use foundation::{
    events::{Channel, Event, Removal},
    jobs::MarkRemoval,
    outbox,
};
use history_model::report::note_removal;
use live_model::{ChatMessage, Removals, RowBuffer};
use shared::Result;
use tokio::{sync::Semaphore, time::Instant};

use super::{delivery_context::DeliveryContext, health::LastEvents};
use crate::PlatformContext;

/// Maximum wait of a job for rows that were buffered before it began; then it is tried again.
const WRITE_TIMEOUT: Duration = Duration::from_secs(20);
/// Interval of checks whether the buffered rows are written.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Maximum number of removals that are marked alongside their deliveries; others are left to their jobs.
const MAX_CONCURRENT_MARKS: usize = 8;

/// Handler of removals.
pub(super) struct RemovalHandler {
    context: PlatformContext,
    removals: Removals,
    messages: RowBuffer<ChatMessage>,
    health: LastEvents,
    marking: Arc<Semaphore>,
}

impl RemovalHandler {
    /// Returns a handler without removals.
    pub fn new(context: &PlatformContext, health: LastEvents) -> Self {
        Self {
            removals: Removals::new(context.redis.clone()),
            messages: RowBuffer::new(context.redis.clone()),
            context: context.clone(),
            health,
            marking: Arc::new(Semaphore::new(MAX_CONCURRENT_MARKS)),
        }
    }

    /// Handles a removal for every account of the channel.
    pub async fn handle(
        &self,
        delivery_context: &DeliveryContext<'_>,
        removal: &Removal,
        index: usize,
    ) -> Result<()> {
        let (platform, at) = (delivery_context.platform.slug(), delivery_context.sent_at());
        let mut jobs = Vec::with_capacity(delivery_context.accounts.len());
        for account in delivery_context.accounts {
            let account_id = account.account_id;
            self.removals.note(account_id, platform, removal, at).await?;
            let source = format!("{account_id}:{platform}:{}", delivery_context.source(index));
            let (channel, data) = (Channel::Chat(account_id), removal.data(platform));
            let event = Event::of_source(channel, removal.event_type(), data, at, &source);
            if !delivery_context.delivery.is_reopened {
                self.context.events.append(&event).await?;
            }
            self.health.record(account_id, delivery_context.platform, removal.event_type(), at);
            let key = format!("removal:{}", event.id);
            let platform = platform.to_owned();
            let removal = removal.clone();
            jobs.push((MarkRemoval { account_id, platform, removal, event, is_published: true }, key));
        }
        outbox::add_each(&mut *self.context.databases.postgres.get().await?, &jobs).await?;
        self.mark_concurrently(jobs.into_iter().map(|(job, _)| job).collect());
        Ok(())
    }

    /// Marks immediately where possible, concurrently with the channel's next deliveries, which must not wait
    /// for a database that is away. Otherwise the jobs mark.
    fn mark_concurrently(&self, jobs: Vec<MarkRemoval>) {
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

    /// Waits until everything that is buffered by now is written; `false` when that takes too long.
    async fn is_buffer_written(&self) -> Result<bool> {
        let Some(newest) = self.messages.newest().await? else { return Ok(true) };
        let give_up = Instant::now() + WRITE_TIMEOUT;
        while self.messages.oldest().await?.is_some_and(|oldest| oldest <= newest) {
            if Instant::now() >= give_up {
                return Ok(false);
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        Ok(true)
    }
}

/// Repeats every step of a removal: the process that began it may have died in between.
pub(super) async fn mark_removal(
    job: MarkRemoval,
    data: Data<Arc<RemovalHandler>>,
) -> Result<(), BoxDynError> {
    data.removals.note(job.account_id, &job.platform, &job.removal, job.event.timestamp).await?;
    if !job.is_published {
        data.context.events.append(&job.event).await?;
    }
    mark(&data.context, &job).await?;
    if !data.is_buffer_written().await? {
        return Err("rows from before a removal wait to be written".into());
    }
    // Those rows may include removed ones.
    Ok(mark(&data.context, &job).await?)
}

async fn mark(context: &PlatformContext, job: &MarkRemoval) -> Result<()> {
    let (account, platform, at) = (job.account_id, job.platform.as_str(), job.event.timestamp);
    let mut connection = context.databases.timescaledb.get().await?;
    live_model::mark_removal(&job.removal, &mut connection, account, platform, at).await?;
    note_removal(&mut connection, account, platform, &job.removal, at).await?;
    Ok(())
}
