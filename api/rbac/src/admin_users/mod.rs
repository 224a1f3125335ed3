//! People as operator staff sees and changes them (specification A §3, §4.3; C §9).

pub mod changes;
mod db;
pub mod graphql;
pub mod memberships;
pub mod removal;
pub mod rest;

use api_core::{
    Cx, Input, Operation, Page, Result, Timestamp,
    access::{AccountCreationOverride, Admin, AnyOperation, Grants},
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

/// A person in the list.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct AdminUserSummary {
    pub id: Uuid,
    pub display_name: String,
    pub username: String,
    pub email: Option<String>,
    pub avatar_url: Option<String>,
    pub created_at: Timestamp,
    pub last_login_at: Option<Timestamp>,
    pub account_creation_override: AccountCreationOverride,
    /// Null: as the plans of the owned accounts say.
    pub max_accounts_override: Option<i32>,
    pub owned_account_count: i32,
    pub membership_count: i32,
    /// Whether the person has a developer profile.
    pub is_developer: bool,
}

/// A person.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct AdminUser {
    pub id: Uuid,
    pub display_name: String,
    pub username: String,
    pub email: Option<String>,
    pub avatar_url: Option<String>,
    pub created_at: Timestamp,
    pub last_login_at: Option<Timestamp>,
    pub account_creation_override: AccountCreationOverride,
    /// Null: as the plans of the owned accounts say.
    pub max_accounts_override: Option<i32>,
    pub owned_account_count: i32,
    /// Whether the person has a developer profile.
    pub is_developer: bool,
    /// The accounts that the person belongs to, oldest membership first.
    pub memberships: Vec<AdminUserMembership>,
    /// What the person signs in with, oldest first.
    pub login_connections: Vec<AdminUserLogin>,
}

/// That a person belongs to an account.
#[derive(Debug, Clone, Serialize, diesel::Queryable, GraphQLObject, ToSchema)]
pub struct AdminUserMembership {
    pub membership_id: Uuid,
    pub account_id: Uuid,
    pub account_name: String,
    pub role_id: Uuid,
    pub role_name: String,
    pub is_owner: bool,
    pub joined_at: Timestamp,
}

/// Something that a person signs in with. The provider's tokens are never in it.
#[derive(Debug, Clone, Serialize, diesel::Queryable, GraphQLObject, ToSchema)]
pub struct AdminUserLogin {
    pub id: Uuid,
    /// The platform's slug.
    pub provider: String,
    pub provider_user_id: String,
    pub username: String,
    pub display_name: String,
    /// Whether the platform no longer takes its token.
    pub reconnect_required: bool,
    pub created_at: Timestamp,
}

/// Everybody.
pub static ADMIN_USERS: Operation<Admin> =
    Operation::admin("adminUsers", AdminPermission::UsersRead, Grants::Nothing);

/// Lists people, newest first, whose display name, username or e-mail address contains the text, or who have the
/// identifier.
///
/// # Errors
/// As the rule; 400 for a wrong page or search.
pub async fn admin_users(cx: &Cx, query: Input<SearchQuery>) -> Result<Page<AdminUserSummary>> {
    let admin = cx.authorize(&ADMIN_USERS).await?;
    let search = query?.check()?;
    db::page(&mut *admin.db().await?, &search).await
}

/// A person.
pub static ADMIN_USER: Operation<Admin> =
    Operation::admin("adminUser", AdminPermission::UsersRead, Grants::Nothing);

/// Answers a person with memberships and login connections.
///
/// # Errors
/// As the rule; 404 when there is no such person.
pub async fn admin_user(cx: &Cx, id: Input<Uuid>) -> Result<AdminUser> {
    let admin = cx.authorize(&ADMIN_USER).await?;
    find(&mut *admin.db().await?, UserId(id?)).await
}

async fn find(connection: &mut AsyncPgConnection, user: UserId) -> Result<AdminUser> {
    db::find(connection, user).await?.ok_or_else(people::no_user)
}
