//! Accounts as operator staff reads and changes them (reference/administration.md#accounts-of-staff).

pub mod changes;
pub mod connections;
mod db;
pub mod graphql;
pub mod limits;
pub mod plan;
pub mod rest;
mod stored_limits;

use api_core::{
    Cx, Input, Operation, Page, Result, State, Timestamp,
    access::{Admin, AnyOperation, Grants, SystemReason},
};
use diesel_async::AsyncPgConnection;
use juniper::GraphQLObject;
use serde::Serialize;
use shared::{catalogue::AdminPermission, id::AccountId};
use utoipa::ToSchema;
use uuid::Uuid;

pub use stored_limits::AccountLimits;

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

/// Account in the list.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct AdminAccountSummary {
    /// Identifier.
    pub id: Uuid,
    /// Display name.
    pub name: String,
    /// Unique slug.
    pub slug: String,
    /// Owner.
    pub owner: AdminAccountOwner,
    /// Present plan.
    pub plan: AdminAccountPlan,
    /// Number of members, the owner included.
    pub member_count: i32,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// Account with its connections.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct AdminAccount {
    /// Identifier.
    pub id: Uuid,
    /// Display name.
    pub name: String,
    /// Unique slug.
    pub slug: String,
    /// Description. Null: none.
    pub description: Option<String>,
    /// Owner.
    pub owner: AdminAccountOwner,
    /// Present plan.
    pub plan: AdminAccountPlan,
    /// Number of members, the owner included.
    pub member_count: i32,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Channels of the account, by platform.
    pub channel_connections: Vec<AdminAccountConnection>,
    /// Own bots of the account, by platform.
    pub bot_connections: Vec<AdminAccountConnection>,
}

/// Owner of an account.
#[derive(Debug, Clone, Serialize, diesel::Queryable, GraphQLObject, ToSchema)]
pub struct AdminAccountOwner {
    /// Identifier of the person.
    pub id: Uuid,
    /// Display name.
    pub display_name: String,
    /// E-mail address. Null: none.
    pub email: Option<String>,
}

/// Plan of an account.
#[derive(Debug, Clone, Serialize, diesel::Queryable, GraphQLObject, ToSchema)]
pub struct AdminAccountPlan {
    /// Identifier.
    pub id: Uuid,
    /// Unique slug.
    pub slug: String,
    /// Display name.
    pub name: String,
}

/// Channel or bot of an account. It never contains tokens of the platform.
#[derive(Debug, Clone, Serialize, diesel::Queryable, GraphQLObject, ToSchema)]
pub struct AdminAccountConnection {
    /// Identifier of the connection.
    pub id: Uuid,
    /// Slug of the platform.
    pub platform: String,
    /// User name on the platform.
    pub username: String,
    /// Display name on the platform.
    pub display_name: String,
    /// True when the platform no longer accepts the token.
    pub reconnect_required: bool,
    /// Time of the connection.
    pub connected_at: Timestamp,
}

pub static ADMIN_ACCOUNTS: Operation<Admin> =
    Operation::admin("adminAccounts", AdminPermission::AccountsRead, Grants::Nothing);

/// Lists accounts, newest first.
///
/// The search applies to the name and slug of the account, the display name and e-mail address of its owner,
/// and to the whole identifier.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid page or search.
#[api_core::operation]
pub async fn admin_accounts(cx: &Cx, query: Input<SearchQuery>) -> Result<Page<AdminAccountSummary>> {
    let admin = cx.authorize(&ADMIN_ACCOUNTS).await?;
    let search = query?.check()?;
    db::page(&mut *admin.db().await?, &search).await
}

/// Lists accounts for the operator at the console, as [`admin_accounts`] does for staff.
///
/// # Errors
/// 400 for an invalid page or search.
pub async fn list_accounts(state: &State, query: SearchQuery) -> Result<Page<AdminAccountSummary>> {
    let search = query.check()?;
    db::page(&mut *state.system(SystemReason::Console).db().await?, &search).await
}

pub static ADMIN_ACCOUNT: Operation<Admin> =
    Operation::admin("adminAccount", AdminPermission::AccountsRead, Grants::Nothing);

/// Returns an account with its connections.
///
/// # Errors
/// Refusals of the access rule; 404 when there is no such account.
#[api_core::operation]
pub async fn admin_account(cx: &Cx, id: Input<Uuid>) -> Result<AdminAccount> {
    let admin = cx.authorize(&ADMIN_ACCOUNT).await?;
    find(&mut *admin.db().await?, admin.account(id?)).await
}

async fn find(connection: &mut AsyncPgConnection, account: AccountId) -> Result<AdminAccount> {
    db::find(connection, account).await?.ok_or_else(people::no_account)
}
