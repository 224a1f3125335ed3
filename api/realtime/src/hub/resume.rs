//! Resume of one socket: first the events of the log after its last one, then live events, without a repeat
//! and without a gap. `recovered: false` when the log does not reach back (reference/realtime.md#resume).

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use foundation::events::{Entry, Position};
use uuid::Uuid;

use super::{Attached, Hub, Topic, Unavailable};
use crate::{metrics::ResumeOutcome, protocol::Closing, socket::Socket};

/// Events of a page; also the largest number that a resume keeps in a socket's queue.
const PAGE_SIZE: usize = 100;
/// Longest time for a client to take a page, and for the log to respond.
const PAGE_TIMEOUT: Duration = Duration::from_secs(30);
const RETRY_DELAY: Duration = Duration::from_millis(250);
/// Largest number of pages, for a log that grows as fast as it is read.
const MAX_PAGES: usize = 100;

/// Adds a socket to a channel after the event `cursor`. `reply` makes the frame for both outcomes. `None`
/// when the topic has ended meanwhile: join again then. A socket that cannot take the events is closed.
///
/// # Errors
/// An error when the log cannot be read. Nothing was sent then.
pub async fn resume(
    hub: &Hub,
    topic: &Arc<Topic>,
    socket: &Arc<Socket>,
    cursor: Uuid,
    reply: impl Fn(bool) -> Bytes,
) -> Result<Option<Attached>, Unavailable> {
    // Attached before the log is read, so that later events arrive here.
    let Some(attached) = topic.attach_held(socket) else { return Ok(None) };
    let Some((position, first)) = first_page(hub, topic, cursor).await? else {
        topic.release(hub, socket, Some(reply(false)), Position::START);
        hub.metrics.resumed(ResumeOutcome::TooOld);
        return Ok(Some(attached));
    };
    hub.push(socket, reply(true));
    let outcome = match send(hub, topic, socket, position, first).await {
        Ok(last) => {
            topic.release(hub, socket, None, last);
            ResumeOutcome::Recovered
        }
        Err(closing) => {
            // The client was promised every event, so it must not go on without.
            hub.close(socket, closing);
            ResumeOutcome::Broken
        }
    };
    hub.metrics.resumed(outcome);
    Ok(Some(attached))
}

async fn first_page(
    hub: &Hub,
    topic: &Topic,
    cursor: Uuid,
) -> Result<Option<(Position, Vec<Entry>)>, Unavailable> {
    find(hub, topic, cursor).await.map_err(|error| {
        tracing::warn!(%error, channel = topic.label(), "the event log cannot be read");
        Unavailable
    })
}

/// Position of the client's last event, and the events after it.
async fn find(hub: &Hub, topic: &Topic, cursor: Uuid) -> shared::Result<Option<(Position, Vec<Entry>)>> {
    let log = &hub.state.events;
    let Some(position) = log.locate(topic.label(), cursor).await? else { return Ok(None) };
    let page = log.page(topic.label(), position, PAGE_SIZE).await?;
    Ok(page.map(|page| (position, page)))
}

/// Sends pages, each after the client has taken the one before. Returns the position of the last event.
async fn send(
    hub: &Hub,
    topic: &Topic,
    socket: &Socket,
    mut position: Position,
    mut page: Vec<Entry>,
) -> Result<Position, Closing> {
    for _ in 0..MAX_PAGES {
        for entry in &page {
            if let Some(delivery) = hub.read_entry(topic, entry) {
                hub.push(socket, delivery.frame);
            }
            position = entry.position;
        }
        if page.len() < PAGE_SIZE {
            return Ok(position);
        }
        if !socket.drained(PAGE_TIMEOUT).await {
            return Err(Closing::SlowConsumer);
        }
        page = next_page(hub, topic, position).await?;
    }
    Err(Closing::SlowConsumer)
}

/// Reads the next page, also across a short outage: nothing is appended while Redis is away.
async fn next_page(hub: &Hub, topic: &Topic, position: Position) -> Result<Vec<Entry>, Closing> {
    let read = async {
        loop {
            match hub.state.events.page(topic.label(), position, PAGE_SIZE).await {
                // The log dropped the events before they could be sent.
                Ok(None) => return Err(Closing::SlowConsumer),
                Ok(Some(page)) => return Ok(page),
                Err(error) => {
                    tracing::debug!(%error, channel = topic.label(), "the event log cannot be read")
                }
            }
            tokio::time::sleep(RETRY_DELAY).await;
        }
    };
    tokio::time::timeout(PAGE_TIMEOUT, read).await.unwrap_or(Err(Closing::EventsLost))
}
