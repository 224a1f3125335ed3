//! An owner moves the account to another plan (specification C §8.2).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AccountCaller, AnyOperation, FeaturesOf, Grants},
};
use diesel_async::AsyncConnection;
use serde::Deserialize;
use serde_json::json;
use shared::{
    catalogue::AccountPermission,
    plans::{Assigned, assign},
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    payments::not_enabled,
    plans,
    status::{self, BillingStatus},
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&CHANGE_PLAN];

/// Which plan it is to be.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
pub struct ChangePlanInput {
    pub plan_id: Uuid,
}

/// Moves the account to another plan.
pub static CHANGE_PLAN: Operation<AccountCaller> =
    Operation::account("changePlan", AccountPermission::PlanEdit, Grants::Nothing);

/// Moves the account to a plan on offer that costs nothing; in development, where plans may be changed by hand, to any
/// plan on offer. Only the owner may. Answers where the account stands then.
///
/// # Errors
/// As the rule; 403 for anybody but the owner; 404 `Plan not found`; 400 `Billing is not enabled` for a plan that costs
/// something.
pub async fn change_plan(cx: &Cx, input: Input<ChangePlanInput>) -> Result<BillingStatus> {
    let caller = cx.authorize(&CHANGE_PLAN).await?;
    let owner = cx.person()?;
    if !cx.membership().await?.is_some_and(|member| member.is_owner) {
        return Err(ApiError::forbidden("Only the account owner can change the plan"));
    }
    let plan = input?.plan_id;
    let now = cx.state().clock.now();
    let mut connection = caller.db().await?;
    let is_free = db::offered_is_free(&mut connection, plan).await?.ok_or_else(plans::not_found)?;
    if !is_free && !cx.state().config.billing.manual_plan_change {
        return Err(not_enabled());
    }
    let (is_changed, status) = connection
        .transaction(async |connection| {
            let assigned = assign(connection, caller.account, plan, owner, now).await?;
            let is_changed = match assigned {
                Assigned::NoAccount => return Err(ApiError::not_found("Account not found")),
                Assigned::NoPlan => return Err(plans::not_found()),
                Assigned::Unchanged(_) => false,
                Assigned::Changed { from, to } => {
                    let mut entry = cx.audit("plan:changed", "plan", to.id);
                    entry.metadata = json!({ "from": from.slug, "to": to.slug });
                    shared::audit::record(connection, entry).await?;
                    true
                }
            };
            Ok((is_changed, status::of_account(connection, caller.account).await?))
        })
        .await?;
    drop(connection);
    if is_changed {
        cx.features_changed(FeaturesOf::Account(caller.account)).await;
    }
    Ok(status)
}
