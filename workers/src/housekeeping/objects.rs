//! Removes uploads whose extension was uninstalled thirty days ago (specification C B4), and stored objects that no row
//! names any more.

use chrono::Duration;
use diesel_async::AsyncConnection;
use shared::{Result, extensions::remove_abandoned_uploads, storage::Storage, unclaimed};

use super::turn::{Progress, Turn};
use crate::Context;

/// What an extension kept for an account that uninstalled it.
const UPLOADS_RETENTION: Duration = Duration::days(30);
/// Longer than any upload takes from its first note to its last row.
const NOTES_RETENTION: Duration = Duration::days(1);
const BATCH: i64 = 500;

/// One turn: uploads first, whose objects are then noted.
pub(super) async fn sweep(context: &Context, turn: &mut Turn) -> Result<Progress> {
    let (postgres, now) = (&context.databases.postgres, context.clock.now());
    let (mut uploads, mut objects, mut progress) = (0, 0, Progress::Left);
    while turn.goes_on() {
        let before = now - UPLOADS_RETENTION;
        let removed = postgres
            .get()
            .await?
            .transaction(async |connection| remove_abandoned_uploads(connection, before, now, BATCH).await)
            .await?;
        uploads += removed;
        if removed == 0 {
            break;
        }
    }
    let storage = Storage::open(&context.config.storage_url)?;
    while turn.goes_on() {
        let swept = unclaimed::sweep_batch(postgres, &storage, now - NOTES_RETENTION).await?;
        objects += swept.removed;
        if swept.notes == 0 {
            progress = Progress::Through;
            break;
        }
    }
    tracing::info!(uploads, objects, "abandoned uploads and unclaimed objects removed");
    Ok(progress)
}
