//! Live chats of YouTube by polling: broadcasts are discovered, their chats are read page by page, and the
//! position of the next page is stored together with the last one's messages, so that a restart loses nothing
//! (reference/ingest.md#youtube-polling).

mod chat;
mod db;
mod discovery;
mod feed;
mod quota;
mod status;

use std::{sync::Arc, time::Duration};

use connection_model::health::ReaderState;
use shared::platform::Platform;
use tokio::time::Instant;

use super::{Interruption, Reader, Source};
use crate::PlatformContext;
use db::Broadcast;

/// Maximum number of broadcasts of one channel that are read concurrently.
const MAX_BROADCASTS: usize = 5;

/// Source of YouTube's chats.
pub(super) struct Youtube {
    poll_interval: Duration,
}

/// Broadcast whose chat is read.
struct Watched {
    broadcast: Broadcast,
    /// Earliest time of its next page; `None` while there is none.
    next_page: Option<Instant>,
}

impl Youtube {
    /// Returns a source with the configured interval of discovery.
    pub fn new(context: &PlatformContext) -> Self {
        let poll_interval = Duration::from_secs(context.config.ingest.youtube_poll_interval_secs.into());
        Self { poll_interval }
    }
}

impl Source for Youtube {
    const PLATFORM: Platform = Platform::Youtube;

    async fn read(&self, reader: &Arc<Reader>) -> Result<(), Interruption> {
        let mut watched = watch(db::load(reader).await?, Vec::new());
        let mut next_poll = Instant::now();
        while !reader.stop.is_cancelled() {
            if next_poll <= Instant::now() {
                feed::ask(reader).await;
                let (found, pacing) = discovery::discover(reader, &watched).await?;
                watched = watch(found, watched);
                next_poll = Instant::now() + pacing.stretch(self.poll_interval);
                show(reader, !watched.is_empty()).await;
            }
            for one in &mut watched {
                if one.next_page.is_some_and(|at| at <= Instant::now()) {
                    let read = chat::read_page(reader, &mut one.broadcast).await?;
                    one.next_page = read.pause.map(|pause| Instant::now() + read.pacing.stretch(pause));
                    if read.pause.is_none() {
                        // The chat has ended: discovery shows whether the broadcast has too.
                        next_poll = next_poll.min(Instant::now() + Duration::from_secs(1));
                    }
                }
            }
            let next_page = watched.iter().filter_map(|one| one.next_page).min();
            let wake = next_page.map_or(next_poll, |at| at.min(next_poll));
            if is_woken_before(reader, wake).await {
                next_poll = Instant::now();
            }
        }
        Ok(())
    }
}

/// Continues watched chats, and begins others immediately.
fn watch(broadcasts: Vec<Broadcast>, before: Vec<Watched>) -> Vec<Watched> {
    let begin = |broadcast: Broadcast| {
        let known = before.iter().find(|known| known.broadcast == broadcast);
        let next_page = known.and_then(|known| known.next_page);
        let next_page = broadcast.live_chat_id.is_some().then(|| next_page.unwrap_or_else(Instant::now));
        Watched { broadcast, next_page }
    };
    broadcasts.into_iter().take(MAX_BROADCASTS).map(begin).collect()
}

async fn show(reader: &Reader, is_on_air: bool) {
    if is_on_air {
        reader.is_reading(Platform::Youtube).await;
        return;
    }
    reader.pauses_reading(Platform::Youtube);
    reader.is(ReaderState::Waiting, Some("The channel is not on air")).await;
}

async fn is_woken_before(reader: &Reader, wake: Instant) -> bool {
    tokio::select! {
        () = tokio::time::sleep_until(wake) => false,
        () = reader.woken.notified() => true,
        () = reader.stop.cancelled() => false,
    }
}
