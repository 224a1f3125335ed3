//! Switch of account creation (reference/features.md#account-creation).

use shared::{catalogue::Feature, id::UserId};

use super::{
    feature_status::{FeatureDisabledReason, FeatureStatus},
    features::global_features,
    permissions::user_access,
    rights::AccountCreationOverride,
};
use crate::{Result, State};

/// Status of `system:account_creation` for a person. The person's override wins over the global switch
/// (reference/features.md#account-creation).
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
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
    fn account_creation_prefers_the_override_of_a_person_to_the_global_switch() {
        use AccountCreationOverride::{Allow, Default, Deny};
        use FeatureDisabledReason::{GlobalOff, UserOverride};
        let resolved = |own| [true, false].map(|is_globally_on| resolve(own, is_globally_on));
        assert_eq!(resolved(Default), [None, Some(GlobalOff)]);
        assert_eq!(resolved(Allow), [None, None]);
        assert_eq!(resolved(Deny), [Some(UserOverride), Some(UserOverride)]);
    }
}
