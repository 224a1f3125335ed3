//! Missed events of one socket of a feed (reference/realtime.md#surfaces).

use std::sync::Arc;

use bytes::Bytes;
use foundation::events::{Channel, Entry, Position};
use uuid::Uuid;

use super::{Converted, Feed, Hub, Unavailable};
use crate::metrics::ResumeOutcome;

/// Largest number of missed events that are sent: fewer than a queue holds. Beyond it the client gets the state
/// alone, and `recovered: false`.
const MAX_MISSED_EVENTS: usize = 400;
/// Difference of the clocks of two sources, and of an event's id and its append, in milliseconds.
const CLOCK_MARGIN: u64 = 2000;

/// Missed events of a socket, oldest first, with their ids; `None` when they are unknown.
pub struct Missed {
    /// Frames.
    pub frames: Vec<Bytes>,
    /// Ids of the events.
    pub ids: Vec<Uuid>,
}

/// Reads the events of the sources after the event `cursor`. Those shortly before it may be among them: clients
/// know them by their ids.
///
/// # Errors
/// An error when a log cannot be read.
pub async fn resume_feed(hub: &Hub, feed: &Arc<Feed>, cursor: Uuid) -> Result<Option<Missed>, Unavailable> {
    // Bounded, because a client may ask again and again.
    // The sources are read before: whoever reads the state waits for a permit.
    let sources = feed.relayed_sources().await;
    let permit = hub.feed_reads.acquire().await;
    let missed = missed(hub, feed, sources, cursor).await;
    drop(permit);
    let missed = missed.map_err(|error| {
        tracing::warn!(%error, channel = feed.label, "the event log cannot be read");
        Unavailable
    })?;
    let outcome = if missed.is_some() { ResumeOutcome::Recovered } else { ResumeOutcome::TooOld };
    hub.metrics.resumed(outcome);
    Ok(missed)
}

async fn missed(
    hub: &Hub,
    feed: &Feed,
    sources: Vec<Channel>,
    cursor: Uuid,
) -> shared::Result<Option<Missed>> {
    let log = &hub.state.events;
    let mut since = millisecond_of(cursor);
    for source in &sources {
        if let Some(position) = log.locate(&source.to_string(), cursor).await? {
            since = Some(position.millisecond());
            break;
        }
    }
    let Some(since) = since.map(|at| at.saturating_sub(CLOCK_MARGIN)) else { return Ok(None) };
    let mut found: Vec<(Position, Uuid, Bytes)> = Vec::new();
    for source in sources {
        let Some(entries) = log.since(&source.to_string(), since, MAX_MISSED_EVENTS).await? else {
            return Ok(None);
        };
        for Entry { id, position, message } in entries.into_iter().filter(|entry| entry.id != cursor) {
            if let Converted::Event { frame, .. } = feed.convert(hub, source, message.as_bytes())? {
                found.push((position, id, frame));
            }
        }
    }
    if found.len() > MAX_MISSED_EVENTS {
        return Ok(None);
    }
    found.sort_by_key(|(position, ..)| *position);
    let (ids, frames) = found.into_iter().map(|(_, id, frame)| (id, frame)).unzip();
    Ok(Some(Missed { frames, ids }))
}

/// Time in the id of an event that no log holds, such as that of a snapshot.
fn millisecond_of(id: Uuid) -> Option<u64> {
    let (seconds, nanoseconds) = id.get_timestamp().filter(|_| id.get_version_num() == 7)?.to_unix();
    Some(seconds * 1000 + u64::from(nanoseconds) / 1_000_000)
}
