//! Dissolution of an account (reference/accounts.md#dissolution) and the end of one's own membership
//! (reference/accounts.md#leaving).

use account_model::accounts::{MAX_NAME_LENGTH, end_account, end_membership};
use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Grants, Member, SignedIn},
};
use connection_access::revoke_every_connection;
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::{audit, invalidation::Invalidation};
use juniper::GraphQLInputObject;
use serde::Deserialize;
use serde_json::json;
use shared::catalogue::AccountPermission;
use utoipa::ToSchema;
use uuid::Uuid;

use super::db;
use crate::named::{meant, must_be, not_found};

/// Confirmation of a dissolution.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct DissolveAccountInput {
    /// Name of the account, exactly as stored.
    #[schema(extensions(("maxLength" = json!(MAX_NAME_LENGTH))))]
    pub confirm_name: String,
}

pub static DISSOLVE_ACCOUNT: Operation<Member> =
    Operation::member("dissolveAccount", AccountPermission::AccountDelete, Grants::AccountPermissions)
        .not_idempotent("the account is gone after it: a repetition is refused");

/// Dissolves the account that the caller owns and acts in.
///
/// Members, keys, tokens, connections, installs and all other rows of the account are deleted at once.
/// Credentials of the account stop working in every process. Chat rows, event rows and stored objects are
/// erased afterwards by a job. Connections are revoked at the platforms after the answer. The audit log of
/// the account stays. The dissolution cannot be undone.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: `confirm_name` is not the name of the account.
/// - 403: the caller is not the owner.
/// - 404: another account than the one that the caller acts in.
#[api_core::operation]
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

pub static LEAVE_ACCOUNT: Operation<SignedIn> =
    Operation::first_party("leaveAccount", Grants::AccountPermissions).idempotent();

/// Ends the caller's own membership of an account.
///
/// Keys, popout tokens, login assignments and invites of the caller in the account end with it. Service keys
/// that the caller created keep working.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404: the caller is not a member of the account.
/// - 409: the caller owns the account.
#[api_core::operation]
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
    let identity = db::lock(connection, member.account).await?.ok_or_else(not_found)?;
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
    named: Uuid,
) -> Result<Invalidation> {
    let membership = db::membership(connection, named, person.user).await?.ok_or_else(not_found)?;
    let account = membership.account;
    if membership.is_owner {
        return Err(ApiError::conflict("Account owner cannot leave"));
    }
    let entry = audit::Entry {
        scope: audit::Scope::Account(account.uuid()),
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
