//! Channels of this copy: it scans connected channels page by page, holds a lease on each that it reads, and
//! releases those that another copy reads or that are no longer connected.

use std::{
    collections::HashMap,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use connection_model::health::ReaderState;
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
    lease::{LeaseState, ReaderLease},
    metrics::SourceMetrics,
    pause::Pauses,
};
use crate::PlatformContext;

/// Interval at which a copy scans for channels to read, and renews the leases of those that it reads.
const SCAN_INTERVAL: Duration = Duration::from_secs(2);
/// Maximum number of channels that one copy begins to read in a scan, so that copies share them.
const MAX_STARTED_PER_SCAN: usize = 50;
/// Maximum number of channels that one copy reads.
const MAX_CHANNELS: usize = 2000;
/// Run time after which an interrupted reader is restarted with the shortest pause again.
const STABLE_AFTER: Duration = Duration::from_secs(60);
/// Time after which a refused channel is tried again; connecting the channel again begins immediately.
const REFUSED_COOLDOWN: Duration = Duration::from_secs(600);
/// Maximum length of a detail text for people, in characters.
const MAX_DETAIL_LENGTH: usize = 300;

/// Readers of one copy.
struct Readers<S> {
    source: Arc<S>,
    context: PlatformContext,
    metrics: SourceMetrics,
    /// Id of this copy in leases.
    copy: Uuid,
    running: HashMap<String, Running>,
    tasks: JoinSet<()>,
}

/// Reader of this copy.
struct Running {
    /// Connection that it reads with.
    connection_id: Uuid,
    client_id: Option<String>,
    stop: CancellationToken,
    task: tokio::task::Id,
}

/// Reads every channel that this copy gets until `shutdown` is cancelled.
pub(super) async fn run<S: Source>(
    source: S,
    context: PlatformContext,
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
    let (mut ticks, mut after) = (tokio::time::interval(SCAN_INTERVAL), None);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
        readers.reap();
        match readers.scan(after.as_deref()).await {
            Ok(next) => after = next,
            Err(error) => {
                tracing::warn!(platform = %S::PLATFORM, %error, "connected channels cannot be read");
            }
        }
    }
    readers.end().await;
    Ok(())
}

impl<S: Source> Readers<S> {
    /// Scans a page of connected channels: ends readers of those that are no longer connected or need another
    /// connection, and begins channels without a reader. Returns the position of the next page.
    async fn scan(&mut self, after: Option<&str>) -> shared::Result<Option<String>> {
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
            if begun >= MAX_STARTED_PER_SCAN || self.running.len() >= MAX_CHANNELS {
                break;
            }
            if self.running.contains_key(&channel.channel_id) {
                continue;
            }
            let mut lease =
                ReaderLease::new(&self.context.redis, S::PLATFORM, &channel.channel_id, self.copy);
            if matches!(lease.acquire().await?, LeaseState::Held { .. }) {
                self.begin(channel, lease);
                begun += 1;
            }
        }
        Ok(page.next)
    }

    fn begin(&mut self, channel: Channel, mut lease: ReaderLease) {
        let (channel_id, stop) = (channel.channel_id.clone(), CancellationToken::new());
        let (connection_id, client_id) = (channel.connection_id, channel.client_id.clone());
        let reader = Arc::new(Reader {
            intake: Intake::new(&self.context),
            context: self.context.clone(),
            channel,
            metrics: self.metrics.clone(),
            woken: Notify::new(),
            is_steady: AtomicBool::new(false),
            stop: stop.clone(),
        });
        let source = Arc::clone(&self.source);
        let task = self.tasks.spawn(async move {
            tokio::join!(renew_lease(&reader, &mut lease), read_on(&*source, &reader));
            lease.release().await;
        });
        self.running.insert(channel_id, Running { connection_id, client_id, stop, task: task.id() });
    }

    /// Removes readers that have ended: their channels are scanned again.
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

    /// Lets every reader store its data, and releases its leases.
    async fn end(mut self) {
        self.running.values().for_each(|running| running.stop.cancel());
        while self.tasks.join_next().await.is_some() {}
    }
}

impl Running {
    /// True when the reader uses the channel's connection. Another account's connection takes over when that
    /// one ends, and the same connection may belong to another application after it was made again.
    fn reads_with(&self, channel: &Channel) -> bool {
        self.connection_id == channel.connection_id && self.client_id == channel.client_id
    }
}

/// Renews the lease while the channel is read. Stops the reading when another copy has the lease, and when it
/// cannot be renewed before it expires, because another copy may have it then.
async fn renew_lease(reader: &Reader, lease: &mut ReaderLease) {
    let channel = reader.channel.channel_id.as_str();
    let mut ticks = tokio::time::interval(SCAN_INTERVAL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    while !reader.stop.is_cancelled() {
        let expires_at = lease.expires_at();
        let renewed = async {
            ticks.tick().await;
            lease.acquire().await
        };
        let renewed = reader.stop.run_until_cancelled(timeout_at(expires_at, renewed)).await;
        let Some(renewed) = renewed else { return };
        match renewed {
            Ok(Ok(LeaseState::Held { is_woken })) => {
                if is_woken {
                    reader.woken.notify_one();
                }
            }
            Ok(Ok(LeaseState::HeldByAnother)) => {
                tracing::info!(channel, "another copy reads the channel");
                reader.stop.cancel();
            }
            Ok(Err(error)) => tracing::warn!(channel, %error, "a lease cannot be renewed"),
            Err(_elapsed) => {
                tracing::warn!(
                    channel,
                    "a lease expired: the channel is not read until it is acquired again"
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
        if began.elapsed() > STABLE_AFTER {
            pauses = Pauses::default();
        }
        let why: String = interruption.to_string().chars().take(MAX_DETAIL_LENGTH).collect();
        let (state, reason, pause) = match interruption {
            Interruption::Broken(_) => (ReaderState::Waiting, "broken", pauses.next_pause()),
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
