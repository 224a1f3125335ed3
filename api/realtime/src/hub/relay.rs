//! The one subscription to every channel with listeners: one connection, in a cluster one to each node.
//!
//! Sockets stay when it is lost. A new connection subscribes to every channel again. Events of the gap are
//! read from the log and sent before new ones: in order, nothing twice. Where the log no longer reaches back,
//! the listeners are closed with 1001: their clients reconnect and resume, and learn from `recovered` what is
//! lost (reference/realtime.md#hub).

use std::{convert::Infallible, sync::Arc, time::Duration};

use foundation::{
    events::Position,
    redis::{Messages, Subscriber},
};
use futures::{StreamExt, TryStreamExt, stream};
use shared::{Error, Result};
use tokio::{sync::mpsc, time::MissedTickBehavior};

use super::{Hub, Topic};

/// Time without a response after which a connection counts as lost.
const PING_TIMEOUT: Duration = Duration::from_secs(2);
const SWEEP_INTERVAL: Duration = Duration::from_secs(5);
const INITIAL_BACKOFF: Duration = Duration::from_millis(50);
const MAX_BACKOFF: Duration = Duration::from_secs(1);
/// Channels in one subscribe command.
const BATCH_SIZE: usize = 500;
/// Channels whose gap is read at once.
const MAX_CONCURRENT_READS: usize = 16;
/// Events of a gap that are read and sent at once.
const PAGE_SIZE: usize = 100;
/// Time for sockets to take a page before the next.
const PAGE_DELAY: Duration = Duration::from_millis(20);

/// Relays until the hub is dropped.
pub async fn run(hub: Hub, mut wanted: mpsc::Receiver<Arc<Topic>>) {
    let mut failures = 0_u32;
    loop {
        match hub.state.redis.subscription().await {
            Ok((subscriber, messages)) => {
                failures = 0;
                let Err(error) = serve(&hub, subscriber, messages, &mut wanted).await;
                tracing::warn!(%error, "the subscription to events was lost");
                hub.metrics.reconnects.inc();
            }
            Err(error) if failures == 0 => tracing::warn!(%error, "events cannot be subscribed to"),
            Err(error) => tracing::debug!(%error, failures, "events cannot be subscribed to"),
        }
        hub.topics().iter().for_each(|topic| topic.interrupt());
        failures = failures.saturating_add(1);
        pause(failures, &mut wanted).await;
    }
}

/// Waits before the next connection: from 50 ms to a second, doubled each time, with jitter. A channel that
/// is requested meanwhile is served by the next connection, which subscribes to every channel.
async fn pause(failures: u32, wanted: &mut mpsc::Receiver<Arc<Topic>>) {
    let max_delay = INITIAL_BACKOFF.saturating_mul(1 << failures.min(10)).min(MAX_BACKOFF);
    let pause = tokio::time::sleep(max_delay.mul_f64(rand::random_range(0.5..1.0)));
    tokio::pin!(pause);
    loop {
        tokio::select! {
            () = &mut pause => return,
            Some(_later) = wanted.recv() => {}
        }
    }
}

/// Serves until the connection is lost.
async fn serve(
    hub: &Hub,
    mut subscriber: Subscriber,
    messages: Messages,
    wanted: &mut mpsc::Receiver<Arc<Topic>>,
) -> Result<Infallible> {
    let mut dispatch = AbortOnDrop(tokio::spawn(dispatch(hub.clone(), messages)));
    hub.forget_idle();
    for batch in hub.topics().chunks(BATCH_SIZE) {
        subscribe(hub, &mut subscriber, batch).await?;
    }
    let mut checks = tokio::time::interval(PING_TIMEOUT);
    checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut sweeps = tokio::time::interval(SWEEP_INTERVAL);
    let mut batch = Vec::new();
    loop {
        tokio::select! {
            _ended = &mut dispatch.0 => return Err(Error::Redis("the connection was closed".into())),
            _ = wanted.recv_many(&mut batch, BATCH_SIZE) => {
                batch.retain(|topic| !topic.is_live());
                subscribe(hub, &mut subscriber, &batch).await?;
                batch.clear();
            }
            _ = checks.tick() => subscriber.ping().await?,
            _ = sweeps.tick() => unsubscribe(&mut subscriber, &hub.forget_idle()).await?,
        }
    }
}

struct AbortOnDrop(tokio::task::JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Delivers messages to their channels, in the order of arrival.
async fn dispatch(hub: Hub, mut messages: Messages) {
    while let Some(message) = messages.next().await {
        let Some(topic) = hub.find(message.get_channel_name()) else { continue };
        if let Some(delivery) = hub.read(&topic, message.get_payload_bytes()) {
            hub.metrics.events.inc();
            topic.deliver(&hub, delivery);
        }
    }
}

async fn subscribe(hub: &Hub, subscriber: &mut Subscriber, topics: &[Arc<Topic>]) -> Result<()> {
    if topics.is_empty() {
        return Ok(());
    }
    topics.iter().for_each(|topic| topic.hold());
    let names: Vec<&str> = topics.iter().map(|topic| topic.name()).collect();
    subscriber.subscribe(&names).await?;
    stream::iter(topics)
        .map(Ok)
        .try_for_each_concurrent(MAX_CONCURRENT_READS, |topic| settle(hub, topic))
        .await
}

async fn unsubscribe(subscriber: &mut Subscriber, topics: &[Arc<Topic>]) -> Result<()> {
    if topics.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = topics.iter().map(|topic| topic.name()).collect();
    subscriber.unsubscribe(&names).await
}

/// Catches a channel with a new subscription up and lets events through.
async fn settle(hub: &Hub, topic: &Topic) -> Result<()> {
    let is_whole = match topic.cursor() {
        None => {
            place(hub, topic).await?;
            true
        }
        Some(cursor) => catch_up(hub, topic, cursor).await?,
    };
    if !is_whole || !topic.go_live(hub) {
        tracing::warn!(channel = topic.label(), "events were lost; sockets must reconnect");
        topic.lose(hub);
        topic.hold();
        place(hub, topic).await?;
        topic.go_live(hub);
    }
    Ok(())
}

/// Sets the cursor of a channel to the end of the log.
async fn place(hub: &Hub, topic: &Topic) -> Result<()> {
    let newest = hub.state.events.newest(topic.label()).await?;
    topic.place(newest.map_or(Position::START, |entry| entry.position));
    Ok(())
}

/// Sends the events of the log after the cursor. Returns true when these are all missed events.
async fn catch_up(hub: &Hub, topic: &Topic, mut cursor: Position) -> Result<bool> {
    let log = &hub.state.events;
    loop {
        let Some(page) = log.page(topic.label(), cursor, PAGE_SIZE).await? else {
            return is_behind(hub, topic, cursor).await;
        };
        for entry in &page {
            if let Some(delivery) = hub.read_entry(topic, entry) {
                topic.deliver_missed(hub, &delivery);
            }
            cursor = entry.position;
        }
        if page.len() < PAGE_SIZE {
            return Ok(true);
        }
        tokio::time::sleep(PAGE_DELAY).await;
    }
}

/// Handles a log without the cursor's event. Returns true when the log is empty or older than the cursor: it
/// was lost, so nothing in it was missed, and the topic continues at its end.
async fn is_behind(hub: &Hub, topic: &Topic, cursor: Position) -> Result<bool> {
    let newest = hub.state.events.newest(topic.label()).await?;
    let is_behind = newest.as_ref().is_none_or(|entry| entry.position < cursor);
    if is_behind {
        topic.place(newest.map_or(Position::START, |entry| entry.position));
    }
    Ok(is_behind)
}
