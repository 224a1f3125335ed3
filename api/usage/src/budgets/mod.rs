//! Budgets of an account (reference/usage.md#budgets).

mod db;
mod fields;
pub mod graphql;
mod objects;
pub mod rest;

use api_core::{
    ApiError, Code, Cx, Input, Operation, Result,
    access::{AccountCaller, AnyOperation, Grants},
    graphql::Int64,
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::audit::{self, Entry};
use juniper::GraphQLInputObject;
use serde::Deserialize;
use serde_json::json;
use shared::{catalogue::AccountPermission, id::AccountId};
use usage_model::budgets::{MAX_MAXIMUM, MIN_MAXIMUM, evaluate, list};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{UsagePeriod, UsageUnit};
use fields::{Fields, MAX_WARN_PERCENT};

pub use objects::UsageBudget;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&USAGE_BUDGETS, &SET_USAGE_BUDGET, &DELETE_USAGE_BUDGET];

/// Maximum number of budgets of an account (reference/usage.md#budgets).
const MAX_BUDGETS: i64 = 50;

api_core::limits::submit! {
    api_core::limits::CountLimit::of_account(
        "usage_budgets",
        MAX_BUDGETS,
        "SELECT count(*) FROM usage_budgets WHERE account_id = $1",
    )
}

/// Budget of the account, or of an extension or key in it.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "unit": "requests", "period": "month", "maximum": 1_000_000, "warn_percent": 80 }))]
pub struct SetUsageBudgetInput {
    /// Extension that it limits, which is installed in the account. Not with `key_id`.
    pub extension_id: Option<Uuid>,
    /// Key that it limits: one of the account, or of a person in it. Not with `extension_id`.
    pub key_id: Option<Uuid>,
    /// Unit. Keys have requests and messages only.
    pub unit: UsageUnit,
    /// Period.
    pub period: UsagePeriod,
    /// Maximum in a period: 1 to 1,000,000,000,000,000.
    #[schema(value_type = i64, extensions(("minimum" = json!(MIN_MAXIMUM)), ("maximum" = json!(MAX_MAXIMUM))))]
    pub maximum: Int64,
    /// Share of the maximum at which members are notified, in percent: 0 to 99, 0 for none; 80 when absent.
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(MAX_WARN_PERCENT))))]
    pub warn_percent: Option<i32>,
    /// False: nothing is refused from the maximum on. True when absent.
    pub is_stopping: Option<bool>,
}

pub static USAGE_BUDGETS: Operation<AccountCaller> =
    Operation::account("usageBudgets", AccountPermission::PlanRead, Grants::Nothing).polled();

/// Lists the budgets of the account with their present use, oldest first.
///
/// (reference/usage.md#budgets)
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn usage_budgets(cx: &Cx) -> Result<Vec<UsageBudget>> {
    let caller = cx.authorize(&USAGE_BUDGETS).await?;
    let now = cx.state().clock.now();
    let budgets = list(&mut *caller.db().await?, caller.account, now, MAX_BUDGETS).await?;
    Ok(budgets.into_iter().map(UsageBudget::from).collect())
}

pub static SET_USAGE_BUDGET: Operation<AccountCaller> =
    Operation::account("setUsageBudget", AccountPermission::PlanEdit, Grants::Nothing);

/// Sets a budget of the account, or of an extension or key in it.
///
/// There is one budget for a subject, unit and period; setting it again replaces it. What was used in the present period
/// counts, so use may be refused immediately. Members are notified once in a period for each maximum.
///
/// (reference/usage.md#budgets)
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid field, and for a unit that keys do not have; 403
/// `PLAN_LIMIT_REACHED` beyond 50 budgets; 404 when the account has no such extension or key.
#[api_core::operation]
pub async fn set_usage_budget(cx: &Cx, input: Input<SetUsageBudgetInput>) -> Result<UsageBudget> {
    let caller = cx.authorize(&SET_USAGE_BUDGET).await?;
    let (account, now) = (caller.account, cx.state().clock.now());
    let fields = Fields::new(account, input?)?;
    let connection = &mut *caller.db().await?;
    let budget = connection
        .transaction(async |connection| {
            let number = db::lock_and_count(connection, account).await?;
            db::require_subject(connection, account, &fields).await?;
            if number >= MAX_BUDGETS && !db::exists(connection, account, &fields).await? {
                return Err(limit_reached());
            }
            let author = cx.principal().author().map(|user| user.0);
            let id = db::set(connection, account, author, &fields, now).await?;
            evaluate(connection, account.uuid(), now).await?;
            let entry =
                Entry { metadata: fields.metadata(), ..cx.audit("usage_budget:set", "usage_budget", id) };
            audit::record(connection, entry).await?;
            let budgets = list(connection, account, now, MAX_BUDGETS).await?;
            let set = budgets.into_iter().find(|budget| budget.id == id);
            set.map(UsageBudget::from).ok_or_else(not_found)
        })
        .await?;
    apply(cx, connection, caller.account).await;
    Ok(budget)
}

pub static DELETE_USAGE_BUDGET: Operation<AccountCaller> =
    Operation::account("deleteUsageBudget", AccountPermission::PlanEdit, Grants::Nothing);

/// Deletes a budget of the account. What it refused is allowed again.
///
/// (reference/usage.md#budgets)
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such budget.
#[api_core::operation]
pub async fn delete_usage_budget(cx: &Cx, budget_id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_USAGE_BUDGET).await?;
    let id = budget_id?;
    let connection = &mut *caller.db().await?;
    connection
        .transaction(async |connection| {
            let metadata = db::delete(connection, caller.account, id).await?.ok_or_else(not_found)?;
            let entry = Entry { metadata, ..cx.audit("usage_budget:deleted", "usage_budget", id) };
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>(())
        })
        .await?;
    apply(cx, connection, caller.account).await;
    Ok(())
}

/// Makes a change count in this process immediately; other processes read the stops within seconds.
async fn apply(cx: &Cx, connection: &mut AsyncPgConnection, account: AccountId) {
    if let Err(error) = cx.state().stops.read_account(connection, account.uuid()).await {
        tracing::debug!(%error, "the stops of budgets are read later");
    }
}

fn not_found() -> ApiError {
    ApiError::not_found("Usage budget not found")
}

fn limit_reached() -> ApiError {
    ApiError::new(Code::PlanLimitReached, "Usage budget limit reached")
        .with_details(json!({ "limit": MAX_BUDGETS }))
}
