//! Queries over `user_permission_overrides` and `account_permission_overrides`.

use api_core::{Result, Timestamp};
use diesel::{dsl::exists, insert_into, prelude::*, select, upsert::excluded};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use juniper::GraphQLObject;
use serde::Serialize;
use shared::{
    id::{AccountId, UserId},
    schema::{
        account_permission_overrides::{self, dsl as accounts},
        memberships,
        user_permission_overrides::{self, dsl as people},
        users,
    },
};
use utoipa::ToSchema;
use uuid::Uuid;

/// Upper bound of the lists. Every catalogue has fewer permissions.
const MAX_ROWS: i64 = 500;

/// Platform-wide permission that is granted or denied to a person beside the roles.
#[derive(Debug, Clone, PartialEq, Serialize, Queryable, Selectable, GraphQLObject, ToSchema)]
#[diesel(table_name = user_permission_overrides)]
pub struct UserPermissionOverride {
    /// Identifier of the person.
    pub user_id: Uuid,
    /// Text `resource:action`.
    pub permission: String,
    /// True grants, false denies.
    pub granted: bool,
    /// Reason. Null: none.
    pub reason: Option<String>,
    /// Person who set it. Null when that person was deleted.
    pub set_by: Option<Uuid>,
    /// Time of the last setting.
    pub created_at: Timestamp,
}

/// Account permission that is granted or denied to everybody in an account beside the roles.
#[derive(Debug, Clone, PartialEq, Serialize, Queryable, Selectable, GraphQLObject, ToSchema)]
#[diesel(table_name = account_permission_overrides)]
pub struct AccountPermissionOverride {
    /// Identifier of the account.
    pub account_id: Uuid,
    /// Text `resource:action`.
    pub permission: String,
    /// True grants, false denies.
    pub granted: bool,
    /// Reason. Null: none.
    pub reason: Option<String>,
    /// Person who set it. Null when that person was deleted.
    pub set_by: Option<Uuid>,
    /// Time of the last setting.
    pub created_at: Timestamp,
}

/// Lists the overrides of a person by permission.
pub(super) async fn of_user(
    connection: &mut AsyncPgConnection,
    user: UserId,
) -> Result<Vec<UserPermissionOverride>> {
    Ok(people::user_permission_overrides
        .filter(people::user_id.eq(user))
        .order(people::permission.asc())
        .limit(MAX_ROWS)
        .select(UserPermissionOverride::as_select())
        .load(connection)
        .await?)
}

/// Lists the overrides of an account by permission.
pub(super) async fn of_account(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<Vec<AccountPermissionOverride>> {
    Ok(accounts::account_permission_overrides
        .filter(accounts::account_id.eq(account))
        .order(accounts::permission.asc())
        .limit(MAX_ROWS)
        .select(AccountPermissionOverride::as_select())
        .load(connection)
        .await?)
}

pub(super) async fn set_for_user(
    connection: &mut AsyncPgConnection,
    row: &UserPermissionOverride,
) -> Result<UserPermissionOverride> {
    Ok(insert_into(people::user_permission_overrides)
        .values((
            people::user_id.eq(row.user_id),
            people::permission.eq(&row.permission),
            people::granted.eq(row.granted),
            people::reason.eq(row.reason.as_deref()),
            people::set_by.eq(row.set_by),
            people::created_at.eq(*row.created_at),
        ))
        .on_conflict((people::user_id, people::permission))
        .do_update()
        .set((
            people::granted.eq(excluded(people::granted)),
            people::reason.eq(excluded(people::reason)),
            people::set_by.eq(excluded(people::set_by)),
            people::created_at.eq(excluded(people::created_at)),
        ))
        .returning(UserPermissionOverride::as_returning())
        .get_result(connection)
        .await?)
}

pub(super) async fn set_for_account(
    connection: &mut AsyncPgConnection,
    row: &AccountPermissionOverride,
) -> Result<AccountPermissionOverride> {
    Ok(insert_into(accounts::account_permission_overrides)
        .values((
            accounts::account_id.eq(row.account_id),
            accounts::permission.eq(&row.permission),
            accounts::granted.eq(row.granted),
            accounts::reason.eq(row.reason.as_deref()),
            accounts::set_by.eq(row.set_by),
            accounts::created_at.eq(*row.created_at),
        ))
        .on_conflict((accounts::account_id, accounts::permission))
        .do_update()
        .set((
            accounts::granted.eq(excluded(accounts::granted)),
            accounts::reason.eq(excluded(accounts::reason)),
            accounts::set_by.eq(excluded(accounts::set_by)),
            accounts::created_at.eq(excluded(accounts::created_at)),
        ))
        .returning(AccountPermissionOverride::as_returning())
        .get_result(connection)
        .await?)
}

/// Returns true when a person has an override of the permission.
pub(super) async fn is_set_for_user(
    connection: &mut AsyncPgConnection,
    user: UserId,
    permission: &str,
) -> Result<bool> {
    let one = people::user_permission_overrides.find((user, permission));
    Ok(select(exists(one)).get_result(connection).await?)
}

/// Returns true when an account has an override of the permission.
pub(super) async fn is_set_for_account(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    permission: &str,
) -> Result<bool> {
    let one = accounts::account_permission_overrides.find((account, permission));
    Ok(select(exists(one)).get_result(connection).await?)
}

pub(super) async fn remove_from_user(
    connection: &mut AsyncPgConnection,
    user: UserId,
    permission: &str,
) -> Result<()> {
    let one = people::user_permission_overrides.find((user, permission));
    diesel::delete(one).execute(connection).await?;
    Ok(())
}

pub(super) async fn remove_from_account(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    permission: &str,
) -> Result<()> {
    let one = accounts::account_permission_overrides.find((account, permission));
    diesel::delete(one).execute(connection).await?;
    Ok(())
}

/// Returns the active account of a person, if the person still belongs to it.
pub(super) async fn active_account(
    connection: &mut AsyncPgConnection,
    user: UserId,
) -> Result<Option<AccountId>> {
    let in_it = memberships::account_id.nullable().eq(users::active_account_id);
    Ok(users::table
        .inner_join(memberships::table.on(memberships::user_id.eq(users::id).and(in_it)))
        .filter(users::id.eq(user))
        .select(memberships::account_id)
        .first(connection)
        .await
        .optional()?)
}
