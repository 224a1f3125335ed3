//! Order of the deliveries of a channel: they are handled one after the other, by the platform's time, so
//! that no line precedes an earlier one, and no removal its message (reference/ingest.md#order).
//!
//! The holder of a channel's lease handles waiting deliveries of the channel in batches, also those of other
//! jobs and other processes: these find them handled. In one process one job leads at a time; a lease in
//! Redis decides among processes. A job leads until its own delivery is handled, then another waiting job
//! leads. A delivery that fails is tried again by its own job; later ones of its channel wait for that only
//! while it is new. A leader that waits long for another process continues without the lease.
//!
//! A job waits or leads for a part of its time only. Then it is requeued, which is no failed attempt, and
//! leaders handle its delivery meanwhile: a backlog of minutes costs no attempts and interrupts no batch.

mod leader;
mod lease;
mod queue;

use std::{sync::Arc, time::Duration};

use shared::Result;
use tokio::time::Instant;

use super::{
    inbox::{Channel, Delivery},
    outcome::Run,
    room::Room,
};
use crate::PlatformContext;
use leader::{Leader, later};
use queue::{EntryOutcome, Queues};

pub(super) use leader::Handler;

/// Maximum time from its begin for which a job waits for others.
pub(super) const QUEUE_WAIT_TIMEOUT: Duration = Duration::from_secs(20);
/// Time from its begin after which a leading job begins no batch: early enough for the batch to end and the
/// lease to be released within the job's timeout.
const MAX_LEAD_DURATION: Duration = Duration::from_secs(30);

/// Queues of all channels.
pub(super) struct ChannelQueues {
    context: PlatformContext,
    room: Arc<Room>,
    queues: Arc<Queues>,
}

impl ChannelQueues {
    /// Returns queues without deliveries. Batches are handled in `room`.
    pub fn new(context: &PlatformContext, room: &Arc<Room>) -> Self {
        Self { context: context.clone(), room: room.clone(), queues: Arc::default() }
    }

    /// Runs the job of a delivery, which was read a moment ago: handles the delivery with `handler` in the
    /// order of its channel, along with others of the channel, or waits until others have handled it.
    ///
    /// # Errors
    /// The failure of the delivery: its job is tried again.
    pub async fn run_in_order(
        &self,
        channel: Channel,
        delivery: Delivery,
        began: Instant,
        handler: &impl Handler,
    ) -> Result<Run> {
        let Some(entry) = Queues::enter(&self.queues, channel, delivery.sent_at, delivery.id) else {
            return Ok(Run::recheck());
        };
        match entry.wait(began + QUEUE_WAIT_TIMEOUT).await {
            Some(EntryOutcome::Ended(ended)) => ended.into_result().map(|()| Run::Done),
            // The delivery is read again when others of the process have led since. One that another process
            // has handled since is handled twice, which has no second effect.
            Some(EntryOutcome::Lead { immediate }) => {
                let leader = Leader { context: &self.context, room: &self.room, entry: &entry, handler };
                leader.lead(Some(delivery).filter(|_| immediate), began + MAX_LEAD_DURATION).await
            }
            None => later(&entry),
        }
    }
}
