//! Features of the domains that actions belong to.

use account_model::features::switched_off;
use automation_model::node_types::domain_features;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    Result,
    catalogue::Feature,
    schema::account_limits::{self, dsl},
};

use super::{Failure, RunIdentity};

/// Checks that the features of an action's domain are on for the account.
///
/// # Errors
/// `FEATURE_DISABLED` with the key of the first that is off.
pub(super) async fn must_be_on(
    connection: &mut AsyncPgConnection,
    run: &RunIdentity,
    action: &str,
) -> std::result::Result<(), Failure> {
    for feature in domain_features(action) {
        if !is_on(connection, run, *feature).await? {
            return Err(Failure::new(format!("FEATURE_DISABLED: {}", feature.key())));
        }
    }
    Ok(())
}

async fn is_on(connection: &mut AsyncPgConnection, run: &RunIdentity, feature: Feature) -> Result<bool> {
    // A limit of the account lifts the plan's layer, not the global switch; that is rare enough to be checked by the
    // daemon of OBS.
    if feature == Feature::ObsRemote
        && let Some(is_allowed) = obs_limit(connection, run).await?
    {
        return Ok(is_allowed);
    }
    Ok(switched_off(connection, &[run.account_id], &[feature.key()]).await?.is_empty())
}

/// Value of the account's limits for the control of OBS (reference/billing.md#account-limits).
async fn obs_limit(connection: &mut AsyncPgConnection, run: &RunIdentity) -> Result<Option<bool>> {
    let limit: Option<Option<bool>> = account_limits::table
        .filter(dsl::account_id.eq(run.account_id))
        .select(dsl::obs_remote_allowed)
        .first(connection)
        .await
        .optional()?;
    Ok(limit.flatten())
}
