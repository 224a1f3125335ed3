//! The login connection that stands for an account (specification A §4.3; C §3).

use api_core::{
    ApiError, Cx, Input, Operation, Patch, Result,
    access::{Grants, SignedIn},
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use juniper::GraphQLInputObject;
use serde::Deserialize;
use serde_json::json;
use shared::{
    audit,
    id::{AccountId, UserId},
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Account, db};
use crate::named::{meant, not_found};

/// Which login connection is to stand for an account.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct SetPrimaryLoginConnectionInput {
    /// The account that the caller acts in when absent.
    pub account_id: Option<Uuid>,
    /// One of the caller's own; null for none, so that the account shows its owner's avatar. Must be given.
    #[serde(default)]
    #[schema(value_type = Option<Uuid>)]
    pub login_connection_id: Patch<Uuid>,
}

/// Chooses the login connection that stands for an account.
pub static SET_PRIMARY_LOGIN_CONNECTION: Operation<SignedIn> =
    Operation::first_party("setPrimaryLoginConnection", Grants::SignIn);

/// Chooses the login connection that lends an account its avatar.
///
/// # Errors
/// As the rule; 400 without `login_connection_id`; 404 for an account that the caller does not belong to and for a
/// login connection that is not theirs; 403 for anybody but the owner.
pub async fn set_primary_login_connection(
    cx: &Cx,
    input: Input<SetPrimaryLoginConnectionInput>,
) -> Result<Account> {
    let person = cx.authorize(&SET_PRIMARY_LOGIN_CONNECTION).await?;
    let input = input?;
    let chosen = input.login_connection_id.into_change();
    let chosen = chosen.ok_or_else(|| ApiError::invalid("login_connection_id is required; null for none"))?;
    let account = meant(cx, &person, input.account_id)?;
    person
        .db()
        .await?
        .transaction(async |connection| {
            check_owner(connection, account, person.user).await?;
            check_own(connection, person.user, chosen).await?;
            db::set_primary(connection, account, chosen, cx.state().clock.now()).await?;
            let entry = audit::Entry {
                scope: audit::Scope::Account(account.0),
                metadata: json!({ "login_connection_id": chosen }),
                ..cx.audit("account:primary_connection_set", "account", account)
            };
            audit::record(connection, entry).await?;
            db::find(connection, account).await?.ok_or_else(not_found)
        })
        .await
}

async fn check_owner(connection: &mut AsyncPgConnection, account: AccountId, user: UserId) -> Result<()> {
    let membership = db::membership(connection, account, user).await?.ok_or_else(not_found)?;
    if membership.is_owner {
        return Ok(());
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
