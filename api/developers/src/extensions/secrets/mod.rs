//! Secrets of an extension of one's own on the main API: the rules are those of the developer API.

pub mod graphql;
pub mod rest;

use api_core::{
    Cx, Input, Operation, Result,
    access::{AccountCaller, AnyOperation, Grants},
    http::Success,
};
use juniper::GraphQLInputObject;
use serde::Deserialize;
use shared::{catalogue::AccountPermission, secret::Secret};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    developer_api::secrets::{self as rules, SecretValue},
    profile,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&EXTENSION_SECRET_KEYS, &SET_EXTENSION_SECRET, &DELETE_EXTENSION_SECRET];

/// The value of a secret.
#[derive(Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "value": "correct horse battery staple" }))]
pub struct SetExtensionSecretInput {
    /// 1 byte to 64 KiB. It is never answered again.
    #[schema(extensions(("maxLength" = json!(rules::MAX_VALUE_BYTES))))]
    pub value: String,
}

impl std::fmt::Debug for SetExtensionSecretInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SetExtensionSecretInput(***)")
    }
}

/// The names of an extension's secrets.
pub static EXTENSION_SECRET_KEYS: Operation<AccountCaller> =
    Operation::account("extensionSecretKeys", AccountPermission::ExtensionDevRead, Grants::Nothing);

/// Lists the names of the secrets of an extension of the caller's own.
///
/// # Errors
/// As the rule; 404 when the caller has no such extension.
pub async fn extension_secret_keys(cx: &Cx, id: Input<Uuid>) -> Result<Vec<String>> {
    let caller = cx.authorize(&EXTENSION_SECRET_KEYS).await?;
    let id = id?;
    let mut connection = caller.db().await?;
    let profile = profile::owner(&mut connection, cx.person()?).await?;
    Ok(rules::keys(&mut connection, &profile, id).await?.keys)
}

/// Sets a secret.
pub static SET_EXTENSION_SECRET: Operation<AccountCaller> =
    Operation::account("setExtensionSecret", AccountPermission::ExtensionDevEdit, Grants::Nothing);

/// Sets a secret of an extension of the caller's own, or replaces it.
///
/// # Errors
/// As the rule; 404 when the caller has no such extension; 400 for a key or value out of bounds; 403
/// `PLAN_LIMIT_REACHED` beyond 20 secrets.
pub async fn set_extension_secret(
    cx: &Cx,
    id: Input<Uuid>,
    key: &str,
    input: Input<SetExtensionSecretInput>,
) -> Result<Success> {
    let caller = cx.authorize(&SET_EXTENSION_SECRET).await?;
    let (id, value) = (id?, SecretValue(Secret::new(input?.value)));
    let mut connection = caller.db().await?;
    let profile = profile::owner(&mut connection, cx.person()?).await?;
    rules::set(cx, &mut connection, &profile, id, key, value).await?;
    Ok(Success::DONE)
}

/// Deletes a secret.
pub static DELETE_EXTENSION_SECRET: Operation<AccountCaller> =
    Operation::account("deleteExtensionSecret", AccountPermission::ExtensionDevEdit, Grants::Nothing);

/// Deletes a secret of an extension of the caller's own.
///
/// # Errors
/// As the rule; 404 when the caller has no such extension or the extension no such secret.
pub async fn delete_extension_secret(cx: &Cx, id: Input<Uuid>, key: &str) -> Result<()> {
    let caller = cx.authorize(&DELETE_EXTENSION_SECRET).await?;
    let id = id?;
    let mut connection = caller.db().await?;
    let profile = profile::owner(&mut connection, cx.person()?).await?;
    Ok(rules::delete(cx, &mut connection, &profile, id, key).await?)
}
