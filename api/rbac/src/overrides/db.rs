//! Queries over `user_permission_overrides` and `account_permission_overrides`.

use api_core::Result;
use diesel::{dsl::exists, insert_into, prelude::*, select, upsert::excluded};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    db::schema::{
        account_permission_overrides::dsl as accounts, memberships, user_permission_overrides::dsl as people,
        users,
    },
    id::{AccountId, UserId},
};

use super::{accounts::AccountPermissionOverride, users::UserPermissionOverride};

/// More than any catalogue has permissions.
const MAX_ROWS: i64 = 500;

/// The overrides of a person by permission.
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

/// The overrides of an account by permission.
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

/// Whether a person has an override of the permission.
pub(super) async fn is_set_for_user(
    connection: &mut AsyncPgConnection,
    user: UserId,
    permission: &str,
) -> Result<bool> {
    let one = people::user_permission_overrides.find((user, permission));
    Ok(select(exists(one)).get_result(connection).await?)
}

/// Whether an account has an override of the permission.
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

/// The account that a person acts in, if the person still belongs to it.
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
