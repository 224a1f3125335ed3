//! Plan of an account, set by staff (reference/billing.md#plan-of-an-account).

use account_model::plans::{self, Assigned};
use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Admin, FeaturesOf, Grants},
};
use diesel_async::AsyncConnection;
use foundation::audit;
use serde::Deserialize;
use serde_json::json;
use shared::catalogue::AdminPermission;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{AdminAccount, find};
use crate::people;

/// Plan to assign.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
pub struct AdminUpdateAccountPlanInput {
    /// Identifier of the plan.
    pub plan_id: Uuid,
}

pub static ADMIN_UPDATE_ACCOUNT_PLAN: Operation<Admin> =
    Operation::admin("adminUpdateAccountPlan", AdminPermission::SubscriptionsEdit, Grants::Nothing);

/// Assigns a plan to an account, whatever the plan costs.
///
/// The features of the plan take effect at once. Assigning the present plan changes nothing.
///
/// # Errors
/// Refusals of the access rule; 404 when there is no such account or plan.
#[api_core::operation]
pub async fn admin_update_account_plan(
    cx: &Cx,
    account: Input<Uuid>,
    input: Input<AdminUpdateAccountPlanInput>,
) -> Result<AdminAccount> {
    let admin = cx.authorize(&ADMIN_UPDATE_ACCOUNT_PLAN).await?;
    let (account, plan) = (admin.account(account?), input?.plan_id);
    let mut connection = admin.db().await?;
    let assigned = connection
        .transaction(async |connection| {
            let now = cx.state().clock.now();
            let (from, to) = match plans::assign(connection, account, plan, Some(admin.user), now).await? {
                Assigned::NoAccount => return Err(people::no_account()),
                Assigned::NoPlan => return Err(ApiError::not_found("Plan not found")),
                Assigned::Unchanged(_) => return Ok((find(connection, account).await?, false)),
                Assigned::Changed { from, to } => (from, to),
            };
            let mut entry = audit::Entry {
                scope: audit::Scope::Account(account.uuid()),
                ..cx.audit("plan:changed", "account", account)
            };
            entry.metadata = json!({ "from": from.slug, "to": to.slug });
            audit::record(connection, entry).await?;
            Ok((find(connection, account).await?, true))
        })
        .await;
    drop(connection);
    let (updated, is_changed) = assigned?;
    if is_changed {
        cx.features_changed(FeaturesOf::Account(account)).await;
    }
    Ok(updated)
}
