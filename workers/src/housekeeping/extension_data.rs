//! Deletes what extensions stored in accounts that uninstalled them thirty days ago (specification C B4).

use diesel_async::AsyncConnection;
use shared::{Result, extensions::kept_data};

use super::turn::{Progress, Turn};
use crate::Context;

/// One turn, an install a step.
pub(super) async fn forget(context: &Context, turn: &mut Turn) -> Result<Progress> {
    let (mut deleted, mut progress, now) = (0, Progress::Left, context.clock.now());
    while turn.goes_on() {
        let is_one_gone = context
            .databases
            .postgres
            .get()
            .await?
            .transaction(async |connection| kept_data::delete_expired(connection, now).await)
            .await?;
        if !is_one_gone {
            progress = Progress::Through;
            break;
        }
        deleted += 1;
    }
    tracing::info!(deleted, "data of uninstalled extensions deleted");
    Ok(progress)
}
