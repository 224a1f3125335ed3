//! The switch of each type of event (specification C §7.2).

use api_core::{ApiError, Code, Result, State, access::account_features};
use shared::{features::of_event, id::AccountId, ingest::is_custom};

/// Refuses a type that is switched off for the account, or for everybody. An account's own types have no switch.
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
