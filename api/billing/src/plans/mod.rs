//! Plans: the public ones, and all as staff manages them (reference/billing.md#plans).

mod db;
pub mod graphql;
mod input;
mod lookup;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Admin, AnyOperation, FeaturesOf, Grants, Visitor},
    graphql::Int64,
};
use diesel_async::AsyncConnection;
use juniper::GraphQLObject;
use serde::Serialize;
use serde_json::json;
use shared::catalogue::{AdminPermission, FREE_PLAN};
use utoipa::ToSchema;
use uuid::Uuid;

pub use input::{AdminCreatePlanInput, AdminUpdatePlanInput};

pub(crate) use db::billing_plan;
pub(crate) use lookup::{not_found, slug};

use crate::plan_features::AdminPlanFeature;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&PLANS, &ADMIN_PLANS, &ADMIN_PLAN, &ADMIN_CREATE_PLAN, &ADMIN_UPDATE_PLAN, &ADMIN_DELETE_PLAN];

/// A plan in its public form. Numbers that may need 64 bits are decimal strings.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct BillingPlan {
    /// Id of the plan.
    pub id: Uuid,
    /// Slug, fixed at creation.
    pub slug: String,
    /// Name.
    pub name: String,
    /// Description; null when there is none.
    pub description: Option<String>,
    /// Price a month in minor units of `currency`, for example `999`.
    pub price_monthly: String,
    /// Price a year in minor units of `currency`.
    pub price_yearly: String,
    /// Code of the currency, ISO 4217.
    pub currency: String,
    /// True when the plan is public.
    pub is_public: bool,
    /// Position in lists; the lowest comes first.
    pub sort_order: i32,
    /// Maximum number of overlays; 2147483647: unlimited.
    pub max_overlays: i32,
    /// Maximum size of all stored objects, in bytes.
    pub max_storage_bytes: String,
    /// Maximum size of one upload, in bytes.
    pub max_upload_size_bytes: String,
    /// Maximum number of integrations; 2147483647: unlimited.
    pub max_integrations: i32,
    /// Days that chat is kept; 2147483647: unlimited.
    pub chat_retention_days: i32,
    /// Flags of the categories `feature`, `widget`, `integration` and `bot_module`.
    pub features: Vec<PlanFeature>,
}

/// A feature of a plan. It is available when both `enabled` and `globally_enabled` are true.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct PlanFeature {
    /// Id of the flag.
    pub feature_id: Uuid,
    /// Key of the flag.
    pub feature_key: String,
    /// Name of the flag.
    pub label: String,
    /// True when the plan includes the feature.
    pub enabled: bool,
    /// True when the flag is on globally.
    pub globally_enabled: bool,
}

/// A plan, as staff manages it.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct AdminPlan {
    /// Id of the plan.
    pub id: Uuid,
    /// Slug, fixed at creation.
    pub slug: String,
    /// Name.
    pub name: String,
    /// Description; null when there is none.
    pub description: Option<String>,
    /// Price a month, in minor units of `currency`.
    pub price_monthly: i32,
    /// Price a year, in minor units of `currency`.
    pub price_yearly: i32,
    /// Code of the currency, ISO 4217.
    pub currency: String,
    /// True when the plan is public.
    pub is_public: bool,
    /// Position in lists; the lowest comes first.
    pub sort_order: i32,
    /// Maximum number of overlays; 2147483647: unlimited.
    pub max_overlays: i32,
    /// Maximum size of all stored objects, in bytes.
    pub max_storage_bytes: Int64,
    /// Maximum size of one upload, in bytes.
    pub max_upload_size_bytes: Int64,
    /// Maximum number of integrations; 2147483647: unlimited.
    pub max_integrations: i32,
    /// Days that chat is kept; 2147483647: unlimited.
    pub chat_retention_days: i32,
    /// Id of the product at a payment provider, which the service never calls; null when none is entered.
    pub payment_product_id: Option<String>,
    /// Id of the monthly price at a payment provider; null when none is entered.
    pub payment_monthly_price_id: Option<String>,
    /// Id of the yearly price at a payment provider; null when none is entered.
    pub payment_yearly_price_id: Option<String>,
    /// Every flag that plans decide about.
    pub features: Vec<AdminPlanFeature>,
    /// Number of accounts on the plan.
    pub accounts_using: i32,
}

pub static PLANS: Operation<Visitor> = Operation::public("plans", Grants::Nothing).polled();

/// Lists the public plans.
///
/// Needs no credential. The list is ordered by `sort_order`, then `slug`. Each plan has every flag that plans
/// decide about.
///
/// # Errors
/// - 500 `DATABASE_ERROR`: the database fails.
#[api_core::operation]
pub async fn plans(cx: &Cx) -> Result<Vec<BillingPlan>> {
    let visitor = cx.authorize(&PLANS).await?;
    db::public(&mut *visitor.db().await?).await
}

pub static ADMIN_PLANS: Operation<Admin> =
    Operation::admin("adminPlans", AdminPermission::PlansRead, Grants::Nothing);

/// Lists all plans, including those that are not public.
///
/// The list is ordered by `sort_order`, then `slug`.
///
/// # Errors
/// - 401 or 403 by the access rule.
#[api_core::operation]
pub async fn admin_plans(cx: &Cx) -> Result<Vec<AdminPlan>> {
    let admin = cx.authorize(&ADMIN_PLANS).await?;
    db::all(&mut *admin.db().await?).await
}

pub static ADMIN_PLAN: Operation<Admin> =
    Operation::admin("adminPlan", AdminPermission::PlansRead, Grants::Nothing);

/// Returns a plan, as staff manages it.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404: no such plan exists.
#[api_core::operation]
pub async fn admin_plan(cx: &Cx, id: Input<Uuid>) -> Result<AdminPlan> {
    let admin = cx.authorize(&ADMIN_PLAN).await?;
    let id = id?;
    db::find(&mut *admin.db().await?, id).await?.ok_or_else(not_found)
}

pub static ADMIN_CREATE_PLAN: Operation<Admin> =
    Operation::admin("adminCreatePlan", AdminPermission::PlansCreate, Grants::Nothing).idempotent();

/// Creates a plan.
///
/// A new plan includes no feature. The slug cannot be changed later.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 `Invalid slug format`, `Price cannot be negative`, `Limit cannot be negative`.
/// - 400: another field is malformed.
/// - 409: the slug is in use.
#[api_core::operation]
pub async fn admin_create_plan(cx: &Cx, input: Input<AdminCreatePlanInput>) -> Result<AdminPlan> {
    let admin = cx.authorize(&ADMIN_CREATE_PLAN).await?;
    let (slug, plan) = input?.checked()?;
    let now = cx.state().clock.now();
    admin
        .db()
        .await?
        .transaction(async |connection| {
            let id = db::insert(connection, &slug, &plan, now).await?;
            let id = id.ok_or_else(|| ApiError::conflict("Plan slug already in use"))?;
            let mut entry = cx.audit_system("plan:created", "plan", id);
            entry.metadata = plan.audit_metadata(&slug);
            foundation::audit::record(connection, entry).await?;
            db::find(connection, id).await?.ok_or_else(|| ApiError::internal("a new plan is not there"))
        })
        .await
}

pub static ADMIN_UPDATE_PLAN: Operation<Admin> =
    Operation::admin("adminUpdatePlan", AdminPermission::PlansEdit, Grants::Nothing);

/// Replaces the whole editable state of a plan.
///
/// Absent optional fields are cleared. Slug and features do not change. The limits apply to the accounts on
/// the plan at once.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: a field is malformed.
/// - 404: no such plan exists.
#[api_core::operation]
pub async fn admin_update_plan(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<AdminUpdatePlanInput>,
) -> Result<AdminPlan> {
    let admin = cx.authorize(&ADMIN_UPDATE_PLAN).await?;
    let (id, plan) = (id?, input?.checked()?);
    let now = cx.state().clock.now();
    let updated = admin
        .db()
        .await?
        .transaction(async |connection| {
            if !db::update(connection, id, &plan, now).await? {
                return Err(not_found());
            }
            let updated = db::find(connection, id).await?.ok_or_else(not_found)?;
            let mut entry = cx.audit_system("plan:updated", "plan", id);
            entry.metadata = plan.audit_metadata(&updated.slug);
            foundation::audit::record(connection, entry).await?;
            Ok(updated)
        })
        .await?;
    cx.features_changed(FeaturesOf::Plan(id)).await;
    Ok(updated)
}

pub static ADMIN_DELETE_PLAN: Operation<Admin> =
    Operation::admin("adminDeletePlan", AdminPermission::PlansDelete, Grants::Nothing);

/// Deletes a plan that no account is on.
///
/// The features of the plan are deleted with it.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404: no such plan exists.
/// - 409: accounts are on the plan, or new accounts start on it.
#[api_core::operation]
pub async fn admin_delete_plan(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let admin = cx.authorize(&ADMIN_DELETE_PLAN).await?;
    let id = id?;
    admin
        .db()
        .await?
        .transaction(async |connection| {
            let slug = db::lock(connection, id).await?.ok_or_else(not_found)?;
            let accounts = db::accounts_using(connection, id).await?;
            if accounts > 0 {
                return Err(ApiError::conflict(format!(
                    "Cannot delete plan: {accounts} account(s) still reference it. Migrate them to a different plan first."
                )));
            }
            // A first sign-in needs this plan.
            if slug == FREE_PLAN || slug == cx.state().config.billing.default_plan {
                return Err(ApiError::conflict("Cannot delete plan: new accounts start on it"));
            }
            db::delete(connection, id).await?;
            let mut entry = cx.audit_system("plan:deleted", "plan", id);
            entry.metadata = json!({ "slug": slug });
            Ok(foundation::audit::record(connection, entry).await?)
        })
        .await
}
