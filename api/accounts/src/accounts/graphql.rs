//! Accounts over GraphQL.

use api_core::{Cx, Result, Timestamp, http::Success};
use connection_access::{self as connections, BotConnection, ChannelConnection};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    Account, AccountPlan, CreateAccountInput, CreateAccountResult, DissolveAccountInput,
    SetPrimaryLoginConnectionInput, UpdateAccountInput,
};

/// Queries of accounts.
pub struct AccountQueries;
/// Mutations of accounts.
pub struct AccountMutations;

/// The account that the caller acts in, with its connections.
pub struct ActiveAccount(Account);

/// The account that the caller acts in, with its connections.
#[graphql_object(context = Cx)]
impl ActiveAccount {
    /// Id of the account.
    const fn id(&self) -> Uuid {
        self.0.id
    }

    /// Name, 1 to 100 characters.
    fn name(&self) -> &str {
        &self.0.name
    }

    /// Description; null when there is none.
    fn description(&self) -> Option<&str> {
        self.0.description.as_deref()
    }

    /// Slug, derived from the name at creation and never changed.
    fn slug(&self) -> &str {
        &self.0.slug
    }

    /// Address of the avatar of the primary login connection, else of the owner.
    fn avatar_url(&self) -> Option<&str> {
        self.0.avatar_url.as_deref()
    }

    /// Person who owns the account.
    const fn owner_id(&self) -> Uuid {
        self.0.owner_id
    }

    /// Plan of the account.
    const fn plan(&self) -> &AccountPlan {
        &self.0.plan
    }

    /// Login connection that gives the account its avatar; null when none is chosen.
    const fn primary_login_connection_id(&self) -> Option<Uuid> {
        self.0.primary_login_connection_id
    }

    /// Number of members.
    const fn member_count(&self) -> i32 {
        self.0.member_count
    }

    /// Time of creation.
    const fn created_at(&self) -> Timestamp {
        self.0.created_at
    }

    /// Time of the last change.
    const fn updated_at(&self) -> Timestamp {
        self.0.updated_at
    }

    /// Channel connections, under the rule of the query `channelConnections`.
    async fn channel_connections(ctx: &Cx) -> Result<Vec<ChannelConnection>> {
        connections::channel_connections(ctx).await
    }

    /// Bot connections, under the rule of the query `botConnections`.
    async fn bot_connections(ctx: &Cx) -> Result<Vec<BotConnection>> {
        connections::bot_connections(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl AccountQueries {
    async fn accounts(ctx: &Cx) -> Result<Vec<Account>> {
        super::accounts(ctx).await
    }

    async fn account(ctx: &Cx, id: Option<Uuid>) -> Result<ActiveAccount> {
        super::account(ctx, id.map(Ok)).await.map(ActiveAccount)
    }
}

#[graphql_object(context = Cx)]
impl AccountMutations {
    async fn create_account(ctx: &Cx, input: CreateAccountInput) -> Result<CreateAccountResult> {
        super::create_account(ctx, Ok(input)).await
    }

    async fn update_account(ctx: &Cx, id: Option<Uuid>, input: UpdateAccountInput) -> Result<Account> {
        super::update_account(ctx, id.map(Ok), Ok(input)).await
    }

    async fn dissolve_account(ctx: &Cx, id: Uuid, input: DissolveAccountInput) -> Result<Success> {
        super::dissolve_account(ctx, Ok(id), Ok(input)).await?;
        Ok(Success::DONE)
    }

    async fn leave_account(ctx: &Cx, id: Uuid) -> Result<Success> {
        super::leave_account(ctx, Ok(id)).await?;
        Ok(Success::DONE)
    }

    async fn set_primary_login_connection(
        ctx: &Cx,
        input: SetPrimaryLoginConnectionInput,
    ) -> Result<Account> {
        super::set_primary_login_connection(ctx, Ok(input)).await
    }
}
