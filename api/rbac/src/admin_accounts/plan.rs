//! Putting an account on a plan (specification C §8.2).

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Admin, FeaturesOf, Grants},
};
use diesel_async::AsyncConnection;
use serde::Deserialize;
use serde_json::json;
use shared::{
    audit,
    catalogue::AdminPermission,
    id::AccountId,
    plans::{self, Assigned},
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{AdminAccount, find};
use crate::people;

/// Which plan.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
pub struct AdminUpdateAccountPlanInput {
    pub plan_id: Uuid,
}

/// Puts an account on a plan.
pub static ADMIN_UPDATE_ACCOUNT_PLAN: Operation<Admin> =
    Operation::admin("adminUpdateAccountPlan", AdminPermission::SubscriptionsEdit, Grants::Nothing);

/// Puts an account on a plan, whatever it costs; the features of the plan are there at once.
///
/// # Errors
/// As the rule; 404 when there is no such account or plan.
pub async fn admin_update_account_plan(
    cx: &Cx,
    account: Input<Uuid>,
    input: Input<AdminUpdateAccountPlanInput>,
) -> Result<AdminAccount> {
    let admin = cx.authorize(&ADMIN_UPDATE_ACCOUNT_PLAN).await?;
    let (account, plan) = (AccountId(account?), input?.plan_id);
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
                scope: audit::Scope::Account(account.0),
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
