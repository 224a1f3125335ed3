//! GraphQL fields of `admin_accounts`.

use api_core::{Cx, Result, graphql_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    AccountLimits, AdminAccount, AdminAccountSummary,
    changes::{self, AdminUpdateAccountInput},
    connections,
    limits::{self, AdminUpsertAccountLimitsInput},
    plan::{self, AdminUpdateAccountPlanInput},
};
use crate::search::SearchQuery;

/// Query fields.
pub struct AdminAccountQueries;
/// Mutation fields.
pub struct AdminAccountMutations;

graphql_page! {
    /// Page of accounts.
    AdminAccountPage of AdminAccountSummary
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl AdminAccountQueries {
    async fn admin_accounts(
        ctx: &Cx,
        search: Option<String>,
        page: Option<i32>,
        limit: Option<i32>,
    ) -> Result<AdminAccountPage> {
        let query = SearchQuery { search, page: page.map(i64::from), limit: limit.map(i64::from) };
        Ok(super::admin_accounts(ctx, Ok(query)).await?.into())
    }

    async fn admin_account(ctx: &Cx, id: Uuid) -> Result<AdminAccount> {
        super::admin_account(ctx, Ok(id)).await
    }

    async fn admin_account_limits(ctx: &Cx, account_id: Uuid) -> Result<AccountLimits> {
        limits::admin_account_limits(ctx, Ok(account_id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl AdminAccountMutations {
    async fn admin_update_account(
        ctx: &Cx,
        id: Uuid,
        input: AdminUpdateAccountInput,
    ) -> Result<AdminAccount> {
        changes::admin_update_account(ctx, Ok(id), Ok(input)).await
    }

    async fn admin_delete_account(ctx: &Cx, id: Uuid) -> Result<bool> {
        changes::admin_delete_account(ctx, Ok(id)).await?;
        Ok(true)
    }

    async fn admin_disconnect_account_channel(ctx: &Cx, account_id: Uuid, platform: String) -> Result<bool> {
        connections::admin_disconnect_account_channel(ctx, Ok(account_id), &platform).await?;
        Ok(true)
    }

    async fn admin_disconnect_account_bot(ctx: &Cx, account_id: Uuid, platform: String) -> Result<bool> {
        connections::admin_disconnect_account_bot(ctx, Ok(account_id), &platform).await?;
        Ok(true)
    }

    async fn admin_update_account_plan(ctx: &Cx, account_id: Uuid, plan_id: Uuid) -> Result<AdminAccount> {
        let input = AdminUpdateAccountPlanInput { plan_id };
        plan::admin_update_account_plan(ctx, Ok(account_id), Ok(input)).await
    }

    async fn admin_upsert_account_limits(
        ctx: &Cx,
        account_id: Uuid,
        input: AdminUpsertAccountLimitsInput,
    ) -> Result<AccountLimits> {
        limits::admin_upsert_account_limits(ctx, Ok(account_id), Ok(input)).await
    }
}
