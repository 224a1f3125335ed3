//! Accounts that may install a private extension of one's own (specification C B1.4).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AnyOperation, Grants, SignedIn},
};
use diesel_async::AsyncConnection;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, Feature},
    id::{AccountId, UserId},
    notify::{self, Notice},
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

/// Grants of one extension.
const MAX_GRANTS: i64 = 100;

/// An account that may install an extension whatever its visibility.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ExtensionAccessGrant {
    pub account_id: Uuid,
    pub account_name: String,
    /// Null when the person is gone.
    pub granted_by: Option<Uuid>,
    pub created_at: Timestamp,
}

/// Which account is to have access.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "account_id": "0196b1a0-7c00-7000-8000-000000000001" }))]
pub struct GrantExtensionAccessInput {
    pub account_id: Uuid,
}

/// Who may install an extension.
pub static EXTENSION_ACCESS_GRANTS: Operation<SignedIn> =
    Operation::first_party("extensionAccessGrants", Grants::Nothing).feature(Feature::ExtensionDevelopment);

/// Lists the accounts that may install an extension of the caller's own, the first granted first.
///
/// # Errors
/// As the rule; 404 when the caller has no such extension.
pub async fn extension_access_grants(cx: &Cx, id: Input<Uuid>) -> Result<Vec<ExtensionAccessGrant>> {
    let caller = cx.authorize(&EXTENSION_ACCESS_GRANTS).await?;
    let (mut own, ()) = Own::of(cx, &caller, AccountPermission::ExtensionDevRead, id, Ok(())).await?;
    own.exists().await?;
    db::list(&mut own.connection, own.id).await
}

/// Lets an account install an extension.
pub static GRANT_EXTENSION_ACCESS: Operation<SignedIn> =
    Operation::first_party("grantExtensionAccess", Grants::Extensions).feature(Feature::ExtensionDevelopment);

/// Lets an account install an extension of the caller's own; the account's owner is told.
///
/// # Errors
/// As the rule; 404 when the caller has no such extension or there is no such account; 409 when it has access; 403
/// `PLAN_LIMIT_REACHED` beyond 100 accounts.
pub async fn grant_extension_access(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<GrantExtensionAccessInput>,
) -> Result<ExtensionAccessGrant> {
    let caller = cx.authorize(&GRANT_EXTENSION_ACCESS).await?;
    let (mut own, input) = Own::of(cx, &caller, AccountPermission::ExtensionDevEdit, id, input).await?;
    let (account, now) = (AccountId(input.account_id), cx.state().clock.now());
    let (connection, developer, id) = own.parts();
    connection
        .transaction(async |connection| {
            let extension = rules::db::find_locked(connection, developer, id).await?;
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
                account_id: account.0,
                account_name: &account_name,
            };
            notify::notify(connection, &[UserId(owner)], &notice, now).await?;
            let metadata = json!({ "account_id": account });
            record(cx, connection, "extension:access_granted", id, metadata).await?;
            db::find(connection, id, account).await?.ok_or_else(not_found)
        })
        .await
}

/// Takes an account's access back.
pub static REVOKE_EXTENSION_ACCESS: Operation<SignedIn> =
    Operation::first_party("revokeExtensionAccess", Grants::Extensions)
        .feature(Feature::ExtensionDevelopment);

/// Takes an account's access to an extension of the caller's own back. What it has installed keeps running.
///
/// # Errors
/// As the rule; 404 when the caller has no such extension or the account no access.
pub async fn revoke_extension_access(cx: &Cx, id: Input<Uuid>, account_id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&REVOKE_EXTENSION_ACCESS).await?;
    let (mut own, account) =
        Own::of(cx, &caller, AccountPermission::ExtensionDevEdit, id, account_id.map(AccountId)).await?;
    let (connection, developer, id) = own.parts();
    connection
        .transaction(async |connection| {
            rules::db::find_locked(connection, developer, id).await?;
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
