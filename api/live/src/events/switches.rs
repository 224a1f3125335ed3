//! Switches of event types (reference/features.md#event-switches).

use account_model::features::of_event;
use api_core::{ApiError, Code, Result, State, access::account_features};
use live_model::is_custom;
use shared::id::AccountId;

/// Refuses a type that is switched off for the account or for all accounts. An account's own types have no
/// switch.
///
/// # Errors
/// 403 `FEATURE_DISABLED`.
pub(crate) async fn check_type(state: &State, account: AccountId, event_type: &str) -> Result<()> {
    let key = of_event(event_type);
    if is_custom(event_type) || account_features(state, account).await?.is_on(&key) {
        return Ok(());
    }
    Err(ApiError::new(Code::FeatureDisabled, format!("Feature is disabled: {key}")))
}
