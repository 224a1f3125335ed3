//! Queries over `plan_features`.

use api_core::Result;
use diesel::{insert_into, prelude::*, upsert::excluded};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    catalogue::{FEATURES, FeatureCategory},
    db::schema::{feature_flags, plan_features, plans},
};
use uuid::Uuid;

use super::PlanFeatureInput;

/// A feature that plans decide about, and what one plan says.
#[derive(Debug, Clone)]
pub(crate) struct Included {
    pub plan_id: Uuid,
    pub feature_id: Uuid,
    pub feature_key: String,
    pub label: String,
    /// Without a row of its own: not included.
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

/// What each of these plans includes, in order of category and key: one row for each feature that plans decide about.
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

/// The slug of a plan, which is not deleted until the transaction ends.
pub(super) async fn plan_slug(connection: &mut AsyncPgConnection, plan: Uuid) -> Result<Option<String>> {
    Ok(plans::table.find(plan).select(plans::slug).for_key_share().first(connection).await.optional()?)
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
    // In one order, so that two calls at once wait for each other instead of locking each other out.
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
