//! People and accounts that receive rights.

use api_core::{ApiError, Result};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::{AccountId, UserId},
    schema::{accounts, users},
};

/// Requires that a person exists.
pub(crate) async fn find(connection: &mut AsyncPgConnection, user: UserId) -> Result<()> {
    let found = users::table.find(user).select(users::id).first::<UserId>(connection).await.optional()?;
    found.map(drop).ok_or_else(no_user)
}

/// Requires that a person exists and keeps the row until the transaction ends.
pub(crate) async fn lock_user(connection: &mut AsyncPgConnection, user: UserId) -> Result<()> {
    let locked = users::table.find(user).select(users::id).for_key_share();
    locked.first::<UserId>(connection).await.optional()?.map(drop).ok_or_else(no_user)
}

/// Requires that an account exists.
pub(crate) async fn find_account(connection: &mut AsyncPgConnection, account: AccountId) -> Result<()> {
    let found = accounts::table.find(account).select(accounts::id);
    found.first::<AccountId>(connection).await.optional()?.map(drop).ok_or_else(no_account)
}

/// Requires that an account exists and keeps the row until the transaction ends.
pub(crate) async fn lock_account(connection: &mut AsyncPgConnection, account: AccountId) -> Result<()> {
    let locked = accounts::table.find(account).select(accounts::id).for_key_share();
    locked.first::<AccountId>(connection).await.optional()?.map(drop).ok_or_else(no_account)
}

pub(crate) fn no_user() -> ApiError {
    ApiError::not_found("User not found")
}

pub(crate) fn no_account() -> ApiError {
    ApiError::not_found("Account not found")
}
