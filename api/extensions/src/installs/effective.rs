//! Whether an install runs, as the feeds of the workers decide it, and if not, why (specification E, 15).

use api_core::access::{AccountFeatures, FeatureDisabledReason};
use juniper::{GraphQLEnum, GraphQLObject};
use serde::Serialize;
use shared::{
    catalogue::Feature,
    extensions::system::{SystemModule, WIDGETS},
};
use utoipa::ToSchema;
use uuid::Uuid;

/// Whether an install runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct InstallEffective {
    pub runs: bool,
    /// Null when it runs.
    pub reason: Option<InstallStopReason>,
}

/// The first of these that holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum InstallStopReason {
    /// Operators suspended the extension.
    Suspended,
    /// The version is not, or no longer, allowed to run.
    VersionWithdrawn,
    /// A feature that it needs is off for everybody.
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

/// What decides beside the account's features.
#[derive(Debug, Clone, Copy)]
pub struct Standing<'a> {
    pub extension_id: Uuid,
    pub extension_status: &'a str,
    pub version_status: &'a str,
    pub enabled: bool,
    pub is_killed: bool,
}

/// The flags that an install needs to run (C §7.2): a built-in module or widget its own, others that of extensions.
#[must_use]
pub fn needed_features(extension_id: Uuid) -> Vec<String> {
    if let Some(module) = SystemModule::of(extension_id) {
        return vec![Feature::BotModules.key().to_owned(), module.flag()];
    }
    match WIDGETS.iter().find(|widget| widget.extension_id == extension_id) {
        Some(widget) => vec![Feature::Extensions.key().to_owned(), widget.flag.to_owned()],
        None => vec![Feature::Extensions.key().to_owned()],
    }
}

impl InstallEffective {
    pub(super) fn of(standing: Standing<'_>, features: &AccountFeatures) -> Self {
        let reason = stopped_by_operators(standing)
            .or_else(|| stopped_by_feature(standing.extension_id, features))
            .or_else(|| stopped_by_account(standing));
        Self { runs: reason.is_none(), reason }
    }
}

fn stopped_by_operators(standing: Standing<'_>) -> Option<InstallStopReason> {
    if standing.extension_status == "suspended" {
        return Some(InstallStopReason::Suspended);
    }
    matches!(standing.version_status, "rejected" | "revoked" | "draft")
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

fn stopped_by_account(standing: Standing<'_>) -> Option<InstallStopReason> {
    if standing.is_killed {
        return Some(InstallStopReason::Killed);
    }
    (!standing.enabled).then_some(InstallStopReason::Disabled)
}
