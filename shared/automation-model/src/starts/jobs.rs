//! Jobs that start runs.

use diesel_async::AsyncPgConnection;
use foundation::{events::Event, jobs::StartAutomations, outbox};
use live_model::AccountEvent;
use shared::Result;
use uuid::Uuid;

use super::awaited::awaited;

/// Returns the job that starts the automations that wait for an event, and its key.
#[must_use]
pub fn job(account_id: Uuid, event: Event, channel_id: Option<String>) -> (StartAutomations, String) {
    let key = format!("{}:{account_id}", event.id);
    (StartAutomations { account_id, event, channel_id, depth: 0, parent_run_id: None, is_update: false }, key)
}

/// Run that emitted an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Emitter {
    /// The run.
    pub run_id: Uuid,
    /// Its depth.
    pub depth: i16,
}

/// Writes the job of an event into the outbox of the current transaction, when automations may wait for it:
/// for processes that publish few events. `emitter` is the run that emitted the event, if any. Returns true
/// when the job was written.
///
/// # Errors
/// A failure of the database.
pub async fn add_for_event(
    connection: &mut AsyncPgConnection,
    event: &AccountEvent,
    emitter: Option<Emitter>,
) -> Result<bool> {
    if !awaited(connection, event.account_id).await?.contains_event(&event.event_type) {
        return Ok(false);
    }
    let (mut start, key) = job(event.account_id, event.announcement()?, None);
    if let Some(Emitter { run_id, depth }) = emitter {
        start = StartAutomations { depth: depth.saturating_add(1), parent_run_id: Some(run_id), ..start };
    }
    outbox::add(connection, &start, &key).await?;
    Ok(true)
}

/// Writes the job of a chat line into the outbox of the current transaction, when automations may wait for it:
/// for processes that publish few lines. Returns true when the job was written.
///
/// # Errors
/// A failure of the database.
pub async fn add_for_line(
    connection: &mut AsyncPgConnection,
    account_id: Uuid,
    announcement: &Event,
    text: &str,
) -> Result<bool> {
    if !awaited(connection, account_id).await?.contains_line(text) {
        return Ok(false);
    }
    let (start, key) = job(account_id, announcement.clone(), None);
    outbox::add(connection, &start, &key).await?;
    Ok(true)
}
