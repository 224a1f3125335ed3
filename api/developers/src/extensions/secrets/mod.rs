//! Secrets of the caller's extensions on the main API, by the rules of the developer API
//! (reference/developers.md#secrets).

pub mod graphql;
pub mod rest;

use api_core::{
    Cx, Input, Operation, Result,
    access::{AccountCaller, AnyOperation, Grants},
    http::Success,
};
use developer_access::extensions::owner;
use juniper::GraphQLInputObject;
use serde::Deserialize;
use shared::{
    catalogue::{AccountPermission, TeamPermission},
    secret::Secret,
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::developer_api::secrets::{self as rules, SecretValue};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&EXTENSION_SECRET_KEYS, &SET_EXTENSION_SECRET, &DELETE_EXTENSION_SECRET];

/// Value of a secret.
#[derive(Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "value": "correct horse battery staple" }))]
pub struct SetExtensionSecretInput {
    /// 1 byte to 64 KiB. The value is never returned.
    #[schema(extensions(("maxLength" = json!(rules::MAX_VALUE_BYTES))))]
    pub value: String,
}

impl std::fmt::Debug for SetExtensionSecretInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SetExtensionSecretInput(***)")
    }
}

pub static EXTENSION_SECRET_KEYS: Operation<AccountCaller> =
    Operation::account("extensionSecretKeys", AccountPermission::ExtensionDevRead, Grants::Nothing)
        .in_team(&[TeamPermission::TeamSecretsRead]);

/// Lists the names of the secrets of one of the caller's extensions.
///
/// Values are never returned.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 for a member of the extension's team without the permission.
/// - 404 when the caller has no such extension.
#[api_core::operation]
pub async fn extension_secret_keys(cx: &Cx, id: Input<Uuid>) -> Result<Vec<String>> {
    let caller = cx.authorize(&EXTENSION_SECRET_KEYS).await?;
    let id = id?;
    let mut connection = caller.db().await?;
    let owner = owner(&mut connection, &EXTENSION_SECRET_KEYS, cx.person()?, id).await?;
    Ok(rules::keys(&mut connection, &owner, id).await?.keys)
}

pub static SET_EXTENSION_SECRET: Operation<AccountCaller> =
    Operation::account("setExtensionSecret", AccountPermission::ExtensionDevEdit, Grants::Nothing)
        .in_team(&[TeamPermission::TeamSecretsEdit]);

/// Sets a secret of one of the caller's extensions, or replaces it.
///
/// The value is encrypted and never returned. Handlers read it.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for a key or value out of bounds.
/// - 403 `PLAN_LIMIT_REACHED` above 20 secrets.
/// - 403 for a member of the extension's team without the permission.
/// - 404 when the caller has no such extension.
#[api_core::operation]
pub async fn set_extension_secret(
    cx: &Cx,
    id: Input<Uuid>,
    key: &str,
    input: Input<SetExtensionSecretInput>,
) -> Result<Success> {
    let caller = cx.authorize(&SET_EXTENSION_SECRET).await?;
    let (id, value) = (id?, SecretValue(Secret::new(input?.value)));
    let mut connection = caller.db().await?;
    let owner = owner(&mut connection, &SET_EXTENSION_SECRET, cx.person()?, id).await?;
    rules::set(cx, &mut connection, &owner, id, key, value).await?;
    Ok(Success::DONE)
}

pub static DELETE_EXTENSION_SECRET: Operation<AccountCaller> =
    Operation::account("deleteExtensionSecret", AccountPermission::ExtensionDevEdit, Grants::Nothing)
        .in_team(&[TeamPermission::TeamSecretsEdit]);

/// Deletes a secret of one of the caller's extensions.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 for a member of the extension's team without the permission.
/// - 404 when the caller has no such extension, or the extension has no such secret.
#[api_core::operation]
pub async fn delete_extension_secret(cx: &Cx, id: Input<Uuid>, key: &str) -> Result<()> {
    let caller = cx.authorize(&DELETE_EXTENSION_SECRET).await?;
    let id = id?;
    let mut connection = caller.db().await?;
    let owner = owner(&mut connection, &DELETE_EXTENSION_SECRET, cx.person()?, id).await?;
    Ok(rules::delete(cx, &mut connection, &owner, id, key).await?)
}
