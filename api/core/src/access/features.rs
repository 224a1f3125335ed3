//! Feature flags, resolved in three layers (specification A §2.6, C §7.1).

use std::{collections::HashMap, sync::Arc};

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use shared::{
    catalogue::{Feature, FeatureCategory},
    db::schema::{account_feature_overrides, accounts, feature_flags, plan_features},
    id::AccountId,
};

use super::FeatureDisabledReason;
use crate::{Result, State};

/// One flag, resolved: on, or off for a reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureState {
    pub key: String,
    pub category: FeatureCategory,
    pub off: Option<FeatureDisabledReason>,
}

/// Every flag as one account sees it, by key.
#[derive(Debug, Clone, Default)]
pub struct AccountFeatures {
    by_key: HashMap<String, FeatureState>,
}

impl AccountFeatures {
    /// Whether a flag is on; an unknown one is off.
    #[must_use]
    pub fn is_on(&self, key: &str) -> bool {
        self.by_key.get(key).is_some_and(|state| state.off.is_none())
    }

    /// Whether a flag that rules name is on.
    #[must_use]
    pub fn has(&self, feature: Feature) -> bool {
        self.is_on(feature.key())
    }

    /// Every flag, in order of category and key.
    #[must_use]
    pub fn all(&self) -> Vec<&FeatureState> {
        let mut states: Vec<&FeatureState> = self.by_key.values().collect();
        states.sort_unstable_by(|a, b| (a.category, &a.key).cmp(&(b.category, &b.key)));
        states
    }

    /// Whether people may sign in with, connect a channel of, or run a bot on a platform: its own switch and the one
    /// of the kind (`login`, `channel`, `bot`) are both on.
    #[must_use]
    pub fn platform_allows(&self, platform: &str, kind: &str) -> bool {
        self.is_on(&format!("platform:{platform}:{kind}"))
    }
}

/// The flags as an account sees them.
///
/// # Errors
/// When the database fails.
pub async fn account_features(state: &State, account: AccountId) -> Result<Arc<AccountFeatures>> {
    state.caches.features.get_or_load(account.0, load(state, Some(account))).await
}

/// The flags as they are without an account: only the global switch counts.
///
/// # Errors
/// When the database fails.
pub async fn global_features(state: &State) -> Result<Arc<AccountFeatures>> {
    state.caches.global_features.get_or_load((), load(state, None)).await
}

/// Key, category, global switch, the plan's row, the account's override.
type Row = (String, String, bool, Option<bool>, Option<bool>);

async fn load(state: &State, account: Option<AccountId>) -> Result<Arc<AccountFeatures>> {
    let mut connection = state.databases.postgres.get().await?;
    let rows: Vec<Row> = match account {
        None => {
            feature_flags::table
                .select((
                    feature_flags::key,
                    feature_flags::category,
                    feature_flags::globally_enabled,
                    None::<bool>.into_sql::<diesel::sql_types::Nullable<diesel::sql_types::Bool>>(),
                    None::<bool>.into_sql::<diesel::sql_types::Nullable<diesel::sql_types::Bool>>(),
                ))
                .load(&mut connection)
                .await?
        }
        Some(account) => {
            let plan =
                accounts::table.filter(accounts::id.eq(account)).select(accounts::plan_id).single_value();
            feature_flags::table
                .left_join(
                    plan_features::table.on(plan_features::feature_id
                        .eq(feature_flags::id)
                        .and(plan_features::plan_id.nullable().eq(plan))),
                )
                .left_join(
                    account_feature_overrides::table.on(account_feature_overrides::feature_id
                        .eq(feature_flags::id)
                        .and(account_feature_overrides::account_id.eq(account))),
                )
                .select((
                    feature_flags::key,
                    feature_flags::category,
                    feature_flags::globally_enabled,
                    plan_features::enabled.nullable(),
                    account_feature_overrides::enabled.nullable(),
                ))
                .load(&mut connection)
                .await?
        }
    };
    let mut by_key: HashMap<String, FeatureState> = rows
        .into_iter()
        .filter_map(|(key, category, global, plan, own)| {
            let category = FeatureCategory::parse(&category)?;
            let off =
                if account.is_some() { resolve(category, global, plan, own) } else { global_only(global) };
            Some((key.clone(), FeatureState { key, category, off }))
        })
        .collect();
    follow_platforms(&mut by_key);
    Ok(Arc::new(AccountFeatures { by_key }))
}

/// A kind of connection (`platform:{x}:{kind}`) is off for the reason that its platform (`platform:{x}`) is off for.
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

/// The first layer that fails wins; an account override that grants lifts the plan layer but not the global one.
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
    fn layers_fail_in_order() {
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
    fn a_kind_of_connection_follows_its_platform() {
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
        let features = AccountFeatures { by_key };
        assert!(features.platform_allows("twitch", "login"));
        for (platform, kind) in [("kick", "login"), ("twitch", "bot"), ("spotify", "login")] {
            assert!(!features.platform_allows(platform, kind), "{platform} {kind}");
        }
    }
}
