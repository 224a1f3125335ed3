//! Queries over `plans`, which belong to the deployment. A list takes two statements, independent of its
//! length.

use std::collections::HashMap;

use api_core::{ApiError, Result, graphql::Int64};
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::schema::{
    accounts,
    plans::{self, dsl},
};
use uuid::Uuid;

use super::{AdminPlan, BillingPlan, PlanFeature, input::PlanState};
use crate::plan_features::{self, Included};

/// Maximum number of listed plans. No deployment has as many; the queries are bounded nevertheless.
const MAX_PLANS: i64 = 500;

#[derive(Queryable, Selectable)]
#[diesel(table_name = plans)]
struct Row {
    id: Uuid,
    slug: String,
    name: String,
    description: Option<String>,
    price_monthly: i64,
    price_yearly: i64,
    currency: String,
    is_public: bool,
    sort_order: i32,
    max_overlays: i64,
    max_storage_bytes: i64,
    max_upload_size_bytes: i64,
    max_integrations: i64,
    chat_retention_days: i64,
    payment_product_id: Option<String>,
    payment_monthly_price_id: Option<String>,
    payment_yearly_price_id: Option<String>,
}

/// Public plans in display order.
pub(super) async fn public(connection: &mut AsyncPgConnection) -> Result<Vec<BillingPlan>> {
    let rows: Vec<Row> = plans::table
        .filter(dsl::is_public)
        .order((dsl::sort_order, dsl::slug))
        .limit(MAX_PLANS)
        .select(Row::as_select())
        .load(connection)
        .await?;
    let mut features = included(connection, rows.iter().map(|row| row.id)).await?;
    Ok(rows.into_iter().map(|row| billing(row, &mut features)).collect())
}

/// Plan in its public form, also when it is not public.
pub(crate) async fn billing_plan(connection: &mut AsyncPgConnection, id: Uuid) -> Result<BillingPlan> {
    let row: Option<Row> =
        plans::table.find(id).select(Row::as_select()).first(connection).await.optional()?;
    let row = row.ok_or_else(|| ApiError::internal("an account is on a plan that is not there"))?;
    let mut features = included(connection, [row.id]).await?;
    Ok(billing(row, &mut features))
}

/// All plans in display order.
pub(super) async fn all(connection: &mut AsyncPgConnection) -> Result<Vec<AdminPlan>> {
    let rows: Vec<(Row, Option<i64>)> = plans::table
        .order((dsl::sort_order, dsl::slug))
        .limit(MAX_PLANS)
        .select((Row::as_select(), using()))
        .load(connection)
        .await?;
    let mut features = included(connection, rows.iter().map(|(row, _)| row.id)).await?;
    Ok(rows.into_iter().map(|(row, using)| admin(row, using, &mut features)).collect())
}

pub(super) async fn find(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<AdminPlan>> {
    let found: Option<(Row, Option<i64>)> = plans::table
        .filter(dsl::id.eq(id))
        .select((Row::as_select(), using()))
        .first(connection)
        .await
        .optional()?;
    let Some((row, using)) = found else { return Ok(None) };
    let mut features = included(connection, [row.id]).await?;
    Ok(Some(admin(row, using, &mut features)))
}

/// Inserts a plan. `None` when the slug is taken.
pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    slug: &str,
    plan: &PlanState,
    now: DateTime<Utc>,
) -> Result<Option<Uuid>> {
    let times = (dsl::created_at.eq(now), dsl::updated_at.eq(now));
    Ok(insert_into(plans::table)
        .values((dsl::id.eq(shared::id::new()), dsl::slug.eq(slug), plan, times))
        .on_conflict(dsl::slug)
        .do_nothing()
        .returning(dsl::id)
        .get_result(connection)
        .await
        .optional()?)
}

/// Returns true when the plan exists.
pub(super) async fn update(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    plan: &PlanState,
    now: DateTime<Utc>,
) -> Result<bool> {
    let updated = diesel::update(plans::table.find(id))
        .set((plan, dsl::updated_at.eq(now)))
        .execute(connection)
        .await?;
    Ok(updated > 0)
}

/// Slug of a plan. Its row is locked until the transaction ends, so that no account can move to it.
pub(super) async fn lock(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<String>> {
    Ok(plans::table.find(id).select(dsl::slug).for_update().first(connection).await.optional()?)
}

pub(super) async fn accounts_using(connection: &mut AsyncPgConnection, id: Uuid) -> Result<i64> {
    Ok(accounts::table.filter(accounts::plan_id.eq(id)).count().get_result(connection).await?)
}

/// Deletes a plan with its features.
pub(super) async fn delete(connection: &mut AsyncPgConnection, id: Uuid) -> Result<()> {
    diesel::delete(plans::table.find(id)).execute(connection).await?;
    Ok(())
}

/// Number of accounts on the plan of a row.
#[diesel::dsl::auto_type(no_type_alias)]
fn using() -> _ {
    accounts::table.filter(accounts::plan_id.eq(plans::id)).count().single_value()
}

type ByPlan = HashMap<Uuid, Vec<Included>>;

async fn included(
    connection: &mut AsyncPgConnection,
    plans: impl IntoIterator<Item = Uuid>,
) -> Result<ByPlan> {
    let mut by_plan = ByPlan::new();
    for feature in plan_features::of_plans(connection, plans.into_iter().collect()).await? {
        by_plan.entry(feature.plan_id).or_default().push(feature);
    }
    Ok(by_plan)
}

fn billing(row: Row, features: &mut ByPlan) -> BillingPlan {
    let features = features.remove(&row.id).unwrap_or_default();
    BillingPlan {
        id: row.id,
        slug: row.slug,
        name: row.name,
        description: row.description,
        price_monthly: row.price_monthly.to_string(),
        price_yearly: row.price_yearly.to_string(),
        currency: row.currency,
        is_public: row.is_public,
        sort_order: row.sort_order,
        max_overlays: int(row.max_overlays),
        max_storage_bytes: row.max_storage_bytes.to_string(),
        max_upload_size_bytes: row.max_upload_size_bytes.to_string(),
        max_integrations: int(row.max_integrations),
        chat_retention_days: int(row.chat_retention_days),
        features: features.into_iter().map(public_feature).collect(),
    }
}

fn public_feature(feature: Included) -> PlanFeature {
    PlanFeature {
        feature_id: feature.feature_id,
        feature_key: feature.feature_key,
        label: feature.label,
        enabled: feature.enabled,
        globally_enabled: feature.globally_enabled,
    }
}

fn admin(row: Row, using: Option<i64>, features: &mut ByPlan) -> AdminPlan {
    let features = features.remove(&row.id).unwrap_or_default();
    AdminPlan {
        id: row.id,
        slug: row.slug,
        name: row.name,
        description: row.description,
        price_monthly: int(row.price_monthly),
        price_yearly: int(row.price_yearly),
        currency: row.currency,
        is_public: row.is_public,
        sort_order: row.sort_order,
        max_overlays: int(row.max_overlays),
        max_storage_bytes: Int64(row.max_storage_bytes),
        max_upload_size_bytes: Int64(row.max_upload_size_bytes),
        max_integrations: int(row.max_integrations),
        chat_retention_days: int(row.chat_retention_days),
        payment_product_id: row.payment_product_id,
        payment_monthly_price_id: row.payment_monthly_price_id,
        payment_yearly_price_id: row.payment_yearly_price_id,
        features: features.into_iter().map(Into::into).collect(),
        accounts_using: int(using.unwrap_or_default()),
    }
}

/// Converts a number that no input makes larger. The maximum means "unlimited" in any case.
fn int(value: i64) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}
