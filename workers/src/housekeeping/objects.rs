//! Deletion of uploads whose extension was uninstalled 30 days ago
//! (reference/extensions.md#data-after-uninstall), and of stored objects that no row names
//! (reference/storage.md#unclaimed-objects).

use chrono::Duration;
use diesel_async::AsyncConnection;
use extension_model::remove_abandoned_uploads;
use foundation::{storage::Storage, unclaimed};
use shared::Result;

use super::budget::{Progress, TimeBudget};
use worker_core::Context;

/// Time for which uploads are kept after the extension was uninstalled.
const UPLOADS_RETENTION: Duration = Duration::days(30);
/// Time for which an unclaimed object is kept. Longer than any upload takes from its record to its last row.
const NOTES_RETENTION: Duration = Duration::days(1);
/// Number of uploads or objects of one step.
const BATCH_SIZE: i64 = 500;

/// Runs once within the budget: uploads first, because their objects become unclaimed.
pub(super) async fn sweep(context: &Context, budget: &mut TimeBudget) -> Result<Progress> {
    let (postgres, now) = (&context.databases.postgres, context.clock.now());
    let (mut uploads, mut objects, mut progress) = (0, 0, Progress::Pending);
    while budget.allows_step() {
        let before = now - UPLOADS_RETENTION;
        let removed = postgres
            .get()
            .await?
            .transaction(async |connection| {
                remove_abandoned_uploads(connection, before, now, BATCH_SIZE).await
            })
            .await?;
        uploads += removed;
        if removed == 0 {
            break;
        }
    }
    let storage = Storage::open(&context.config.storage_url)?;
    while budget.allows_step() {
        let swept = unclaimed::sweep_batch(postgres, &storage, now - NOTES_RETENTION).await?;
        objects += swept.removed;
        if swept.checked == 0 {
            progress = Progress::Completed;
            break;
        }
    }
    tracing::info!(uploads, objects, "abandoned uploads and unclaimed objects removed");
    Ok(progress)
}
