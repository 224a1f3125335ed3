//! Permissions of the credential (reference/permissions.md#own-permissions) and tokens of popouts.

mod db;
pub mod graphql;
mod popout_tokens;
pub mod rest;

use api_core::{
    Cx, Operation, Result,
    access::{AnyOperation, Authenticated, Grants},
};
use juniper::GraphQLObject;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

pub use db::PopoutToken;
pub use popout_tokens::{
    CREATE_POPOUT_TOKEN, CreatePopoutTokenInput, CreatePopoutTokenResult, DELETE_POPOUT_TOKEN, POPOUT_TOKEN,
    POPOUT_TOKENS, PopoutTokenChanges, UPDATE_POPOUT_TOKEN, create_popout_token, delete_popout_token,
    popout_token, popout_tokens, update_popout_token,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &MY_PERMISSIONS,
    &POPOUT_TOKENS,
    &CREATE_POPOUT_TOKEN,
    &POPOUT_TOKEN,
    &UPDATE_POPOUT_TOKEN,
    &DELETE_POPOUT_TOKEN,
];

/// A credential and its permissions.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct TokenPermissions {
    /// Kind of the credential: `session`, `user_api_key`, `service_key` or `popout`.
    pub token_type: String,
    /// Account that the credential acts in; null when it acts in none.
    pub account_id: Option<Uuid>,
    /// Permissions by name, sorted. Wildcards are expanded.
    pub permissions: Vec<String>,
}

pub static MY_PERMISSIONS: Operation<Authenticated> =
    Operation::authenticated("myPermissions", Grants::Nothing);

/// Returns the kind, account and present permissions of the caller's credential.
///
/// The list has the permissions in the account and the platform-wide ones. A credential with scopes has those
/// of its scopes that its person still holds.
///
/// # Errors
/// - 401 or 403 by the access rule.
#[api_core::operation]
pub async fn my_permissions(cx: &Cx) -> Result<TokenPermissions> {
    let caller = cx.authorize(&MY_PERMISSIONS).await?;
    let mut permissions = cx.account_permissions().await?.to_strings();
    permissions.extend(cx.user_permissions().await?.to_strings());
    permissions.sort_unstable();
    Ok(TokenPermissions {
        token_type: cx.principal().kind().to_owned(),
        account_id: caller.account.map(|account| account.uuid()),
        permissions,
    })
}
