//! People as operator staff reads and changes them (reference/administration.md#users).

pub mod changes;
mod db;
pub mod graphql;
pub mod memberships;
pub mod removal;
pub mod rest;

use api_core::{
    Cx, Input, Operation, Page, Result, State, Timestamp,
    access::{AccountCreationOverride, Admin, AnyOperation, Grants, SystemReason},
};
use diesel_async::AsyncPgConnection;
use juniper::GraphQLObject;
use serde::Serialize;
use shared::{catalogue::AdminPermission, id::UserId};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{people, search::SearchQuery};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &ADMIN_USERS,
    &ADMIN_USER,
    &changes::ADMIN_UPDATE_USER,
    &changes::ADMIN_UPDATE_USER_ACCOUNT_CREATION_OVERRIDE,
    &removal::ADMIN_DELETE_USER,
    &removal::ADMIN_DISCONNECT_USER_LOGIN,
    &memberships::ADMIN_ADD_USER_MEMBERSHIP,
    &memberships::ADMIN_REMOVE_USER_MEMBERSHIP,
];

/// Person in the list.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct AdminUserSummary {
    /// Identifier.
    pub id: Uuid,
    /// Display name.
    pub display_name: String,
    /// User name.
    pub username: String,
    /// E-mail address. Null: none.
    pub email: Option<String>,
    /// Address of the avatar. Null: none.
    pub avatar_url: Option<String>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last sign-in. Null: never.
    pub last_login_at: Option<Timestamp>,
    /// Permission to create accounts, beside the global switch.
    pub account_creation_override: AccountCreationOverride,
    /// Number of accounts that the person may own. Null: the plans of the owned accounts decide.
    pub max_accounts_override: Option<i32>,
    /// Number of owned accounts.
    pub owned_account_count: i32,
    /// Number of memberships, those of owned accounts included.
    pub membership_count: i32,
    /// True when the person has a developer profile.
    pub is_developer: bool,
}

/// Person with memberships and login connections.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct AdminUser {
    /// Identifier.
    pub id: Uuid,
    /// Display name.
    pub display_name: String,
    /// User name.
    pub username: String,
    /// E-mail address. Null: none.
    pub email: Option<String>,
    /// Address of the avatar. Null: none.
    pub avatar_url: Option<String>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last sign-in. Null: never.
    pub last_login_at: Option<Timestamp>,
    /// Permission to create accounts, beside the global switch.
    pub account_creation_override: AccountCreationOverride,
    /// Number of accounts that the person may own. Null: the plans of the owned accounts decide.
    pub max_accounts_override: Option<i32>,
    /// Number of owned accounts.
    pub owned_account_count: i32,
    /// True when the person has a developer profile.
    pub is_developer: bool,
    /// Memberships of the person, oldest first.
    pub memberships: Vec<AdminUserMembership>,
    /// Login connections, oldest first.
    pub login_connections: Vec<AdminUserLogin>,
}

/// Membership of a person in an account.
#[derive(Debug, Clone, Serialize, diesel::Queryable, GraphQLObject, ToSchema)]
pub struct AdminUserMembership {
    /// Identifier of the membership.
    pub membership_id: Uuid,
    /// Identifier of the account.
    pub account_id: Uuid,
    /// Name of the account.
    pub account_name: String,
    /// Identifier of the role.
    pub role_id: Uuid,
    /// Name of the role.
    pub role_name: String,
    /// True when the person owns the account.
    pub is_owner: bool,
    /// Time of joining.
    pub joined_at: Timestamp,
}

/// Login connection of a person. It never contains tokens of the provider.
#[derive(Debug, Clone, Serialize, diesel::Queryable, GraphQLObject, ToSchema)]
pub struct AdminUserLogin {
    /// Identifier of the connection.
    pub id: Uuid,
    /// Slug of the platform.
    pub provider: String,
    /// Identifier of the person at the platform.
    pub provider_user_id: String,
    /// User name at the platform.
    pub username: String,
    /// Display name at the platform.
    pub display_name: String,
    /// True when the platform no longer accepts the token.
    pub reconnect_required: bool,
    /// Time of the connection.
    pub created_at: Timestamp,
}

pub static ADMIN_USERS: Operation<Admin> =
    Operation::admin("adminUsers", AdminPermission::UsersRead, Grants::Nothing);

/// Lists people, newest first.
///
/// The search applies to the display name, user name and e-mail address, and to the whole identifier.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid page or search.
#[api_core::operation]
pub async fn admin_users(cx: &Cx, query: Input<SearchQuery>) -> Result<Page<AdminUserSummary>> {
    let admin = cx.authorize(&ADMIN_USERS).await?;
    let search = query?.check()?;
    db::page(&mut *admin.db().await?, &search).await
}

/// Lists people for the operator at the console, as [`admin_users`] does for staff.
///
/// # Errors
/// 400 for an invalid page or search.
pub async fn list_people(state: &State, query: SearchQuery) -> Result<Page<AdminUserSummary>> {
    let search = query.check()?;
    db::page(&mut *state.system(SystemReason::Console).db().await?, &search).await
}

pub static ADMIN_USER: Operation<Admin> =
    Operation::admin("adminUser", AdminPermission::UsersRead, Grants::Nothing);

/// Returns a person with memberships and login connections.
///
/// # Errors
/// Refusals of the access rule; 404 when there is no such person.
#[api_core::operation]
pub async fn admin_user(cx: &Cx, id: Input<Uuid>) -> Result<AdminUser> {
    let admin = cx.authorize(&ADMIN_USER).await?;
    find(&mut *admin.db().await?, UserId(id?)).await
}

async fn find(connection: &mut AsyncPgConnection, user: UserId) -> Result<AdminUser> {
    db::find(connection, user).await?.ok_or_else(people::no_user)
}
