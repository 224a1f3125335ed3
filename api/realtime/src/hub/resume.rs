//! A socket that asks for what it missed: first what the log holds after its last event, then what arrives now,
//! nothing twice and nothing left out; or the word that the log does not reach back (`recovered: false`).

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use shared::events::{Entry, Position};
use uuid::Uuid;

use super::{Attached, Hub, Topic, Unavailable};
use crate::{metrics::ResumeOutcome, protocol::Closing, socket::Socket};

/// Events that are read and sent at once; also what waits in a socket's queue at most because of it.
const PAGE: usize = 100;
/// Longest time for a client to take a page, and for the log to answer.
const PAGE_TIMEOUT: Duration = Duration::from_secs(30);
const RETRY: Duration = Duration::from_millis(250);
/// Pages of a log that grows as fast as it is read.
const MAX_PAGES: usize = 100;

/// Adds a socket to a channel after the event `cursor`. `reply` makes the answer for both outcomes. `None` when the
/// topic has ended meanwhile: then join again. A socket that cannot take what it asked for is closed.
///
/// # Errors
/// When the log cannot be read; nothing was sent then.
pub async fn resume(
    hub: &Hub,
    topic: &Arc<Topic>,
    socket: &Arc<Socket>,
    cursor: Uuid,
    reply: impl Fn(bool) -> Bytes,
) -> Result<Option<Attached>, Unavailable> {
    // Before the log is read, so that what is appended meanwhile arrives here.
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
            // It was told that everything follows, so it must not go on without.
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

/// Where the client's last event stands and what follows it.
async fn find(hub: &Hub, topic: &Topic, cursor: Uuid) -> shared::Result<Option<(Position, Vec<Entry>)>> {
    let log = &hub.state.events;
    let Some(position) = log.locate(topic.label(), cursor).await? else { return Ok(None) };
    let page = log.page(topic.label(), position, PAGE).await?;
    Ok(page.map(|page| (position, page)))
}

/// Sends page after page, each when the one before was taken. Answers where the last event stands.
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
        if page.len() < PAGE {
            return Ok(position);
        }
        if !socket.drained(PAGE_TIMEOUT).await {
            return Err(Closing::SlowConsumer);
        }
        page = next_page(hub, topic, position).await?;
    }
    Err(Closing::SlowConsumer)
}

/// Reads on, also across a short outage: while Redis is away nothing is appended either.
async fn next_page(hub: &Hub, topic: &Topic, position: Position) -> Result<Vec<Entry>, Closing> {
    let read = async {
        loop {
            match hub.state.events.page(topic.label(), position, PAGE).await {
                // Dropped from the log before it could be sent.
                Ok(None) => return Err(Closing::SlowConsumer),
                Ok(Some(page)) => return Ok(page),
                Err(error) => {
                    tracing::debug!(%error, channel = topic.label(), "the event log cannot be read")
                }
            }
            tokio::time::sleep(RETRY).await;
        }
    };
    tokio::time::timeout(PAGE_TIMEOUT, read).await.unwrap_or(Err(Closing::EventsLost))
}
