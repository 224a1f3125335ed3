//! Publication of an event: to sockets first, then to the handlers that it triggers. There is no other way.

use crate::AccountEvent;
use foundation::{
    events::EventLog,
    jobs::{Producers, RunTriggers},
};
use shared::Result;

/// Handlers that an event triggers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Triggers {
    /// No handlers run.
    None,
    /// The handlers run.
    Run {
        /// Id on the platform of the channel of the event.
        channel_id: Option<String>,
    },
}

/// Publishes an event to sockets and runs its handlers. It may be repeated with the same event: the event's
/// id keeps a second call without effect.
///
/// # Errors
/// A failure of Redis.
pub async fn publish(
    events: &EventLog,
    jobs: &Producers,
    event: &AccountEvent,
    triggers: Triggers,
) -> Result<()> {
    announce(events, event).await?;
    trigger(jobs, event, triggers).await
}

/// Publishes an event to sockets.
///
/// # Errors
/// A failure of Redis.
pub async fn announce(events: &EventLog, event: &AccountEvent) -> Result<()> {
    events.append(&event.announcement()?).await?;
    if let Some(stream) = event.stream_announcement() {
        events.append(&stream).await?;
    }
    Ok(())
}

/// Runs the handlers of an event.
///
/// # Errors
/// A failure of Redis.
pub async fn trigger(jobs: &Producers, event: &AccountEvent, triggers: Triggers) -> Result<()> {
    if let Some((job, key)) = triggers.job(event)? {
        jobs.enqueue(&job, &key).await?;
    }
    Ok(())
}

impl Triggers {
    /// Job that runs the handlers of an event, and its key.
    ///
    /// # Errors
    /// An event without a JSON form.
    pub fn job(self, event: &AccountEvent) -> Result<Option<(RunTriggers, String)>> {
        let Self::Run { channel_id } = self else { return Ok(None) };
        let key = format!("{}:{}", event.id, event.account_id);
        let job = RunTriggers { account_id: event.account_id, event: event.announcement()?, channel_id };
        Ok(Some((job, key)))
    }
}
