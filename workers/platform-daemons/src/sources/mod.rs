//! Sources that are read instead of delivered: chat sockets and polling (reference/ingest.md#sources).
//!
//! Any number of copies run. A lease in Redis makes one of them the reader of a channel; when that copy dies,
//! another takes the channel within seconds. Data of a reader goes through the inbox like the deliveries of
//! webhooks, where the platform's id is unique: reading twice has the effect of reading once.

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

use connection_model::health::{ReaderState, record_reader};
use platform_credentials::tokens::Unavailable;
use platforms::PlatformError;
use shared::{config::EventSubTransport, platform::Platform};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::PlatformContext;
use channels::Channel;
use intake::Intake;
use metrics::SourceMetrics;
use readers::run;

pub(crate) use lease::wake;
pub use pause::Pauses;
pub use socket::{Socket, SocketEvent};

/// Kind of source.
trait Source: Send + Sync + 'static {
    const PLATFORM: Platform;

    /// Reads one channel until `reader.stop` is cancelled or it cannot continue. Everything that has arrived
    /// by then is stored before it returns.
    fn read(&self, reader: &Arc<Reader>) -> impl Future<Output = Result<(), Interruption>> + Send;
}

/// Reason why a channel is not read now.
#[derive(Debug, thiserror::Error)]
pub enum Interruption {
    /// Retried soon, then with growing delays.
    #[error("{0}")]
    Broken(String),
    /// Retried after the pause.
    #[error("{why}")]
    Later {
        /// Time until the next attempt.
        pause: Duration,
        /// Reason, for people.
        why: String,
    },
    /// Permanent: no action of Lumio helps.
    #[error("{0}")]
    Refused(String),
}

/// Reader of one channel.
struct Reader {
    context: PlatformContext,
    channel: Channel,
    intake: Intake,
    metrics: SourceMetrics,
    /// Notified when there may be something new.
    woken: Notify,
    is_steady: AtomicBool,
    stop: CancellationToken,
}

/// Reads the live chats of YouTube until `shutdown` is cancelled.
pub async fn youtube_chat(context: PlatformContext, shutdown: CancellationToken) -> anyhow::Result<()> {
    run(youtube::Youtube::new(&context), context, shutdown).await
}

/// Reads the chats of Trovo until `shutdown` is cancelled.
pub async fn trovo_chat(context: PlatformContext, shutdown: CancellationToken) -> anyhow::Result<()> {
    run(trovo::Trovo, context, shutdown).await
}

/// Reads EventSub of Twitch over WebSockets until `shutdown` is cancelled, in deployments without its
/// webhooks.
pub async fn twitch_eventsub(context: PlatformContext, shutdown: CancellationToken) -> anyhow::Result<()> {
    if context.config.ingest.twitch_transport == EventSubTransport::Webhook {
        shutdown.cancelled().await;
        return Ok(());
    }
    run(twitch::Twitch, context, shutdown).await
}

impl Reader {
    /// Records that events arrive now.
    async fn is_reading(&self, platform: Platform) {
        if !self.is_steady.swap(true, Ordering::Relaxed) {
            self.metrics.reading(platform, false, true);
            self.is(ReaderState::Reading, None).await;
        }
    }

    /// Records that there is nothing to read for now.
    fn pauses_reading(&self, platform: Platform) {
        self.metrics.reading(platform, self.is_steady.swap(false, Ordering::Relaxed), false);
    }

    /// Records the state of the reader. Reading does not depend on it.
    async fn is(&self, state: ReaderState, detail: Option<&str>) {
        let now = self.context.clock.now();
        let recorded = async {
            let mut connection = self.context.databases.postgres.get().await?;
            record_reader(&mut connection, self.channel.connection_id, state, detail, now).await
        };
        if let Err(error) = recorded.await {
            tracing::debug!(%error, "the state of a reader cannot be recorded");
        }
    }

    /// Waits; less when the reader is woken or is to stop.
    async fn rest(&self, pause: Duration) {
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = self.woken.notified() => {}
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
            // The list of channels omits it from now on.
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
