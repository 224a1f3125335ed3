//! Sources that are read, not delivered (specification D §2, §3, §5): chat sockets and polling.
//!
//! Any number of copies run. A lease in Redis makes one of them the reader of a channel; when that copy dies, another
//! takes the channel within seconds. What a reader learns goes through the inbox like the deliveries of webhooks, where
//! the platform's id of it is unique: reading twice has the effect of reading once.

mod channels;
mod intake;
mod lease;
mod metrics;
mod pause;
mod socket;
mod trovo;
mod twitch;
mod youtube;

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use shared::{
    config::EventSubTransport,
    connections::health::{ReaderState, note_reader},
    platforms::{Platform, PlatformError},
    tokens::Unavailable,
};
use tokio::{sync::Notify, task::JoinSet};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::Context;
use channels::Channel;
use intake::Intake;
use lease::{Held, Lease};
use metrics::SourceMetrics;
use pause::Pauses;

pub(crate) use lease::nudge;

/// How often a copy looks for channels to read, and how often it tells that it still reads one.
const TICK: Duration = Duration::from_secs(2);
/// Channels that one copy begins to read at a tick, so that copies share them.
const BEGUN_AT_ONCE: usize = 50;
/// Channels that one copy reads.
const MOST_CHANNELS: usize = 2000;
/// What worked for so long is not about to fail at once again.
const STEADY: Duration = Duration::from_secs(60);
/// What a platform refuses is asked for again after so long; connecting the channel again begins anew.
const REFUSED_PAUSE: Duration = Duration::from_secs(600);
/// Words for people are no longer than this.
const LONGEST_DETAIL: usize = 300;

/// A kind of source.
trait Source: Send + Sync + 'static {
    const PLATFORM: Platform;

    /// Reads one channel until `reader.stop` is cancelled or it cannot go on. What has arrived by then is stored
    /// before it answers.
    fn read(&self, reader: &Reader) -> impl Future<Output = Result<(), Interruption>> + Send;
}

/// Why a channel is not read now.
#[derive(Debug, thiserror::Error)]
enum Interruption {
    /// To be tried again soon, and then ever more rarely.
    #[error("{0}")]
    Broken(String),
    /// To be tried again then.
    #[error("{why}")]
    Later { pause: Duration, why: String },
    /// Nothing that we do helps.
    #[error("{0}")]
    Refused(String),
}

/// What reads one channel.
struct Reader {
    context: Context,
    channel: Channel,
    intake: Intake,
    metrics: SourceMetrics,
    /// Somebody has heard that there is something to see.
    nudged: Notify,
    is_steady: AtomicBool,
    stop: CancellationToken,
}

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
    stop: CancellationToken,
    task: tokio::task::Id,
}

/// Reads the live chats of YouTube until `shutdown` is cancelled.
pub(crate) async fn youtube_chat(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    run(youtube::Youtube::new(&context), context, shutdown).await
}

/// Reads the chats of Trovo until `shutdown` is cancelled.
pub(crate) async fn trovo_chat(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    run(trovo::Trovo, context, shutdown).await
}

/// Reads EventSub of Twitch over WebSockets until `shutdown` is cancelled, where Twitch does not call us.
pub(crate) async fn twitch_eventsub(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    if context.config.ingest.twitch_transport == EventSubTransport::Webhook {
        shutdown.cancelled().await;
        return Ok(());
    }
    run(twitch::Twitch, context, shutdown).await
}

async fn run<S: Source>(source: S, context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
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
    /// Looks at a page of connected channels: ends what is no longer connected, begins what nobody reads. Answers
    /// where the next page begins.
    async fn look(&mut self, after: Option<&str>) -> shared::Result<Option<String>> {
        let postgres = &self.context.databases.postgres;
        let page = channels::page(&mut *postgres.get().await?, S::PLATFORM, after).await?;
        let last = page.next.as_deref();
        let is_in_page = |channel: &str| {
            after.is_none_or(|after| channel > after) && last.is_none_or(|last| channel <= last)
        };
        for (channel_id, running) in &self.running {
            if is_in_page(channel_id) && !page.channels.iter().any(|one| one.is(channel_id)) {
                running.stop.cancel();
            }
        }
        let mut begun = 0;
        for channel in page.channels {
            if begun >= BEGUN_AT_ONCE || self.running.len() >= MOST_CHANNELS {
                break;
            }
            if self.running.contains_key(&channel.channel_id) {
                continue;
            }
            let lease = Lease::new(&self.context.redis, S::PLATFORM, &channel.channel_id, self.copy);
            if matches!(lease.hold().await?, Held::Yes { .. }) {
                self.begin(channel, lease);
                begun += 1;
            }
        }
        Ok(page.next)
    }

    fn begin(&mut self, channel: Channel, lease: Lease) {
        let (channel_id, stop) = (channel.channel_id.clone(), CancellationToken::new());
        let reader = Reader {
            intake: Intake::new(&self.context),
            context: self.context.clone(),
            channel,
            metrics: self.metrics.clone(),
            nudged: Notify::new(),
            is_steady: AtomicBool::new(false),
            stop: stop.clone(),
        };
        let source = Arc::clone(&self.source);
        let task = self.tasks.spawn(async move {
            tokio::join!(keep(&reader, &lease), read_on(&*source, &reader));
            lease.release().await;
        });
        self.running.insert(channel_id, Running { stop, task: task.id() });
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

/// Keeps the lease while the channel is read; stops the reading when another copy has it.
async fn keep(reader: &Reader, lease: &Lease) {
    let mut ticks = tokio::time::interval(TICK);
    while reader.stop.run_until_cancelled(ticks.tick()).await.is_some() {
        match lease.hold().await {
            Ok(Held::Yes { is_nudged }) => {
                if is_nudged {
                    reader.nudged.notify_one();
                }
            }
            Ok(Held::ByAnother) => {
                tracing::info!(channel = reader.channel.channel_id, "another copy reads the channel");
                reader.stop.cancel();
            }
            // Nobody can take the lease either, and what is read twice is stored once.
            Err(error) => tracing::warn!(%error, "a lease cannot be renewed"),
        }
    }
}

async fn read_on<S: Source>(source: &S, reader: &Reader) {
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
        let why: String = interruption.to_string().chars().take(LONGEST_DETAIL).collect();
        let (state, reason, pause) = match interruption {
            Interruption::Broken(_) => (ReaderState::Waiting, "broken", pauses.next()),
            Interruption::Later { pause, .. } => (ReaderState::Waiting, "later", pause),
            Interruption::Refused(_) => (ReaderState::Refused, "refused", REFUSED_PAUSE),
        };
        let connection_id = reader.channel.connection_id;
        tracing::info!(platform = %S::PLATFORM, %connection_id, why, ?pause, "a channel is not read for now");
        reader.metrics.interruptions.with_label_values(&[S::PLATFORM.slug(), reason]).inc();
        reader.is(state, Some(&why)).await;
        reader.rest(pause).await;
    }
}

impl Reader {
    /// Notes that what happens arrives now.
    async fn is_reading(&self, platform: Platform) {
        if !self.is_steady.swap(true, Ordering::Relaxed) {
            self.metrics.reading(platform, false, true);
            self.is(ReaderState::Reading, None).await;
        }
    }

    /// Notes that there is nothing to read for now.
    fn pauses_reading(&self, platform: Platform) {
        self.metrics.reading(platform, self.is_steady.swap(false, Ordering::Relaxed), false);
    }

    /// Notes what the reader does. Reading does not depend on it.
    async fn is(&self, state: ReaderState, detail: Option<&str>) {
        let now = self.context.clock.now();
        let noted = async {
            let mut connection = self.context.databases.postgres.get().await?;
            note_reader(&mut connection, self.channel.connection_id, state, detail, now).await
        };
        if let Err(error) = noted.await {
            tracing::debug!(%error, "the state of a reader cannot be noted");
        }
    }

    /// Waits; less when there is something to see or the reading is to stop.
    async fn rest(&self, pause: Duration) {
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = self.nudged.notified() => {}
            () = self.stop.cancelled() => {}
        }
    }
}

impl From<PlatformError> for Interruption {
    fn from(error: PlatformError) -> Self {
        let why = error.to_string();
        match error {
            PlatformError::RateLimited { retry_after: Some(pause) } => Self::Later { pause, why },
            PlatformError::RateLimited { retry_after: None }
            | PlatformError::Transient { .. }
            | PlatformError::InvalidResponse { .. } => Self::Broken(why),
            _ => Self::Refused(why),
        }
    }
}

impl From<Unavailable> for Interruption {
    fn from(error: Unavailable) -> Self {
        let why = error.to_string();
        match error {
            Unavailable::Platform(error) => error.into(),
            // The list of channels leaves it out from now on.
            Unavailable::Missing | Unavailable::ReconnectRequired => Self::Refused(why),
            Unavailable::Postponed | Unavailable::Failed(_) => Self::Broken(why),
        }
    }
}

impl From<shared::Error> for Interruption {
    fn from(error: shared::Error) -> Self {
        Self::Broken(error.to_string())
    }
}
