//! Feature flags, resolved in three layers (reference/features.md#resolution).

use std::{collections::HashMap, sync::Arc};

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    catalogue::FeatureCategory,
    id::AccountId,
    schema::{account_feature_overrides, account_limits, accounts, feature_flags, plan_features, plans},
};
use uuid::Uuid;

use super::feature_status::{AccountFeatures, FeatureDisabledReason, FeatureState};
use crate::{Result, State};

/// Flags as resolved for an account.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn account_features(state: &State, account: AccountId) -> Result<Arc<AccountFeatures>> {
    state.caches.features.get_or_load(account.uuid(), || load(state, Some(account))).await
}

/// Flags without an account: only the global switch counts.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn global_features(state: &State) -> Result<Arc<AccountFeatures>> {
    state.caches.global_features.get_or_load((), || load(state, None)).await
}

/// A flag with the value of each layer; null where a layer has none.
#[derive(Queryable)]
struct Row {
    key: String,
    category: String,
    globally_enabled: bool,
    of_plan: Option<bool>,
    of_account: Option<bool>,
    obs_remote_allowed: Option<bool>,
    copyright_detection_allowed: Option<bool>,
    /// Plan of the account, the same in every row.
    plan: Option<Uuid>,
}

impl Row {
    fn resolve(&self, category: FeatureCategory, has_account: bool) -> Option<FeatureDisabledReason> {
        if !has_account {
            return global_only(self.globally_enabled);
        }
        resolve(category, self.globally_enabled, self.of_plan, self.of_account.or(self.limit()))
    }

    /// Value of the account's limits for the two features that they name
    /// (reference/billing.md#account-limits). An override of the feature itself goes first.
    fn limit(&self) -> Option<bool> {
        match self.key.as_str() {
            "feature:obs_remote" => self.obs_remote_allowed,
            "feature:copyright_detection" => self.copyright_detection_allowed,
            _ => None,
        }
    }
}

async fn load(state: &State, account: Option<AccountId>) -> Result<Arc<AccountFeatures>> {
    let rows = rows(&mut *state.databases.primary().await?, account).await?;
    let plan = rows.iter().find_map(|row| row.plan);
    let mut by_key: HashMap<String, FeatureState> = rows
        .into_iter()
        .filter_map(|row| {
            let category = FeatureCategory::parse(&row.category)?;
            let off = row.resolve(category, account.is_some());
            Some((row.key.clone(), FeatureState { key: row.key, category, off }))
        })
        .collect();
    follow_platforms(&mut by_key);
    Ok(Arc::new(AccountFeatures::new(by_key, plan)))
}

/// Layers of one flag, in the order in which they decide (reference/features.md#resolution).
pub(super) struct FeatureLayers {
    /// Global switch.
    pub globally_enabled: bool,
    /// Slug of the account's plan, and true when it includes the flag; `None` where no plan decides.
    pub plan: Option<(String, bool)>,
    /// Override of the account, or its limit; `None` without one, and where accounts have none.
    pub own: Option<bool>,
}

/// Layers of a flag for an account, or without one, read past the cache; `None` for an unknown flag.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub(super) async fn feature_layers(
    connection: &mut AsyncPgConnection,
    account: Option<AccountId>,
    key: &str,
) -> Result<Option<FeatureLayers>> {
    let rows = rows(connection, account).await?;
    let Some(row) = rows.into_iter().find(|row| row.key == key) else { return Ok(None) };
    let Some(category) = FeatureCategory::parse(&row.category) else { return Ok(None) };
    let has_layers = account.is_some() && category != FeatureCategory::System;
    let plan = match row.plan.filter(|_| has_layers && category.is_planned()) {
        Some(plan) => {
            let slug: String = plans::table.find(plan).select(plans::slug).first(connection).await?;
            Some((slug, row.of_plan == Some(true)))
        }
        None => None,
    };
    let own = row.of_account.or(row.limit()).filter(|_| has_layers);
    Ok(Some(FeatureLayers { globally_enabled: row.globally_enabled, plan, own }))
}

/// Every flag with the value of each layer.
async fn rows(connection: &mut AsyncPgConnection, account: Option<AccountId>) -> Result<Vec<Row>> {
    // Without an account: an id that no account has.
    let of = account.map_or_else(Uuid::nil, Uuid::from);
    let plan = accounts::table.filter(accounts::id.eq(of)).select(accounts::plan_id).single_value();
    Ok(feature_flags::table
        .left_join(plan_features::table.on(
            plan_features::feature_id.eq(feature_flags::id).and(plan_features::plan_id.nullable().eq(plan)),
        ))
        .left_join(
            account_feature_overrides::table.on(account_feature_overrides::feature_id
                .eq(feature_flags::id)
                .and(account_feature_overrides::account_id.eq(of))),
        )
        .left_join(account_limits::table.on(account_limits::account_id.eq(of)))
        .select((
            feature_flags::key,
            feature_flags::category,
            feature_flags::globally_enabled,
            plan_features::enabled.nullable(),
            account_feature_overrides::enabled.nullable(),
            account_limits::obs_remote_allowed.nullable(),
            account_limits::copyright_detection_allowed.nullable(),
            plan,
        ))
        .load(connection)
        .await?)
}

/// Switches off kinds of connection (`platform:{x}:{kind}`) whose platform (`platform:{x}`) is off, for the
/// same reason.
fn follow_platforms(by_key: &mut HashMap<String, FeatureState>) {
    let off: Vec<(String, FeatureDisabledReason)> = by_key
        .values()
        .filter(|state| state.category == FeatureCategory::Platform)
        .filter_map(|state| state.off.map(|reason| (format!("{}:", state.key), reason)))
        .collect();
    for state in by_key.values_mut().filter(|state| state.off.is_none()) {
        state.off = off.iter().find(|(prefix, _)| state.key.starts_with(prefix)).map(|(_, reason)| *reason);
    }
}

/// Resolves the layers. The first layer that fails wins. An account override that grants lifts the plan layer
/// but not the global one.
fn resolve(
    category: FeatureCategory,
    globally_enabled: bool,
    plan: Option<bool>,
    own: Option<bool>,
) -> Option<FeatureDisabledReason> {
    if !globally_enabled || category == FeatureCategory::System {
        return global_only(globally_enabled);
    }
    match own {
        Some(true) => None,
        _ if category.is_planned() && plan != Some(true) => Some(FeatureDisabledReason::PlanLocked),
        Some(false) => Some(FeatureDisabledReason::AccountOverride),
        None => None,
    }
}

const fn global_only(globally_enabled: bool) -> Option<FeatureDisabledReason> {
    if globally_enabled { None } else { Some(FeatureDisabledReason::GlobalOff) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolve_reports_the_first_failing_layer() {
        use FeatureCategory::{Feature as F, Platform, System};
        use FeatureDisabledReason::{AccountOverride, GlobalOff, PlanLocked};
        assert_eq!(resolve(F, false, Some(true), Some(true)), Some(GlobalOff));
        assert_eq!(resolve(F, true, None, None), Some(PlanLocked));
        assert_eq!(resolve(F, true, Some(false), Some(false)), Some(PlanLocked));
        assert_eq!(resolve(F, true, Some(false), Some(true)), None);
        assert_eq!(resolve(F, true, Some(true), Some(false)), Some(AccountOverride));
        assert_eq!(resolve(F, true, Some(true), None), None);
        assert_eq!(resolve(Platform, true, None, None), None);
        assert_eq!(resolve(Platform, true, None, Some(false)), Some(AccountOverride));
        assert_eq!(resolve(System, true, None, Some(false)), None);
    }

    #[test]
    fn follow_platforms_switches_kinds_off_with_their_platform() {
        let state = |key: &str, off| {
            (key.to_owned(), FeatureState { key: key.to_owned(), category: FeatureCategory::Platform, off })
        };
        let global_off = Some(FeatureDisabledReason::GlobalOff);
        let mut by_key = HashMap::from([
            state("platform:kick", global_off),
            state("platform:kick:login", None),
            state("platform:twitch", None),
            state("platform:twitch:login", None),
            state("platform:twitch:bot", global_off),
        ]);
        follow_platforms(&mut by_key);
        let features = AccountFeatures::new(by_key, None);
        assert!(features.platform_allows("twitch", "login"));
        for (platform, kind) in [("kick", "login"), ("twitch", "bot"), ("spotify", "login")] {
            assert!(!features.platform_allows(platform, kind), "{platform} {kind}");
        }
    }
}
