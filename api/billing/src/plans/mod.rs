//! Plans: what everybody may read, and what operators keep (specification A §2.5, §4.8 rules 4 to 7; C §8).

mod db;
pub mod graphql;
mod input;
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

use crate::plan_features::AdminPlanFeature;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&PLANS, &ADMIN_PLANS, &ADMIN_PLAN, &ADMIN_CREATE_PLAN, &ADMIN_UPDATE_PLAN, &ADMIN_DELETE_PLAN];

/// A plan as everybody may see it. Numbers that may need 64 bits are decimal strings.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct BillingPlan {
    pub id: Uuid,
    pub slug: String,
    pub name: String,
    pub description: Option<String>,
    /// Minor units, for example `999`.
    pub price_monthly: String,
    /// Minor units.
    pub price_yearly: String,
    /// ISO 4217.
    pub currency: String,
    pub is_public: bool,
    pub sort_order: i32,
    /// 2147483647 is unlimited.
    pub max_overlays: i32,
    pub max_storage_bytes: String,
    pub max_upload_size_bytes: String,
    /// 2147483647 is unlimited.
    pub max_integrations: i32,
    /// 2147483647 is unlimited.
    pub chat_retention_days: i32,
    /// Flags of the categories feature, widget, integration and bot_module.
    pub features: Vec<PlanFeature>,
}

/// A feature of a plan. It can be used where it is `enabled` and `globally_enabled`.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct PlanFeature {
    pub feature_id: Uuid,
    pub feature_key: String,
    pub label: String,
    pub enabled: bool,
    pub globally_enabled: bool,
}

/// A plan as operators see it.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct AdminPlan {
    pub id: Uuid,
    /// Fixed at creation.
    pub slug: String,
    pub name: String,
    pub description: Option<String>,
    /// Minor units.
    pub price_monthly: i32,
    /// Minor units.
    pub price_yearly: i32,
    /// ISO 4217.
    pub currency: String,
    pub is_public: bool,
    pub sort_order: i32,
    /// 2147483647 is unlimited.
    pub max_overlays: i32,
    pub max_storage_bytes: Int64,
    pub max_upload_size_bytes: Int64,
    /// 2147483647 is unlimited.
    pub max_integrations: i32,
    /// 2147483647 is unlimited.
    pub chat_retention_days: i32,
    /// Names at the payment provider, which the service never calls.
    pub payment_product_id: Option<String>,
    pub payment_monthly_price_id: Option<String>,
    pub payment_yearly_price_id: Option<String>,
    pub features: Vec<AdminPlanFeature>,
    /// Accounts on the plan.
    pub accounts_using: i32,
}

/// The plans on offer.
pub static PLANS: Operation<Visitor> = Operation::public("plans", Grants::Nothing);

/// Lists the public plans in their order, each with every flag that plans decide about.
///
/// # Errors
/// When the database fails.
pub async fn plans(cx: &Cx) -> Result<Vec<BillingPlan>> {
    let visitor = cx.authorize(&PLANS).await?;
    db::public(&mut *visitor.db().await?).await
}

/// Every plan.
pub static ADMIN_PLANS: Operation<Admin> =
    Operation::admin("adminPlans", AdminPermission::PlansRead, Grants::Nothing);

/// Lists every plan in its order.
///
/// # Errors
/// As the rule.
pub async fn admin_plans(cx: &Cx) -> Result<Vec<AdminPlan>> {
    let admin = cx.authorize(&ADMIN_PLANS).await?;
    db::all(&mut *admin.db().await?).await
}

/// One plan.
pub static ADMIN_PLAN: Operation<Admin> =
    Operation::admin("adminPlan", AdminPermission::PlansRead, Grants::Nothing);

/// Reads a plan.
///
/// # Errors
/// As the rule; 404 when there is no such plan.
pub async fn admin_plan(cx: &Cx, id: Input<Uuid>) -> Result<AdminPlan> {
    let admin = cx.authorize(&ADMIN_PLAN).await?;
    let id = id?;
    db::find(&mut *admin.db().await?, id).await?.ok_or_else(not_found)
}

/// Makes a plan.
pub static ADMIN_CREATE_PLAN: Operation<Admin> =
    Operation::admin("adminCreatePlan", AdminPermission::PlansCreate, Grants::Nothing);

/// Makes a plan, which includes no feature yet.
///
/// # Errors
/// As the rule; 400 `Invalid slug format`, `Price cannot be negative`, `Limit cannot be negative` or for another wrong
/// field; 409 `Plan slug already in use`.
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
            entry.metadata = plan.told(&slug);
            shared::audit::record(connection, entry).await?;
            db::find(connection, id).await?.ok_or_else(|| ApiError::internal("a new plan is not there"))
        })
        .await
}

/// Rewrites a plan.
pub static ADMIN_UPDATE_PLAN: Operation<Admin> =
    Operation::admin("adminUpdatePlan", AdminPermission::PlansEdit, Grants::Nothing);

/// Rewrites everything that can be edited of a plan, and drops the cached features of every account on it.
///
/// # Errors
/// As the rule; 400 for a wrong field; 404 `Plan not found`.
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
            entry.metadata = plan.told(&updated.slug);
            shared::audit::record(connection, entry).await?;
            Ok(updated)
        })
        .await?;
    cx.features_changed(FeaturesOf::Plan(id)).await;
    Ok(updated)
}

/// Deletes a plan.
pub static ADMIN_DELETE_PLAN: Operation<Admin> =
    Operation::admin("adminDeletePlan", AdminPermission::PlansDelete, Grants::Nothing);

/// Deletes a plan that no account is on, and what it includes with it.
///
/// # Errors
/// As the rule; 404 `Plan not found`; 409 while accounts are on it, and for the plan that new accounts start on.
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
            // Without it nobody could sign in for the first time.
            if slug == FREE_PLAN || slug == cx.state().config.billing.default_plan {
                return Err(ApiError::conflict("Cannot delete plan: new accounts start on it"));
            }
            db::delete(connection, id).await?;
            let mut entry = cx.audit_system("plan:deleted", "plan", id);
            entry.metadata = json!({ "slug": slug });
            Ok(shared::audit::record(connection, entry).await?)
        })
        .await
}

pub(crate) fn not_found() -> ApiError {
    ApiError::not_found("Plan not found")
}
