//! Which channels this copy reads: it looks at them page by page, holds a lease on each that it reads, and lets go of
//! those that another reads or nobody has connected any more.

use std::{
    collections::HashMap,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use shared::connections::health::ReaderState;
use tokio::{
    sync::Notify,
    task::JoinSet,
    time::{Instant, timeout_at},
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{
    Interruption, Reader, Source,
    channels::{self, Channel},
    intake::Intake,
    lease::{self, Held, Lease},
    metrics::SourceMetrics,
    pause::Pauses,
};
use crate::Context;

/// How often a copy looks for channels to read, and how often it tells that it still reads one.
const TICK: Duration = Duration::from_secs(2);
/// Channels that one copy begins to read at a tick, so that copies share them.
const MAX_STARTED: usize = 50;
/// Channels that one copy reads.
const MAX_CHANNELS: usize = 2000;
/// What worked for so long is not about to fail at once again.
const STEADY: Duration = Duration::from_secs(60);
/// What a platform refuses is asked for again after so long; connecting the channel again begins anew.
const REFUSED_COOLDOWN: Duration = Duration::from_secs(600);
/// Words for people are no longer than this.
const MAX_DETAIL_LENGTH: usize = 300;

/// Readers of one copy.
struct Readers<S> {
    source: Arc<S>,
    context: Context,
    metrics: SourceMetrics,
    /// This copy, in leases.
    copy: Uuid,
    running: HashMap<String, Running>,
    tasks: JoinSet<()>,
}

/// A reader of this copy.
struct Running {
    /// What it reads with.
    connection_id: Uuid,
    client_id: Option<String>,
    stop: CancellationToken,
    task: tokio::task::Id,
}

/// Reads every channel that falls to this copy until `shutdown` is cancelled.
pub(super) async fn run<S: Source>(
    source: S,
    context: Context,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let metrics = SourceMetrics::new(&context.metrics)?;
    let mut readers = Readers {
        source: Arc::new(source),
        metrics,
        copy: shared::id::new(),
        running: HashMap::new(),
        tasks: JoinSet::new(),
        context,
    };
    let (mut ticks, mut after) = (tokio::time::interval(TICK), None);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
        readers.reap();
        match readers.look(after.as_deref()).await {
            Ok(next) => after = next,
            Err(error) => {
                tracing::warn!(platform = %S::PLATFORM, %error, "connected channels cannot be looked up");
            }
        }
    }
    readers.end().await;
    Ok(())
}

impl<S: Source> Readers<S> {
    /// Looks at a page of connected channels: ends what is no longer connected or is to be read with another connection,
    /// begins what nobody reads. Answers where the next page begins.
    async fn look(&mut self, after: Option<&str>) -> shared::Result<Option<String>> {
        let postgres = &self.context.databases.postgres;
        let page = channels::page(&mut *postgres.get().await?, S::PLATFORM, after).await?;
        let last = page.next.as_deref();
        let is_in_page = |channel: &str| {
            after.is_none_or(|after| channel > after) && last.is_none_or(|last| channel <= last)
        };
        for (channel_id, running) in &self.running {
            let wanted = page.channels.iter().find(|one| one.is(channel_id));
            if is_in_page(channel_id) && !wanted.is_some_and(|channel| running.reads_with(channel)) {
                running.stop.cancel();
            }
        }
        let mut begun = 0;
        for channel in page.channels {
            if begun >= MAX_STARTED || self.running.len() >= MAX_CHANNELS {
                break;
            }
            if self.running.contains_key(&channel.channel_id) {
                continue;
            }
            let lease = Lease::new(&self.context.redis, S::PLATFORM, &channel.channel_id, self.copy);
            let asked_at = Instant::now();
            if matches!(lease.hold().await?, Held::Yes { .. }) {
                self.begin(channel, lease, asked_at);
                begun += 1;
            }
        }
        Ok(page.next)
    }

    fn begin(&mut self, channel: Channel, lease: Lease, held_at: Instant) {
        let (channel_id, stop) = (channel.channel_id.clone(), CancellationToken::new());
        let (connection_id, client_id) = (channel.connection_id, channel.client_id.clone());
        let reader = Arc::new(Reader {
            intake: Intake::new(&self.context),
            context: self.context.clone(),
            channel,
            metrics: self.metrics.clone(),
            nudged: Notify::new(),
            is_steady: AtomicBool::new(false),
            stop: stop.clone(),
        });
        let source = Arc::clone(&self.source);
        let task = self.tasks.spawn(async move {
            tokio::join!(keep(&reader, &lease, held_at), read_on(&*source, &reader));
            lease.release().await;
        });
        self.running.insert(channel_id, Running { connection_id, client_id, stop, task: task.id() });
    }

    /// Forgets readers that have ended: their channels are looked at again.
    fn reap(&mut self) {
        while let Some(ended) = self.tasks.try_join_next_with_id() {
            let task = match ended {
                Ok((task, ())) => task,
                Err(error) => {
                    tracing::error!(platform = %S::PLATFORM, %error, "a reader has failed");
                    error.id()
                }
            };
            self.running.retain(|_, running| running.task != task);
        }
    }

    /// Lets every reader store what it has and gives up its leases.
    async fn end(mut self) {
        self.running.values().for_each(|running| running.stop.cancel());
        while self.tasks.join_next().await.is_some() {}
    }
}

impl Running {
    /// Another account's connection takes over when the one that was read with ends, and the same connection may be
    /// another application's after it was made again.
    fn reads_with(&self, channel: &Channel) -> bool {
        self.connection_id == channel.connection_id && self.client_id == channel.client_id
    }
}

/// Keeps the lease while the channel is read; stops the reading when another copy has it, and when it cannot be renewed
/// before it runs out, because another copy may have it then.
async fn keep(reader: &Reader, lease: &Lease, held_at: Instant) {
    let channel = reader.channel.channel_id.as_str();
    let mut runs_out_at = held_at + lease::TTL;
    let mut ticks = tokio::time::interval(TICK);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    while !reader.stop.is_cancelled() {
        let renewed = async {
            ticks.tick().await;
            // It lasts from when Redis hears of it, which is not before it is asked.
            (Instant::now(), lease.hold().await)
        };
        let Some(renewed) = reader.stop.run_until_cancelled(timeout_at(runs_out_at, renewed)).await else {
            return;
        };
        match renewed {
            Ok((asked_at, Ok(Held::Yes { is_nudged }))) => {
                runs_out_at = asked_at + lease::TTL;
                if is_nudged {
                    reader.nudged.notify_one();
                }
            }
            Ok((_, Ok(Held::ByAnother))) => {
                tracing::info!(channel, "another copy reads the channel");
                reader.stop.cancel();
            }
            Ok((_, Err(error))) => tracing::warn!(channel, %error, "a lease cannot be renewed"),
            Err(_elapsed) => {
                tracing::warn!(
                    channel,
                    "a lease has run out: the channel is not read until it is held again"
                );
                reader.stop.cancel();
            }
        }
    }
}

async fn read_on<S: Source>(source: &S, reader: &Arc<Reader>) {
    let mut pauses = Pauses::default();
    while !reader.stop.is_cancelled() {
        reader.is(ReaderState::Connecting, None).await;
        let began = Instant::now();
        let interruption = source.read(reader).await.err();
        reader.pauses_reading(S::PLATFORM);
        let Some(interruption) = interruption.filter(|_| !reader.stop.is_cancelled()) else { continue };
        if began.elapsed() > STEADY {
            pauses = Pauses::default();
        }
        let why: String = interruption.to_string().chars().take(MAX_DETAIL_LENGTH).collect();
        let (state, reason, pause) = match interruption {
            Interruption::Broken(_) => (ReaderState::Waiting, "broken", pauses.next()),
            Interruption::Later { pause, .. } => (ReaderState::Waiting, "later", pause),
            Interruption::Refused(_) => (ReaderState::Refused, "refused", REFUSED_COOLDOWN),
        };
        let connection_id = reader.channel.connection_id;
        tracing::info!(platform = %S::PLATFORM, %connection_id, why, ?pause, "a channel is not read for now");
        reader.metrics.interruptions.with_label_values(&[S::PLATFORM.slug(), reason]).inc();
        reader.is(state, Some(&why)).await;
        reader.rest(pause).await;
    }
}
