//! Accounts as operator staff sees and changes them (specification C §8, §9).

pub mod changes;
pub mod connections;
mod db;
pub mod graphql;
pub mod limits;
pub mod plan;
pub mod rest;

use api_core::{
    Cx, Input, Operation, Page, Result, Timestamp,
    access::{Admin, AnyOperation, Grants},
};
use diesel_async::AsyncPgConnection;
use juniper::GraphQLObject;
use serde::Serialize;
use shared::{catalogue::AdminPermission, id::AccountId};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{people, search::SearchQuery};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &ADMIN_ACCOUNTS,
    &ADMIN_ACCOUNT,
    &changes::ADMIN_UPDATE_ACCOUNT,
    &changes::ADMIN_DELETE_ACCOUNT,
    &connections::ADMIN_DISCONNECT_ACCOUNT_CHANNEL,
    &connections::ADMIN_DISCONNECT_ACCOUNT_BOT,
    &plan::ADMIN_UPDATE_ACCOUNT_PLAN,
    &limits::ADMIN_ACCOUNT_LIMITS,
    &limits::ADMIN_UPSERT_ACCOUNT_LIMITS,
];

/// An account in the list.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct AdminAccountSummary {
    pub id: Uuid,
    pub name: String,
    pub slug: String,
    pub owner: AdminAccountOwner,
    pub plan: AdminAccountPlan,
    pub member_count: i32,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// An account.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct AdminAccount {
    pub id: Uuid,
    pub name: String,
    pub slug: String,
    pub description: Option<String>,
    pub owner: AdminAccountOwner,
    pub plan: AdminAccountPlan,
    pub member_count: i32,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Its channels, by platform.
    pub channel_connections: Vec<AdminAccountConnection>,
    /// Its own bots, by platform.
    pub bot_connections: Vec<AdminAccountConnection>,
}

/// The person who owns an account.
#[derive(Debug, Clone, Serialize, diesel::Queryable, GraphQLObject, ToSchema)]
pub struct AdminAccountOwner {
    pub id: Uuid,
    pub display_name: String,
    pub email: Option<String>,
}

/// The plan that an account is on.
#[derive(Debug, Clone, Serialize, diesel::Queryable, GraphQLObject, ToSchema)]
pub struct AdminAccountPlan {
    pub id: Uuid,
    pub slug: String,
    pub name: String,
}

/// A channel or a bot of an account. The platform's tokens are never in it.
#[derive(Debug, Clone, Serialize, diesel::Queryable, GraphQLObject, ToSchema)]
pub struct AdminAccountConnection {
    pub id: Uuid,
    /// The platform's slug.
    pub platform: String,
    pub username: String,
    pub display_name: String,
    /// Whether the platform no longer takes its token.
    pub reconnect_required: bool,
    pub connected_at: Timestamp,
}

/// Every account.
pub static ADMIN_ACCOUNTS: Operation<Admin> =
    Operation::admin("adminAccounts", AdminPermission::AccountsRead, Grants::Nothing);

/// Lists accounts, newest first, whose name or slug, or whose owner's display name or e-mail address, contains the
/// text, or which have the identifier.
///
/// # Errors
/// As the rule; 400 for a wrong page or search.
pub async fn admin_accounts(cx: &Cx, query: Input<SearchQuery>) -> Result<Page<AdminAccountSummary>> {
    let admin = cx.authorize(&ADMIN_ACCOUNTS).await?;
    let search = query?.check()?;
    db::page(&mut *admin.db().await?, &search).await
}

/// An account.
pub static ADMIN_ACCOUNT: Operation<Admin> =
    Operation::admin("adminAccount", AdminPermission::AccountsRead, Grants::Nothing);

/// Answers an account with its connections.
///
/// # Errors
/// As the rule; 404 when there is no such account.
pub async fn admin_account(cx: &Cx, id: Input<Uuid>) -> Result<AdminAccount> {
    let admin = cx.authorize(&ADMIN_ACCOUNT).await?;
    find(&mut *admin.db().await?, AccountId(id?)).await
}

async fn find(connection: &mut AsyncPgConnection, account: AccountId) -> Result<AdminAccount> {
    db::find(connection, account).await?.ok_or_else(people::no_account)
}
