//! The one way of an event from whoever learned of it to everybody who acts on it: sockets first, then handlers.

use crate::{
    Result,
    events::EventLog,
    ingest::AccountEvent,
    jobs::{Producers, RunTriggers},
};

/// Whether an event runs the handlers that it triggers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Triggers {
    None,
    Run {
        /// The platform's id of the channel that it happened in.
        channel_id: Option<String>,
    },
}

/// Tells sockets of an event and runs what it triggers. May be repeated with the same event: everything is known by
/// the event's id.
///
/// # Errors
/// When Redis cannot be reached.
pub async fn tell(
    events: &EventLog,
    jobs: &Producers,
    event: &AccountEvent,
    triggers: Triggers,
) -> Result<()> {
    announce(events, event).await?;
    trigger(jobs, event, triggers).await
}

/// Tells sockets of an event.
///
/// # Errors
/// When Redis cannot be reached.
pub async fn announce(events: &EventLog, event: &AccountEvent) -> Result<()> {
    events.append(&event.announcement()?).await?;
    if let Some(stream) = event.stream_announcement() {
        events.append(&stream).await?;
    }
    Ok(())
}

/// Runs what an event triggers.
///
/// # Errors
/// When Redis cannot be reached.
pub async fn trigger(jobs: &Producers, event: &AccountEvent, triggers: Triggers) -> Result<()> {
    if let Some((job, key)) = triggers.job(event)? {
        jobs.enqueue(&job, &key).await?;
    }
    Ok(())
}

impl Triggers {
    /// The job that runs what an event triggers, and its key.
    ///
    /// # Errors
    /// When the event has no JSON.
    pub fn job(self, event: &AccountEvent) -> Result<Option<(RunTriggers, String)>> {
        let Self::Run { channel_id } = self else { return Ok(None) };
        let key = format!("{}:{}", event.id, event.account_id);
        let job = RunTriggers { account_id: event.account_id, event: event.announcement()?, channel_id };
        Ok(Some((job, key)))
    }
}
