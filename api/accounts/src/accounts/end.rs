//! The ends of accounts and of one's own membership (specification A §4.3; C §3).

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Grants, Member, SignedIn},
    connections::revoke_every_connection,
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use juniper::GraphQLInputObject;
use serde::Deserialize;
use serde_json::json;
use shared::{
    accounts::{MAX_NAME_LENGTH, end_account, end_membership},
    audit,
    catalogue::AccountPermission,
    id::AccountId,
    invalidation::Invalidation,
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::db;
use crate::named::{meant, must_be, not_found};

/// The confirmation of a dissolution.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct DissolveAccountInput {
    /// The account's name, as it is written.
    #[schema(extensions(("maxLength" = json!(MAX_NAME_LENGTH))))]
    pub confirm_name: String,
}

/// Ends an account for everybody.
pub static DISSOLVE_ACCOUNT: Operation<Member> =
    Operation::member("dissolveAccount", AccountPermission::AccountDelete, Grants::AccountPermissions);

/// Ends the account that the caller owns and acts in: its members, tokens, keys, connections, installs and everything
/// else of it, its chat and event rows and stored objects by a job. Nobody's credential for it is good any longer.
///
/// # Errors
/// As the rule; 403 for anybody but the owner; 404 for another account; 400 when the name is not the account's.
pub async fn dissolve_account(cx: &Cx, named: Input<Uuid>, input: Input<DissolveAccountInput>) -> Result<()> {
    let member = cx.authorize(&DISSOLVE_ACCOUNT).await?;
    if !cx.membership().await?.is_some_and(|membership| membership.is_owner) {
        return Err(owner_only());
    }
    let input = input?;
    must_be(member.account, Some(named))?;
    let mut connection = member.db().await?;
    let ended =
        connection.transaction(async |connection| dissolve(cx, connection, &member, &input).await).await;
    drop(connection);
    cx.changed(ended?).await;
    Ok(())
}

/// Ends one's own membership.
pub static LEAVE_ACCOUNT: Operation<SignedIn> =
    Operation::first_party("leaveAccount", Grants::AccountPermissions);

/// Ends the caller's membership of an account, with everything that they have through it.
///
/// # Errors
/// As the rule; 404 for an account that the caller does not belong to; 409 for its owner.
pub async fn leave_account(cx: &Cx, account: Input<Uuid>) -> Result<()> {
    let person = cx.authorize(&LEAVE_ACCOUNT).await?;
    let account = meant(cx, &person, Some(account?))?;
    let mut connection = person.db().await?;
    let ended =
        connection.transaction(async |connection| leave(cx, connection, &person, account).await).await;
    drop(connection);
    cx.changed(ended?).await;
    Ok(())
}

async fn dissolve(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    member: &Member,
    input: &DissolveAccountInput,
) -> Result<Invalidation> {
    let identity = db::hold(connection, member.account).await?.ok_or_else(not_found)?;
    if identity.owner != member.user {
        return Err(owner_only());
    }
    if input.confirm_name != identity.name {
        return Err(ApiError::invalid("confirm_name must equal the name of the account"));
    }
    let entry = audit::Entry {
        metadata: json!({ "name": identity.name, "slug": identity.slug }),
        ..cx.audit("account:dissolved", "account", member.account)
    };
    audit::record(connection, entry).await?;
    revoke_every_connection(cx, connection, member.account).await?;
    end_account(connection, member.account, cx.state().clock.now()).await?.ok_or_else(not_found)
}

async fn leave(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    person: &SignedIn,
    account: AccountId,
) -> Result<Invalidation> {
    let membership = db::membership(connection, account, person.user).await?.ok_or_else(not_found)?;
    if membership.is_owner {
        return Err(ApiError::conflict("Account owner cannot leave"));
    }
    let entry = audit::Entry {
        scope: audit::Scope::Account(account.0),
        metadata: json!({ "user_id": person.user, "role_id": membership.role_id }),
        ..cx.audit("member:left", "membership", membership.id)
    };
    audit::record(connection, entry).await?;
    let ended = end_membership(connection, account, person.user, cx.state().clock.now()).await?;
    ended.ok_or_else(not_found)
}

fn owner_only() -> ApiError {
    ApiError::forbidden("Only the account owner can dissolve the account")
}
