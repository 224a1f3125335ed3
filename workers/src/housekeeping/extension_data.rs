//! Deletion of extension data in accounts that uninstalled the extension 30 days ago
//! (reference/extensions.md#data-after-uninstall).

use diesel_async::AsyncConnection;
use extension_model::retained_data;
use shared::Result;

use super::budget::{Progress, TimeBudget};
use worker_core::Context;

/// Runs once within the budget, one install a step.
pub(super) async fn forget(context: &Context, budget: &mut TimeBudget) -> Result<Progress> {
    let (mut deleted, mut progress, now) = (0, Progress::Pending, context.clock.now());
    while budget.allows_step() {
        let is_one_gone = context
            .databases
            .postgres
            .get()
            .await?
            .transaction(async |connection| retained_data::delete_expired(connection, now).await)
            .await?;
        if !is_one_gone {
            progress = Progress::Completed;
            break;
        }
        deleted += 1;
    }
    tracing::info!(deleted, "data of uninstalled extensions deleted");
    Ok(progress)
}
