//! Queries over `plan_features`.

use api_core::Result;
use diesel::{insert_into, prelude::*, upsert::excluded};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    catalogue::{FEATURES, FeatureCategory},
    schema::{feature_flags, plan_features, plans},
};
use uuid::Uuid;

use super::PlanFeatureInput;

/// Feature that plans decide about, with the decision of one plan.
#[derive(Debug, Clone)]
pub(crate) struct Included {
    pub plan_id: Uuid,
    pub feature_id: Uuid,
    pub feature_key: String,
    pub label: String,
    /// True when the plan includes the feature. False without a row.
    pub enabled: bool,
    pub globally_enabled: bool,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = feature_flags)]
pub(super) struct Flag {
    pub id: Uuid,
    pub key: String,
    pub label: String,
    pub category: String,
    pub globally_enabled: bool,
}

/// Features of each of these plans, ordered by category and key: one row for each flag that plans decide
/// about.
pub(crate) async fn of_plans(connection: &mut AsyncPgConnection, of: Vec<Uuid>) -> Result<Vec<Included>> {
    let planned: Vec<&str> = FEATURES
        .iter()
        .map(|(category, _)| *category)
        .filter(|category| category.is_planned())
        .map(FeatureCategory::as_str)
        .collect();
    let mut rows: Vec<(Flag, Uuid, Option<bool>)> =
        feature_flags::table
            .inner_join(plans::table.on(plans::id.eq_any(of)))
            .left_join(plan_features::table.on(
                plan_features::feature_id.eq(feature_flags::id).and(plan_features::plan_id.eq(plans::id)),
            ))
            .filter(feature_flags::category.eq_any(planned))
            .select((Flag::as_select(), plans::id, plan_features::enabled.nullable()))
            .load(connection)
            .await?;
    rows.sort_unstable_by(|(a, ..), (b, ..)| order(a).cmp(&order(b)));
    Ok(rows
        .into_iter()
        .map(|(flag, plan_id, enabled)| Included {
            plan_id,
            feature_id: flag.id,
            feature_key: flag.key,
            label: flag.label,
            enabled: enabled.unwrap_or(false),
            globally_enabled: flag.globally_enabled,
        })
        .collect())
}

fn order(flag: &Flag) -> (Option<FeatureCategory>, &str) {
    (FeatureCategory::parse(&flag.category), &flag.key)
}

pub(super) async fn flags(
    connection: &mut AsyncPgConnection,
    ids: impl Iterator<Item = Uuid>,
) -> Result<Vec<Flag>> {
    let ids: Vec<Uuid> = ids.collect();
    Ok(feature_flags::table
        .filter(feature_flags::id.eq_any(ids))
        .select(Flag::as_select())
        .load(connection)
        .await?)
}

pub(super) async fn set(
    connection: &mut AsyncPgConnection,
    plan: Uuid,
    features: &[PlanFeatureInput],
) -> Result<()> {
    let mut sorted = features.to_vec();
    // Rows are locked in one order, so that two simultaneous calls cannot deadlock.
    sorted.sort_unstable_by_key(|feature| feature.feature_id);
    let rows: Vec<_> = sorted
        .iter()
        .map(|feature| {
            (
                plan_features::plan_id.eq(plan),
                plan_features::feature_id.eq(feature.feature_id),
                plan_features::enabled.eq(feature.enabled),
            )
        })
        .collect();
    insert_into(plan_features::table)
        .values(rows)
        .on_conflict((plan_features::plan_id, plan_features::feature_id))
        .do_update()
        .set(plan_features::enabled.eq(excluded(plan_features::enabled)))
        .execute(connection)
        .await?;
    Ok(())
}
