//! Primary login connection of an account (reference/accounts.md#primary-login-connection).

use api_core::{
    ApiError, Cx, Input, Operation, Patch, Result,
    access::{Grants, SignedIn},
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::audit;
use juniper::GraphQLInputObject;
use serde::Deserialize;
use serde_json::json;
use shared::id::{AccountId, UserId};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Account, db};
use crate::named::{meant, not_found};

/// Choice of the primary login connection.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct SetPrimaryLoginConnectionInput {
    /// Account to change; absent: the one that the caller acts in.
    pub account_id: Option<Uuid>,
    /// Login connection of the caller, or null: the account shows the avatar of its owner. Required.
    #[serde(default)]
    #[schema(value_type = Option<Uuid>)]
    pub login_connection_id: Patch<Uuid>,
}

pub static SET_PRIMARY_LOGIN_CONNECTION: Operation<SignedIn> =
    Operation::first_party("setPrimaryLoginConnection", Grants::SignIn);

/// Sets the login connection that gives an account its avatar.
///
/// Null removes the choice; the account then shows the avatar of its owner. A login connection that is
/// primary for an account cannot be removed.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: `login_connection_id` is absent.
/// - 403: the caller is not the owner of the account.
/// - 404: the caller is not a member of the account, or the login connection is not the caller's.
#[api_core::operation]
pub async fn set_primary_login_connection(
    cx: &Cx,
    input: Input<SetPrimaryLoginConnectionInput>,
) -> Result<Account> {
    let person = cx.authorize(&SET_PRIMARY_LOGIN_CONNECTION).await?;
    let input = input?;
    let chosen = input.login_connection_id.into_change();
    let chosen = chosen.ok_or_else(|| ApiError::invalid("login_connection_id is required; null for none"))?;
    let named = meant(cx, &person, input.account_id)?;
    person
        .db()
        .await?
        .transaction(async |connection| {
            let account = check_owner(connection, named, person.user).await?;
            check_own(connection, person.user, chosen).await?;
            db::set_primary(connection, account, chosen, cx.state().clock.now()).await?;
            let entry = audit::Entry {
                scope: audit::Scope::Account(account.uuid()),
                metadata: json!({ "login_connection_id": chosen }),
                ..cx.audit("account:primary_connection_set", "account", account)
            };
            audit::record(connection, entry).await?;
            db::find(connection, account).await?.ok_or_else(not_found)
        })
        .await
}

async fn check_owner(connection: &mut AsyncPgConnection, named: Uuid, user: UserId) -> Result<AccountId> {
    let membership = db::membership(connection, named, user).await?.ok_or_else(not_found)?;
    if membership.is_owner {
        return Ok(membership.account);
    }
    Err(ApiError::forbidden("Only the account owner can set the primary connection"))
}

async fn check_own(connection: &mut AsyncPgConnection, user: UserId, chosen: Option<Uuid>) -> Result<()> {
    let asked: Vec<Uuid> = chosen.into_iter().collect();
    let own = db::own_login_connections(connection, user, asked.clone()).await?;
    if own.len() == asked.len() {
        return Ok(());
    }
    Err(ApiError::not_found("Login connection not found"))
}
