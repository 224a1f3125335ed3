//! What a credential may do, and the tokens that popouts are given (specification A §4.2; C §2.2, §12.1).

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

pub use popout_tokens::{
    CREATE_POPOUT_TOKEN, CreatePopoutTokenInput, CreatePopoutTokenResult, DELETE_POPOUT_TOKEN, POPOUT_TOKEN,
    POPOUT_TOKENS, PopoutToken, PopoutTokenChanges, UPDATE_POPOUT_TOKEN, create_popout_token,
    delete_popout_token, popout_token, popout_tokens, update_popout_token,
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

/// A credential and what it may do.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct TokenPermissions {
    /// `session`, `user_api_key`, `service_key` or `popout`.
    pub token_type: String,
    /// The account that the credential acts in.
    pub account_id: Option<Uuid>,
    /// Sorted, each by name: wildcards are resolved.
    pub permissions: Vec<String>,
}

/// What the caller's credential may do.
pub static MY_PERMISSIONS: Operation<Authenticated> =
    Operation::authenticated("myPermissions", Grants::Nothing);

/// What the caller's credential may do now: the account permissions and the platform-wide ones. A scoped credential
/// has those of its scopes that its person still holds.
///
/// # Errors
/// As the rule.
pub async fn my_permissions(cx: &Cx) -> Result<TokenPermissions> {
    let caller = cx.authorize(&MY_PERMISSIONS).await?;
    let mut permissions = cx.account_permissions().await?.to_strings();
    permissions.extend(cx.user_permissions().await?.to_strings());
    permissions.sort_unstable();
    Ok(TokenPermissions {
        token_type: cx.principal().kind().to_owned(),
        account_id: caller.account.map(|account| account.0),
        permissions,
    })
}
