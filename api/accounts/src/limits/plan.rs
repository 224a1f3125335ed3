//! Limits of the account's plan, which staff may override (reference/billing.md#limits).

use account_model::limits::{EffectiveLimit, LimitSource, usage};
use api_core::{Result, limits::effective_limits};
use diesel_async::AsyncPgConnection;
use shared::id::AccountId;

use super::{PresentLimit, PresentLimitScope, PresentLimitSource};

/// Limits of the plan with the present use.
pub(super) async fn present(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<Vec<PresentLimit>> {
    let limits = effective_limits(connection, account).await?;
    let used = usage(connection, account).await?;
    Ok(vec![
        limit("overlays", "objects", limits.max_overlays, Some(used.overlays)),
        limit("integrations", "objects", limits.max_integrations, Some(used.integrations)),
        limit("storage_bytes", "bytes", limits.max_storage_bytes, Some(used.storage_bytes)),
        limit("upload_bytes", "bytes", limits.max_upload_size_bytes, None),
        limit("chat_retention", "days", limits.chat_retention_days, None),
    ])
}

fn limit(name: &str, unit: &str, limit: EffectiveLimit, used: Option<i64>) -> PresentLimit {
    let source = match limit.source {
        LimitSource::Plan => PresentLimitSource::Plan,
        LimitSource::Override => PresentLimitSource::Override,
    };
    PresentLimit::of_objects(name, PresentLimitScope::Account, unit, source, limit.value, used)
}
