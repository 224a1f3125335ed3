//! Effective state of an install, by the same rules as the feeds of the workers
//! (reference/extensions.md#effective-state).

use api_core::access::{AccountFeatures, FeatureDisabledReason};
use extension_model::system::needed_features;
use juniper::{GraphQLEnum, GraphQLObject};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// Effective state of an install.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct InstallEffective {
    /// True when it runs.
    pub runs: bool,
    /// Reason why it does not run; null when it runs.
    pub reason: Option<InstallStopReason>,
}

/// Reason why an install does not run: the first of these that holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum InstallStopReason {
    /// Staff suspended the extension.
    Suspended,
    /// The version may not run, or not any more.
    VersionWithdrawn,
    /// A feature that it needs is off for all accounts.
    GlobalOff,
    /// A feature that it needs is not part of the account's plan.
    PlanLocked,
    /// A feature that it needs is switched off for the account.
    AccountOverride,
    /// The kill switch stopped it.
    Killed,
    /// The account switched it off.
    Disabled,
}

/// State of an install, beside the account's features.
#[derive(Debug, Clone, Copy)]
pub struct InstallState<'a> {
    /// Extension.
    pub extension_id: Uuid,
    /// Stored status of the extension.
    pub extension_status: &'a str,
    /// Stored status of the version.
    pub version_status: &'a str,
    /// True when the account switched the install on.
    pub enabled: bool,
    /// True when the kill switch stopped it.
    pub is_killed: bool,
}

impl InstallEffective {
    pub(super) fn of(state: InstallState<'_>, features: &AccountFeatures) -> Self {
        let reason = stopped_by_operators(state)
            .or_else(|| stopped_by_feature(state.extension_id, features))
            .or_else(|| stopped_by_account(state));
        Self { runs: reason.is_none(), reason }
    }
}

fn stopped_by_operators(state: InstallState<'_>) -> Option<InstallStopReason> {
    if state.extension_status == "suspended" {
        return Some(InstallStopReason::Suspended);
    }
    matches!(state.version_status, "rejected" | "revoked" | "draft")
        .then_some(InstallStopReason::VersionWithdrawn)
}

fn stopped_by_feature(extension_id: Uuid, features: &AccountFeatures) -> Option<InstallStopReason> {
    let off = needed_features(extension_id).into_iter().find_map(|key| features.off(&key))?;
    Some(match off {
        FeatureDisabledReason::PlanLocked => InstallStopReason::PlanLocked,
        FeatureDisabledReason::AccountOverride => InstallStopReason::AccountOverride,
        FeatureDisabledReason::GlobalOff | FeatureDisabledReason::UserOverride => {
            InstallStopReason::GlobalOff
        }
    })
}

fn stopped_by_account(state: InstallState<'_>) -> Option<InstallStopReason> {
    if state.is_killed {
        return Some(InstallStopReason::Killed);
    }
    (!state.enabled).then_some(InstallStopReason::Disabled)
}
