//! Features of the domains that actions belong to.

use account_model::features::switched_off;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    catalogue::Feature,
    schema::account_limits::{self, dsl},
};

use super::{Failure, RunIdentity};

/// Checks that a feature is on for the account.
///
/// # Errors
/// `FEATURE_DISABLED` with the key of the feature.
pub(super) async fn must_be_on(
    connection: &mut AsyncPgConnection,
    run: &RunIdentity,
    key: &str,
) -> Result<(), Failure> {
    let off = switched_off(connection, &[run.account_id], &[key]).await?;
    if off.is_empty() { Ok(()) } else { Err(disabled(key)) }
}

/// Checks that the account may control OBS, also by its limits (reference/billing.md#account-limits).
///
/// # Errors
/// `FEATURE_DISABLED` with the key of the feature.
pub(super) async fn obs_must_be_on(
    connection: &mut AsyncPgConnection,
    run: &RunIdentity,
) -> Result<(), Failure> {
    must_be_on(connection, run, Feature::ObsWebsocket.key()).await?;
    let limit: Option<Option<bool>> = account_limits::table
        .filter(dsl::account_id.eq(run.account_id))
        .select(dsl::obs_remote_allowed)
        .first(connection)
        .await
        .optional()?;
    match limit.flatten() {
        Some(false) => Err(disabled(Feature::ObsRemote.key())),
        // Lifts the plan's layer, not the global switch; that is rare enough to be checked by the daemon of OBS.
        Some(true) => Ok(()),
        None => must_be_on(connection, run, Feature::ObsRemote.key()).await,
    }
}

fn disabled(key: &str) -> Failure {
    Failure::new(format!("FEATURE_DISABLED: {key}"))
}
