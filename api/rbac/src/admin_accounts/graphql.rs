//! Accounts as operator staff sees and changes them, over GraphQL.

use api_core::{Cx, Page, Result, graphql::Int64};
use juniper::{GraphQLObject, graphql_object};
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

/// One page of accounts.
#[derive(GraphQLObject)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct AdminAccountPage {
    items: Vec<AdminAccountSummary>,
    total: Int64,
    page: Int64,
    limit: Int64,
    pages: Int64,
}

impl From<Page<AdminAccountSummary>> for AdminAccountPage {
    fn from(page: Page<AdminAccountSummary>) -> Self {
        let pages = Int64(page.pages());
        Self {
            total: Int64(page.total),
            page: Int64(page.window.page),
            limit: Int64(page.window.limit),
            pages,
            items: page.items,
        }
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl AdminAccountQueries {
    /// Accounts, newest first.
    async fn admin_accounts(
        ctx: &Cx,
        search: Option<String>,
        page: Option<Int64>,
        limit: Option<Int64>,
    ) -> Result<AdminAccountPage> {
        let query = SearchQuery { search, page: page.map(|n| n.0), limit: limit.map(|n| n.0) };
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
