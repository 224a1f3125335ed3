//! Accounts that may install an extension whatever its visibility (reference/developers.md#access-grants).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AnyOperation, Grants, SignedIn},
};
use diesel_async::AsyncConnection;
use juniper::{GraphQLInputObject, GraphQLObject};
use notices::notify::{self, Notice};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, Feature, TeamPermission},
    id::UserId,
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    own::{Own, limit_reached, record},
    rules,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&EXTENSION_ACCESS_GRANTS, &GRANT_EXTENSION_ACCESS, &REVOKE_EXTENSION_ACCESS];

/// Maximum number of grants of one extension.
const MAX_GRANTS: i64 = 100;

/// An account that may install an extension whatever its visibility.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ExtensionAccessGrant {
    /// Account.
    pub account_id: Uuid,
    /// Name of the account.
    pub account_name: String,
    /// Person who made the grant; null when the person is gone.
    pub granted_by: Option<Uuid>,
    /// Time of the grant.
    pub created_at: Timestamp,
}

/// Account that gets access.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "account_id": "0196b1a0-7c00-7000-8000-000000000001" }))]
pub struct GrantExtensionAccessInput {
    /// Account.
    pub account_id: Uuid,
}

pub static EXTENSION_ACCESS_GRANTS: Operation<SignedIn> =
    Operation::first_party("extensionAccessGrants", Grants::Nothing)
        .feature(Feature::ExtensionDevelopment)
        .in_team(&[TeamPermission::TeamExtensionsEdit]);

/// Lists the accounts with an access grant for one of the caller's extensions, the oldest grant first.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 for a key that does not carry `extension-dev:read`.
/// - 403 for a member of the extension's team without the permission.
/// - 404 when the caller has no such extension.
#[api_core::operation]
pub async fn extension_access_grants(cx: &Cx, id: Input<Uuid>) -> Result<Vec<ExtensionAccessGrant>> {
    let caller = cx.authorize(&EXTENSION_ACCESS_GRANTS).await?;
    let (mut own, ()) =
        Own::of(cx, &caller, &EXTENSION_ACCESS_GRANTS, AccountPermission::ExtensionDevRead, id, Ok(()))
            .await?;
    db::list(&mut own.connection, own.id).await
}

pub static GRANT_EXTENSION_ACCESS: Operation<SignedIn> =
    Operation::first_party("grantExtensionAccess", Grants::Extensions)
        .feature(Feature::ExtensionDevelopment)
        .in_team(&[TeamPermission::TeamExtensionsEdit])
        .idempotent();

/// Grants an account access to one of the caller's extensions.
///
/// The account may install the published version whatever the visibility. The account's owner is notified.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 for a key that does not carry `extension-dev:edit`.
/// - 403 `PLAN_LIMIT_REACHED` above 100 accounts.
/// - 403 for a member of the extension's team without the permission.
/// - 404 when the caller has no such extension, or there is no such account.
/// - 409 when the account has access already.
#[api_core::operation]
pub async fn grant_extension_access(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<GrantExtensionAccessInput>,
) -> Result<ExtensionAccessGrant> {
    let caller = cx.authorize(&GRANT_EXTENSION_ACCESS).await?;
    let (mut own, input) =
        Own::of(cx, &caller, &GRANT_EXTENSION_ACCESS, AccountPermission::ExtensionDevEdit, id, input).await?;
    let (account, now) = (input.account_id, cx.state().clock.now());
    let (connection, owner, id) = own.parts();
    connection
        .transaction(async |connection| {
            let extension = rules::db::find_locked(connection, owner, id).await?;
            let found = db::account(connection, account).await?;
            let (account_name, owner) = found.ok_or_else(|| ApiError::not_found("Account not found"))?;
            let is_full = db::count(connection, id).await? >= MAX_GRANTS;
            if !db::insert(connection, id, account, caller.user, now).await? {
                return Err(ApiError::conflict("The account has access already"));
            }
            if is_full {
                return Err(limit_reached("Access grant limit reached", MAX_GRANTS));
            }
            let notice = Notice::AccessGranted {
                extension_id: id,
                extension_name: &extension.name,
                account_id: account,
                account_name: &account_name,
            };
            notify::notify(connection, &[UserId(owner)], &notice, now).await?;
            let metadata = json!({ "account_id": account });
            record(cx, connection, "extension:access_granted", id, metadata).await?;
            db::find(connection, id, account).await?.ok_or_else(not_found)
        })
        .await
}

pub static REVOKE_EXTENSION_ACCESS: Operation<SignedIn> =
    Operation::first_party("revokeExtensionAccess", Grants::Extensions)
        .feature(Feature::ExtensionDevelopment)
        .in_team(&[TeamPermission::TeamExtensionsEdit]);

/// Revokes an account's access to one of the caller's extensions.
///
/// Nothing is uninstalled: an existing install keeps running.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 for a key that does not carry `extension-dev:edit`.
/// - 403 for a member of the extension's team without the permission.
/// - 404 when the caller has no such extension, or the account has no access.
#[api_core::operation]
pub async fn revoke_extension_access(cx: &Cx, id: Input<Uuid>, account_id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&REVOKE_EXTENSION_ACCESS).await?;
    let (mut own, account) =
        Own::of(cx, &caller, &REVOKE_EXTENSION_ACCESS, AccountPermission::ExtensionDevEdit, id, account_id)
            .await?;
    let (connection, owner, id) = own.parts();
    connection
        .transaction(async |connection| {
            rules::db::find_locked(connection, owner, id).await?;
            if !db::delete(connection, id, account).await? {
                return Err(not_found());
            }
            record(cx, connection, "extension:access_revoked", id, json!({ "account_id": account })).await
        })
        .await
}

fn not_found() -> ApiError {
    ApiError::not_found("Access grant not found")
}
