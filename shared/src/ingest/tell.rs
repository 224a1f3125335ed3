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
    let announcement = event.announcement()?;
    events.append(&announcement).await?;
    if let Some(stream) = event.stream_announcement() {
        events.append(&stream).await?;
    }
    if let Triggers::Run { channel_id } = triggers {
        let key = format!("{}:{}", event.id, event.account_id);
        let job = RunTriggers { account_id: event.account_id, event: announcement, channel_id };
        jobs.enqueue(&job, &key).await?;
    }
    Ok(())
}
