//! The one connection that hears what is published, for every channel that somebody listens to.
//!
//! When it is lost, sockets stay. A new one is made, every channel is subscribed to again, and what was published
//! meanwhile is read from the log and sent before what arrives now: in order, nothing twice. Where the log no longer
//! reaches back, the sockets that listen are closed with 1001, so that their clients come back, resume, and are told.

use std::{convert::Infallible, sync::Arc, time::Duration};

use futures::{StreamExt, TryStreamExt, stream};
use redis::aio::{PubSubSink, PubSubStream};
use shared::{Error, Result, events::Position, redis::RESPONSE_TIMEOUT};
use tokio::{sync::mpsc, time::MissedTickBehavior};

use super::{Hub, Topic};

/// A connection that does not answer for this long is taken for lost.
const SIGN_OF_LIFE: Duration = Duration::from_secs(2);
const SWEEP: Duration = Duration::from_secs(5);
const INITIAL_BACKOFF: Duration = Duration::from_millis(50);
const MAX_BACKOFF: Duration = Duration::from_secs(1);
/// Channels that one command subscribes to.
const BATCH: usize = 500;
/// Channels whose gap is read at once.
const CONCURRENCY: usize = 16;
/// Events of a gap that are read and sent at once.
const PAGE: usize = 100;
/// Time for sockets to take a page before the next.
const BREATH: Duration = Duration::from_millis(20);

/// Relays until the hub is gone.
pub async fn run(hub: Hub, mut wanted: mpsc::Receiver<Arc<Topic>>) {
    let mut failures = 0_u32;
    loop {
        match connect(&hub).await {
            Ok((sink, stream)) => {
                failures = 0;
                let Err(error) = serve(&hub, sink, stream, &mut wanted).await;
                tracing::warn!(%error, "the subscription to events was lost");
                hub.metrics.reconnects.inc();
            }
            Err(error) if failures == 0 => tracing::warn!(%error, "events cannot be heard"),
            Err(error) => tracing::debug!(%error, failures, "events cannot be heard"),
        }
        hub.topics().iter().for_each(|topic| topic.interrupt());
        failures = failures.saturating_add(1);
        pause(failures, &mut wanted).await;
    }
}

async fn connect(hub: &Hub) -> Result<(PubSubSink, PubSubStream)> {
    Ok(hub.state.redis.pubsub().await?.split())
}

/// Doubles from 50 ms to a second, with jitter. Who asks for a channel meanwhile is served with the next connection,
/// which subscribes to every channel.
async fn pause(failures: u32, wanted: &mut mpsc::Receiver<Arc<Topic>>) {
    let longest = INITIAL_BACKOFF.saturating_mul(1 << failures.min(10)).min(MAX_BACKOFF);
    let pause = tokio::time::sleep(longest.mul_f64(rand::random_range(0.5..1.0)));
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
    mut sink: PubSubSink,
    messages: PubSubStream,
    wanted: &mut mpsc::Receiver<Arc<Topic>>,
) -> Result<Infallible> {
    let mut dispatch = AbortOnDrop(tokio::spawn(dispatch(hub.clone(), messages)));
    hub.forget_idle();
    for batch in hub.topics().chunks(BATCH) {
        subscribe(hub, &mut sink, batch).await?;
    }
    let mut checks = tokio::time::interval(SIGN_OF_LIFE);
    checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut sweeps = tokio::time::interval(SWEEP);
    let mut batch = Vec::new();
    loop {
        tokio::select! {
            _ended = &mut dispatch.0 => return Err(Error::Redis("the connection was closed".into())),
            _ = wanted.recv_many(&mut batch, BATCH) => {
                batch.retain(|topic| !topic.is_live());
                subscribe(hub, &mut sink, &batch).await?;
                batch.clear();
            }
            _ = checks.tick() => within(sink.ping::<redis::Value>()).await.map(drop)?,
            _ = sweeps.tick() => unsubscribe(&mut sink, &hub.forget_idle()).await?,
        }
    }
}

struct AbortOnDrop(tokio::task::JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Hands what arrives to its channel, in the order of arrival.
async fn dispatch(hub: Hub, mut messages: PubSubStream) {
    while let Some(message) = messages.next().await {
        let Some(topic) = hub.find(message.get_channel_name()) else { continue };
        if let Some(delivery) = hub.read(&topic, message.get_payload_bytes()) {
            hub.metrics.events.inc();
            topic.deliver(&hub, delivery);
        }
    }
}

async fn subscribe(hub: &Hub, sink: &mut PubSubSink, topics: &[Arc<Topic>]) -> Result<()> {
    if topics.is_empty() {
        return Ok(());
    }
    topics.iter().for_each(|topic| topic.hold());
    let names: Vec<&str> = topics.iter().map(|topic| topic.name()).collect();
    within(sink.subscribe(names)).await?;
    stream::iter(topics).map(Ok).try_for_each_concurrent(CONCURRENCY, |topic| settle(hub, topic)).await
}

async fn unsubscribe(sink: &mut PubSubSink, topics: &[Arc<Topic>]) -> Result<()> {
    if topics.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = topics.iter().map(|topic| topic.name()).collect();
    within(sink.unsubscribe(names)).await
}

async fn within<T>(answer: impl Future<Output = redis::RedisResult<T>>) -> Result<T> {
    match tokio::time::timeout(RESPONSE_TIMEOUT, answer).await {
        Ok(answer) => Ok(answer?),
        Err(_elapsed) => Err(Error::Redis("the subscription does not answer".into())),
    }
}

/// Brings a channel that was just subscribed to up to date and lets events through.
async fn settle(hub: &Hub, topic: &Topic) -> Result<()> {
    let is_whole = match topic.cursor() {
        None => {
            place(hub, topic).await?;
            true
        }
        Some(cursor) => catch_up(hub, topic, cursor).await?,
    };
    if !is_whole || !topic.go_live(hub) {
        tracing::warn!(channel = topic.label(), "events were lost; sockets are told to come back");
        topic.lose(hub);
        topic.hold();
        place(hub, topic).await?;
        topic.go_live(hub);
    }
    Ok(())
}

/// Begins at the end of the log.
async fn place(hub: &Hub, topic: &Topic) -> Result<()> {
    let newest = hub.state.events.newest(topic.label()).await?;
    topic.place(newest.map_or(Position::START, |entry| entry.position));
    Ok(())
}

/// Sends what the log holds after the cursor. Answers whether that is all that was missed.
async fn catch_up(hub: &Hub, topic: &Topic, mut cursor: Position) -> Result<bool> {
    let log = &hub.state.events;
    loop {
        let Some(page) = log.page(topic.label(), cursor, PAGE).await? else {
            return is_behind(hub, topic, cursor).await;
        };
        for entry in &page {
            if let Some(delivery) = hub.read_entry(topic, entry) {
                topic.deliver_missed(hub, &delivery);
            }
            cursor = entry.position;
        }
        if page.len() < PAGE {
            return Ok(true);
        }
        tokio::time::sleep(BREATH).await;
    }
}

/// Whether a log that does not hold the cursor holds nothing later either: then it was lost, and there is nothing in
/// it that was missed.
async fn is_behind(hub: &Hub, topic: &Topic, cursor: Position) -> Result<bool> {
    let newest = hub.state.events.newest(topic.label()).await?;
    let is_behind = newest.as_ref().is_none_or(|entry| entry.position < cursor);
    if is_behind {
        topic.place(newest.map_or(Position::START, |entry| entry.position));
    }
    Ok(is_behind)
}
