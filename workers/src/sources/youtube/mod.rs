//! Live chats of YouTube by polling (D §3): a broadcast is looked for, its chat is read page by page, and the page that
//! comes next stands in the database together with what the last one told, so that a restart loses nothing.

mod chat;
mod db;
mod feed;
mod look;
mod quota;
mod status;

use std::{sync::Arc, time::Duration};

use shared::{connections::health::ReaderState, platforms::Platform};
use tokio::time::Instant;

use super::{Interruption, Reader, Source};
use crate::Context;
use db::Broadcast;

/// Broadcasts of one channel that are read at once.
const MAX_BROADCASTS: usize = 5;

/// Reads chats of YouTube.
pub(super) struct Youtube {
    look_every: Duration,
}

/// A broadcast whose chat is read.
struct Watched {
    broadcast: Broadcast,
    /// When its next page may be asked for; `None` while there is none.
    next_page: Option<Instant>,
}

impl Youtube {
    pub fn new(context: &Context) -> Self {
        let look_every = Duration::from_secs(context.config.ingest.youtube_look_every_secs.into());
        Self { look_every }
    }
}

impl Source for Youtube {
    const PLATFORM: Platform = Platform::Youtube;

    async fn read(&self, reader: &Arc<Reader>) -> Result<(), Interruption> {
        let mut watched = watch(db::load(reader).await?, Vec::new());
        let mut look_at = Instant::now();
        while !reader.stop.is_cancelled() {
            if look_at <= Instant::now() {
                feed::ask(reader).await;
                let (found, thrift) = look::look(reader, &watched).await?;
                watched = watch(found, watched);
                look_at = Instant::now() + thrift.stretch(self.look_every);
                show(reader, !watched.is_empty()).await;
            }
            for one in &mut watched {
                if one.next_page.is_some_and(|at| at <= Instant::now()) {
                    let read = chat::read_page(reader, &mut one.broadcast).await?;
                    one.next_page = read.pause.map(|pause| Instant::now() + read.thrift.stretch(pause));
                    if read.pause.is_none() {
                        // It has ended: whether the broadcast has too is to be seen.
                        look_at = look_at.min(Instant::now() + Duration::from_secs(1));
                    }
                }
            }
            let next_page = watched.iter().filter_map(|one| one.next_page).min();
            let wake = next_page.map_or(look_at, |at| at.min(look_at));
            if is_nudged_before(reader, wake).await {
                look_at = Instant::now();
            }
        }
        Ok(())
    }
}

/// Goes on with the chats that were watched, and begins with others at once.
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

async fn is_nudged_before(reader: &Reader, wake: Instant) -> bool {
    tokio::select! {
        () = tokio::time::sleep_until(wake) => false,
        () = reader.nudged.notified() => true,
        () = reader.stop.cancelled() => false,
    }
}
