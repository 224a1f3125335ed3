//! Change of an account's plan by its owner (reference/billing.md#plan-of-an-account).

mod db;
pub mod graphql;
pub mod rest;

use account_model::plans::{Assigned, assign};
use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AccountCaller, AnyOperation, FeaturesOf, Grants},
};
use diesel_async::AsyncConnection;
use serde::Deserialize;
use serde_json::json;
use shared::catalogue::AccountPermission;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    payments::not_enabled,
    plans,
    status::{self, BillingStatus},
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&CHANGE_PLAN];

/// New plan of the account.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
pub struct ChangePlanInput {
    /// Id of the plan.
    pub plan_id: Uuid,
}

pub static CHANGE_PLAN: Operation<AccountCaller> =
    Operation::account("changePlan", AccountPermission::PlanEdit, Grants::Nothing);

/// Moves the account to another public plan.
///
/// Only the owner may change the plan. The plan must be free; deployments for development may allow any
/// public plan. The features of the account change at once. The present plan changes nothing.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 `Billing is not enabled`: the plan has a price.
/// - 403: the caller is not the owner of the account.
/// - 404: no public plan has this id.
#[api_core::operation]
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
                    foundation::audit::record(connection, entry).await?;
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
