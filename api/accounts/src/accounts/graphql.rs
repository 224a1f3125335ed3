//! Accounts over GraphQL.

use api_core::{
    Cx, Result, Timestamp,
    connections::{self, BotConnection, ChannelConnection},
    http::Success,
};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    Account, AccountPlan, CreateAccountInput, CreateAccountResult, DissolveAccountInput,
    SetPrimaryLoginConnectionInput, UpdateAccountInput,
};

pub struct AccountQueries;
pub struct AccountMutations;

/// The account that the caller acts in, with what it has connected (specification A §2.7).
pub struct ActiveAccount(Account);

#[graphql_object(context = Cx)]
impl ActiveAccount {
    const fn id(&self) -> Uuid {
        self.0.id
    }

    fn name(&self) -> &str {
        &self.0.name
    }

    fn description(&self) -> Option<&str> {
        self.0.description.as_deref()
    }

    fn slug(&self) -> &str {
        &self.0.slug
    }

    /// Of the primary login connection, else of the owner.
    fn avatar_url(&self) -> Option<&str> {
        self.0.avatar_url.as_deref()
    }

    const fn owner_id(&self) -> Uuid {
        self.0.owner_id
    }

    const fn plan(&self) -> &AccountPlan {
        &self.0.plan
    }

    const fn primary_login_connection_id(&self) -> Option<Uuid> {
        self.0.primary_login_connection_id
    }

    const fn member_count(&self) -> i32 {
        self.0.member_count
    }

    const fn created_at(&self) -> Timestamp {
        self.0.created_at
    }

    const fn updated_at(&self) -> Timestamp {
        self.0.updated_at
    }

    /// As the field of the same name of the query, with the same rule.
    async fn channel_connections(ctx: &Cx) -> Result<Vec<ChannelConnection>> {
        connections::channel_connections(ctx).await
    }

    /// As the field of the same name of the query, with the same rule.
    async fn bot_connections(ctx: &Cx) -> Result<Vec<BotConnection>> {
        connections::bot_connections(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl AccountQueries {
    /// The accounts that the caller belongs to.
    async fn accounts(ctx: &Cx) -> Result<Vec<Account>> {
        super::accounts(ctx).await
    }

    /// The account that the caller acts in.
    async fn account(ctx: &Cx, id: Option<Uuid>) -> Result<ActiveAccount> {
        super::account(ctx, id.map(Ok)).await.map(ActiveAccount)
    }
}

#[graphql_object(context = Cx)]
impl AccountMutations {
    /// Create an account.
    async fn create_account(ctx: &Cx, input: CreateAccountInput) -> Result<CreateAccountResult> {
        super::create_account(ctx, Ok(input)).await
    }

    /// Rename the account that the caller acts in, or describe it anew.
    async fn update_account(ctx: &Cx, id: Option<Uuid>, input: UpdateAccountInput) -> Result<Account> {
        super::update_account(ctx, id.map(Ok), Ok(input)).await
    }

    /// End the account that the caller owns and acts in, for everybody.
    async fn dissolve_account(ctx: &Cx, id: Uuid, input: DissolveAccountInput) -> Result<Success> {
        super::dissolve_account(ctx, Ok(id), Ok(input)).await?;
        Ok(Success::DONE)
    }

    /// End the caller's membership of an account.
    async fn leave_account(ctx: &Cx, id: Uuid) -> Result<Success> {
        super::leave_account(ctx, Ok(id)).await?;
        Ok(Success::DONE)
    }

    /// Choose the login connection that lends an account its avatar.
    async fn set_primary_login_connection(
        ctx: &Cx,
        input: SetPrimaryLoginConnectionInput,
    ) -> Result<Account> {
        super::set_primary_login_connection(ctx, Ok(input)).await
    }
}
