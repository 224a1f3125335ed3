//! Accounts as operator staff sees and changes them, over GraphQL.

use api_core::{Cx, Result, graphql_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    AdminAccount, AdminAccountSummary,
    changes::{self, AdminUpdateAccountInput},
    connections,
    limits::{self, AccountLimits, AdminUpsertAccountLimitsInput},
    plan::{self, AdminUpdateAccountPlanInput},
};
use crate::search::SearchQuery;

pub struct AdminAccountQueries;
pub struct AdminAccountMutations;

graphql_page! {
    /// One page of accounts.
    AdminAccountPage of AdminAccountSummary
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl AdminAccountQueries {
    /// Accounts, newest first.
    async fn admin_accounts(
        ctx: &Cx,
        search: Option<String>,
        page: Option<i32>,
        limit: Option<i32>,
    ) -> Result<AdminAccountPage> {
        let query = SearchQuery { search, page: page.map(i64::from), limit: limit.map(i64::from) };
        Ok(super::admin_accounts(ctx, Ok(query)).await?.into())
    }

    /// An account with its connections.
    async fn admin_account(ctx: &Cx, id: Uuid) -> Result<AdminAccount> {
        super::admin_account(ctx, Ok(id)).await
    }

    /// What holds for an account whatever its plan says.
    async fn admin_account_limits(ctx: &Cx, account_id: Uuid) -> Result<AccountLimits> {
        limits::admin_account_limits(ctx, Ok(account_id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl AdminAccountMutations {
    /// Change an account.
    async fn admin_update_account(
        ctx: &Cx,
        id: Uuid,
        input: AdminUpdateAccountInput,
    ) -> Result<AdminAccount> {
        changes::admin_update_account(ctx, Ok(id), Ok(input)).await
    }

    /// End an account with everything in it.
    async fn admin_delete_account(ctx: &Cx, id: Uuid) -> Result<bool> {
        changes::admin_delete_account(ctx, Ok(id)).await?;
        Ok(true)
    }

    /// End an account's connection to its channel.
    async fn admin_disconnect_account_channel(ctx: &Cx, account_id: Uuid, platform: String) -> Result<bool> {
        connections::admin_disconnect_account_channel(ctx, Ok(account_id), &platform).await?;
        Ok(true)
    }

    /// End the connection of an account's own bot.
    async fn admin_disconnect_account_bot(ctx: &Cx, account_id: Uuid, platform: String) -> Result<bool> {
        connections::admin_disconnect_account_bot(ctx, Ok(account_id), &platform).await?;
        Ok(true)
    }

    /// Put an account on a plan.
    async fn admin_update_account_plan(ctx: &Cx, account_id: Uuid, plan_id: Uuid) -> Result<AdminAccount> {
        let input = AdminUpdateAccountPlanInput { plan_id };
        plan::admin_update_account_plan(ctx, Ok(account_id), Ok(input)).await
    }

    /// Set what holds for an account whatever its plan says, all of it at once.
    async fn admin_upsert_account_limits(
        ctx: &Cx,
        account_id: Uuid,
        input: AdminUpsertAccountLimitsInput,
    ) -> Result<AccountLimits> {
        limits::admin_upsert_account_limits(ctx, Ok(account_id), Ok(input)).await
    }
}
