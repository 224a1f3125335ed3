//! Features as callers see them (reference/features.md#status).

use std::collections::HashMap;

use juniper::{GraphQLEnum, GraphQLObject};
use serde::Serialize;
use serde_json::json;
use shared::catalogue::{Feature, FeatureCategory};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{ApiError, Code, Result};

/// Reason why a feature is off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FeatureDisabledReason {
    /// Off for every account.
    GlobalOff,
    /// Not part of the account's plan.
    PlanLocked,
    /// Switched off for the account.
    AccountOverride,
    /// Switched off for the person (`system:account_creation` only).
    UserOverride,
}

impl FeatureDisabledReason {
    /// Error of an operation that needs the flag. Names the plan where another plan may include the feature.
    #[must_use]
    pub fn refusal(self, key: &str) -> ApiError {
        let message = match self {
            Self::PlanLocked => {
                format!(
                    "Feature is disabled: {key} is not part of the account's plan; another plan may include it"
                )
            }
            Self::GlobalOff | Self::AccountOverride | Self::UserOverride => {
                format!("Feature is disabled: {key}")
            }
        };
        ApiError::new(Code::FeatureDisabled, message).with_details(json!({ "feature": key, "reason": self }))
    }
}

/// One flag, resolved: on, or off for a reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureState {
    /// Key of the flag.
    pub key: String,
    /// Category of the key.
    pub category: FeatureCategory,
    /// Reason why the flag is off; `None` when it is on.
    pub off: Option<FeatureDisabledReason>,
}

/// Every flag as resolved for one account, by key.
#[derive(Debug, Clone, Default)]
pub struct AccountFeatures {
    by_key: HashMap<String, FeatureState>,
    plan: Option<Uuid>,
}

impl AccountFeatures {
    /// Features with the plan that they were resolved for.
    pub(super) const fn new(by_key: HashMap<String, FeatureState>, plan: Option<Uuid>) -> Self {
        Self { by_key, plan }
    }

    /// True when a flag is on; an unknown one is off.
    #[must_use]
    pub fn is_on(&self, key: &str) -> bool {
        self.by_key.get(key).is_some_and(|state| state.off.is_none())
    }

    /// Reason why a flag is off; an unknown flag is off globally.
    #[must_use]
    pub fn off(&self, key: &str) -> Option<FeatureDisabledReason> {
        self.by_key.get(key).map_or(Some(FeatureDisabledReason::GlobalOff), |state| state.off)
    }

    /// Checks that a flag is on.
    ///
    /// # Errors
    /// 403 `FEATURE_DISABLED` with the reason.
    pub fn require(&self, key: &str) -> Result<()> {
        match self.off(key) {
            None => Ok(()),
            Some(reason) => Err(reason.refusal(key)),
        }
    }

    /// True when a flag of the catalogue is on.
    #[must_use]
    pub fn has(&self, feature: Feature) -> bool {
        self.is_on(feature.key())
    }

    /// Plan of the account; `None` without an account.
    #[must_use]
    pub const fn plan(&self) -> Option<Uuid> {
        self.plan
    }

    /// Every flag, in order of category and key.
    #[must_use]
    pub fn all(&self) -> Vec<&FeatureState> {
        let mut states: Vec<&FeatureState> = self.by_key.values().collect();
        states.sort_unstable_by(|a, b| (a.category, &a.key).cmp(&(b.category, &b.key)));
        states
    }
}

/// Status of a feature, with the reason when it is off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct FeatureStatus {
    /// Key of the flag, for example `feature:apikeys`.
    pub key: String,
    /// True when the feature is on.
    pub enabled: bool,
    /// Null when enabled.
    pub reason: Option<FeatureDisabledReason>,
}

impl FeatureStatus {
    pub(super) fn new(key: &str, off: Option<FeatureDisabledReason>) -> Self {
        Self { key: key.to_owned(), enabled: off.is_none(), reason: off }
    }
}

impl From<&FeatureState> for FeatureStatus {
    fn from(state: &FeatureState) -> Self {
        Self::new(&state.key, state.off)
    }
}

impl AccountFeatures {
    /// Status of every flag that accounts have: all but `system:*`, in order of category and key.
    #[must_use]
    pub fn statuses(&self) -> Vec<FeatureStatus> {
        let of_accounts = self.all().into_iter().filter(|state| state.category != FeatureCategory::System);
        of_accounts.map(FeatureStatus::from).collect()
    }
}
