//! Those to whom rights are given.

use api_core::{ApiError, Result};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    db::schema::{accounts, users},
    id::{AccountId, UserId},
};

/// Finds a person.
///
/// # Errors
/// 404 when there is no such person.
pub(crate) async fn find(connection: &mut AsyncPgConnection, user: UserId) -> Result<()> {
    let found = users::table.find(user).select(users::id).first::<UserId>(connection).await.optional()?;
    found.map(drop).ok_or_else(no_user)
}

/// Finds a person, who then stays until the transaction ends.
///
/// # Errors
/// 404 when there is no such person.
pub(crate) async fn hold(connection: &mut AsyncPgConnection, user: UserId) -> Result<()> {
    let held = users::table.find(user).select(users::id).for_key_share();
    held.first::<UserId>(connection).await.optional()?.map(drop).ok_or_else(no_user)
}

/// Finds an account.
///
/// # Errors
/// 404 when there is no such account.
pub(crate) async fn find_account(connection: &mut AsyncPgConnection, account: AccountId) -> Result<()> {
    let found = accounts::table.find(account).select(accounts::id);
    found.first::<AccountId>(connection).await.optional()?.map(drop).ok_or_else(no_account)
}

/// Finds an account, which then stays until the transaction ends.
///
/// # Errors
/// 404 when there is no such account.
pub(crate) async fn hold_account(connection: &mut AsyncPgConnection, account: AccountId) -> Result<()> {
    let held = accounts::table.find(account).select(accounts::id).for_key_share();
    held.first::<AccountId>(connection).await.optional()?.map(drop).ok_or_else(no_account)
}

pub(crate) fn no_user() -> ApiError {
    ApiError::not_found("User not found")
}

pub(crate) fn no_account() -> ApiError {
    ApiError::not_found("Account not found")
}
