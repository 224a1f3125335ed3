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
mod readers;
mod socket;
mod trovo;
mod twitch;
mod youtube;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use shared::{
    config::EventSubTransport,
    connections::health::{ReaderState, note_reader},
    platforms::{Platform, PlatformError},
    tokens::Unavailable,
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::Context;
use channels::Channel;
use intake::Intake;
use metrics::SourceMetrics;
use readers::run;

pub(crate) use lease::nudge;

/// A kind of source.
trait Source: Send + Sync + 'static {
    const PLATFORM: Platform;

    /// Reads one channel until `reader.stop` is cancelled or it cannot go on. What has arrived by then is stored
    /// before it answers.
    fn read(&self, reader: &Arc<Reader>) -> impl Future<Output = Result<(), Interruption>> + Send;
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
