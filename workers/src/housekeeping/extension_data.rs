//! Deletes what extensions stored in accounts that uninstalled them thirty days ago (specification C B4).

use diesel_async::AsyncConnection;
use shared::{Result, extensions::kept_data};

use crate::Context;

/// Installs of one run; what is left waits for the next.
const MOST_INSTALLS: usize = 10_000;

pub(super) async fn forget(context: &Context) -> Result<()> {
    let (mut deleted, now) = (0, context.clock.now());
    while deleted < MOST_INSTALLS {
        let is_one_gone = context
            .databases
            .postgres
            .get()
            .await?
            .transaction(async |connection| kept_data::delete_expired(connection, now).await)
            .await?;
        if !is_one_gone {
            break;
        }
        deleted += 1;
    }
    tracing::info!(deleted, "data of uninstalled extensions deleted");
    Ok(())
}
