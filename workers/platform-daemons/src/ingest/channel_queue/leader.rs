//! Leader of a channel: the job that handles its waiting deliveries in batches, with the lease among all
//! processes.

use std::{collections::HashSet, panic::AssertUnwindSafe, time::Duration};

use chrono::{DateTime, Utc};
use foundation::lease::Lease;
use futures::FutureExt;
use shared::{Error, Result};
use tokio::time::Instant;
use uuid::Uuid;

use super::{
    lease,
    queue::{PendingDeliveries, QueueEntry},
};
use crate::{
    PlatformContext,
    ingest::{
        inbox::{self, Delivery},
        outcome::{Outcome, Run},
        room::Room,
    },
};

/// Duration after which a batch ends with the current delivery: a second before the lease can expire.
const MAX_BATCH_DURATION: Duration = Duration::from_secs(1);
/// Maximum wait for a lease that another process holds.
const LEASE_WAIT_TIMEOUT: Duration = Duration::from_secs(10);
/// First interval of checks for deliveries that another process has handled; it doubles up to the maximum.
const INITIAL_BACKOFF: Duration = Duration::from_millis(10);
/// Maximum interval of checks for deliveries that another process has handled.
const MAX_BACKOFF: Duration = Duration::from_millis(200);

/// Handler of the deliveries in a batch.
pub(in crate::ingest) trait Handler: Sync {
    /// Data that one delivery of a batch leaves for the next.
    type Batch: Default + Send;

    /// Applies a delivery. It may have been applied before, which has no second effect.
    fn apply(
        &self,
        delivery: &Delivery,
        kept: &mut Self::Batch,
    ) -> impl Future<Output = Result<Outcome>> + Send;

    /// Records deliveries as handled.
    fn record_handled(&self, done: &[(&Delivery, Outcome)]) -> impl Future<Output = Result<()>> + Send;
}

/// Leader of a channel in this process.
pub(super) struct Leader<'a, H> {
    pub context: &'a PlatformContext,
    pub room: &'a Room,
    pub entry: &'a QueueEntry,
    pub handler: &'a H,
}

impl<H: Handler> Leader<'_, H> {
    /// Handles deliveries of the channel until that of the entry is done, or until it is time for others to lead.
    pub async fn lead(&self, mut read: Option<Delivery>, until: Instant) -> Result<Run> {
        let entry = self.entry;
        let (give_up, mut pause) = (Instant::now() + LEASE_WAIT_TIMEOUT, INITIAL_BACKOFF);
        while let Some(room) = self.room.enter(until).await?
            && Instant::now() < until
        {
            let mut lease = lease::take(&self.context.redis, entry.channel()).await?;
            let is_ours = lease.is_some();
            let has_moved = if is_ours || Instant::now() >= give_up {
                if !is_ours {
                    tracing::debug!(channel = ?entry.channel(), "deliveries are handled out of order");
                }
                let taken = self.handle_batch(read.take(), lease.as_mut()).await;
                if let Some(lease) = lease {
                    lease.release().await;
                }
                taken?
            } else {
                read = None;
                self.find_handled().await?
            };
            drop(room);
            if let Some(ended) = entry.take_result() {
                return ended.into_result().map(|()| Run::Done);
            }
            if has_moved {
                pause = INITIAL_BACKOFF;
            }
            if !(is_ours && has_moved) {
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(MAX_BACKOFF);
            }
        }
        later(entry)
    }

    /// Handles the first waiting deliveries of a channel; returns true when any was handled. `read` was read
    /// a moment ago.
    ///
    /// A delivery that takes longer than the rest of the lease may be overtaken by another process. That has
    /// no second effect, but breaks the order.
    async fn handle_batch(&self, read: Option<Delivery>, lease: Option<&mut Lease>) -> Result<bool> {
        let (entry, handler) = (self.entry, self.handler);
        let now = self.context.clock.now();
        let batch = match read.filter(|delivery| !delivery.is_preceded && entry.is_alone()) {
            Some(delivery) => vec![delivery],
            None => self.ready(now).await?,
        };
        // The database may have delayed the delivery beyond the lease.
        if let Some(lease) = lease
            && !lease::renew(lease).await?
        {
            return Ok(false);
        }
        let (began, mut done, mut kept) =
            (Instant::now(), Vec::with_capacity(batch.len()), H::Batch::default());
        for delivery in &batch {
            if began.elapsed() >= MAX_BATCH_DURATION {
                break;
            }
            if entry.awaits_retry(delivery.id) {
                if delivery.blocks_channel(now) {
                    break;
                }
                continue;
            }
            // The leader must survive a panic in another job's delivery.
            let applied = AssertUnwindSafe(handler.apply(delivery, &mut kept)).catch_unwind().await;
            let applied =
                applied.unwrap_or_else(|_| Err(Error::Internal("handling it has panicked".to_owned())));
            match applied {
                Ok(outcome) => done.push((delivery, outcome)),
                Err(error) => {
                    tracing::warn!(inbox_id = %delivery.id, %error, "a delivery cannot be handled");
                    entry.failed(delivery.id, &error);
                    if delivery.blocks_channel(now) {
                        break;
                    }
                }
            }
        }
        handler.record_handled(&done).await?;
        entry.handled(&done.iter().map(|(delivery, _)| delivery.id).collect());
        Ok(!done.is_empty())
    }

    /// Returns the waiting deliveries of a channel, in order. Records those that others have handled
    /// meanwhile.
    async fn ready(&self, now: DateTime<Utc>) -> Result<Vec<Delivery>> {
        let entry = self.entry;
        let PendingDeliveries { ids, earliest } = entry.pending();
        let mut connection = self.context.databases.postgres.get().await?;
        let batch = inbox::ready(&mut connection, entry.channel(), &ids, earliest, now).await?;
        if batch.len() < inbox::BATCH_SIZE {
            let open: HashSet<Uuid> = batch.iter().map(|delivery| delivery.id).collect();
            entry.handled(&ids.into_iter().filter(|id| !open.contains(id)).collect());
        }
        Ok(batch)
    }

    /// Finds waiting deliveries that another process has handled; true when there are any.
    async fn find_handled(&self) -> Result<bool> {
        let entry = self.entry;
        let pending = entry.pending().ids;
        let mut connection = self.context.databases.postgres.get().await?;
        let open = inbox::still_open(&mut connection, &pending).await?;
        let handled: HashSet<Uuid> = pending.into_iter().filter(|id| !open.contains(id)).collect();
        entry.handled(&handled);
        Ok(!handled.is_empty())
    }
}

/// Leaves a delivery that waited or led for too long to leaders until its job runs again.
pub(super) fn later(entry: &QueueEntry) -> Result<Run> {
    match entry.requeue() {
        Some(ended) => ended.into_result().map(|()| Run::Done),
        None => Ok(Run::recheck()),
    }
}
