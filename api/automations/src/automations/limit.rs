//! Number of automations that the plan of an account includes (reference/automations.md#limits-of-the-plan).

use api_core::{ApiError, Code, Result};
use diesel::{prelude::*, sql_query, sql_types::Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::json;
use shared::{
    id::AccountId,
    schema::{accounts, automations, plans},
};

api_core::limits::submit! {
    api_core::limits::CountLimit::of_plan(
        "automations",
        "SELECT plans.max_automations FROM accounts JOIN plans ON plans.id = accounts.plan_id
            WHERE accounts.id = $1",
        "SELECT count(*) FROM automations WHERE account_id = $1",
    )
}

/// Refuses one more automation beyond the plan. Other additions of the account wait until the transaction
/// ends.
///
/// # Errors
/// 403 `PLAN_LIMIT_REACHED`.
pub(super) async fn require_place(connection: &mut AsyncPgConnection, account: AccountId) -> Result<()> {
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind::<Text, _>(format!("automations:{account}"))
        .execute(connection)
        .await?;
    let (present, limit) = counted(connection, account).await?;
    if present < limit { Ok(()) } else { Err(refusal(limit)) }
}

/// Refuses to enable an automation of an account that has more than its plan includes.
///
/// # Errors
/// 403 `PLAN_LIMIT_REACHED`.
pub(super) async fn require_within(connection: &mut AsyncPgConnection, account: AccountId) -> Result<()> {
    let (present, limit) = counted(connection, account).await?;
    if present <= limit { Ok(()) } else { Err(refusal(limit)) }
}

async fn counted(connection: &mut AsyncPgConnection, account: AccountId) -> Result<(i64, i64)> {
    let own = automations::table.filter(automations::account_id.eq(account));
    let present = own.count().get_result(connection).await?;
    let limit = accounts::table
        .inner_join(plans::table)
        .filter(accounts::id.eq(account))
        .select(plans::max_automations)
        .first(connection)
        .await?;
    Ok((present, limit))
}

fn refusal(limit: i64) -> ApiError {
    ApiError::new(Code::PlanLimitReached, "Automation limit reached").with_details(json!({ "limit": limit }))
}
