//! Features as callers see them (specification A §2.6).

use juniper::{GraphQLEnum, GraphQLObject};
use serde::Serialize;
use serde_json::json;
use shared::{
    catalogue::{Feature, FeatureCategory},
    id::UserId,
};
use utoipa::ToSchema;

use super::{AccountCreationOverride, AccountFeatures, FeatureState, global_features, user_access};
use crate::{ApiError, Code, Result, State};

/// Why a feature is off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FeatureDisabledReason {
    /// Off for everybody.
    GlobalOff,
    /// Not part of the account's plan.
    PlanLocked,
    /// Switched off for the account.
    AccountOverride,
    /// Switched off for the person (`system:account_creation` only).
    UserOverride,
}

impl FeatureDisabledReason {
    /// The refusal of what needs the flag, with the way out where the account has one.
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

/// Whether a feature is on, and if not, why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct FeatureStatus {
    pub key: String,
    pub enabled: bool,
    /// Null when enabled.
    pub reason: Option<FeatureDisabledReason>,
}

impl FeatureStatus {
    fn new(key: &str, off: Option<FeatureDisabledReason>) -> Self {
        Self { key: key.to_owned(), enabled: off.is_none(), reason: off }
    }
}

impl From<&FeatureState> for FeatureStatus {
    fn from(state: &FeatureState) -> Self {
        Self::new(&state.key, state.off)
    }
}

impl AccountFeatures {
    /// The status of every flag that accounts have: all but `system:*`, in order of category and key.
    #[must_use]
    pub fn statuses(&self) -> Vec<FeatureStatus> {
        let of_accounts = self.all().into_iter().filter(|state| state.category != FeatureCategory::System);
        of_accounts.map(FeatureStatus::from).collect()
    }
}

/// `system:account_creation` as a person sees it: an override of the person's wins over the global switch (C §7.1).
///
/// # Errors
/// When the database fails.
pub async fn account_creation(state: &State, user: UserId) -> Result<FeatureStatus> {
    let own = user_access(state, user).await?.account_creation;
    let is_globally_on = global_features(state).await?.has(Feature::AccountCreation);
    Ok(FeatureStatus::new(Feature::AccountCreation.key(), resolve(own, is_globally_on)))
}

const fn resolve(own: AccountCreationOverride, is_globally_on: bool) -> Option<FeatureDisabledReason> {
    match own {
        AccountCreationOverride::Deny => Some(FeatureDisabledReason::UserOverride),
        AccountCreationOverride::Allow => None,
        AccountCreationOverride::Default if is_globally_on => None,
        AccountCreationOverride::Default => Some(FeatureDisabledReason::GlobalOff),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_override_of_a_person_wins_over_the_global_switch() {
        use AccountCreationOverride::{Allow, Default, Deny};
        use FeatureDisabledReason::{GlobalOff, UserOverride};
        let resolved = |own| [true, false].map(|is_globally_on| resolve(own, is_globally_on));
        assert_eq!(resolved(Default), [None, Some(GlobalOff)]);
        assert_eq!(resolved(Allow), [None, None]);
        assert_eq!(resolved(Deny), [Some(UserOverride), Some(UserOverride)]);
    }
}
