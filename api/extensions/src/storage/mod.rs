//! Shared storage of an install (reference/extensions.md#shared-storage).

pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AccountCaller, AnyOperation, Grants},
    graphql::{Int64, Json},
};
use extension_calls::{ExtensionStorage, FunctionCaller, StorageChange, set_storage, storage_of};
use juniper::GraphQLInputObject;
use serde::Deserialize;
use shared::catalogue::{AccountPermission, Feature};
use utoipa::ToSchema;
use uuid::Uuid;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&EXTENSION_STORAGE, &SET_EXTENSION_STORAGE, &SET_EXTENSION_STORAGE_BY_POST];

/// New content of the storage.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
#[schema(example = json!({ "value": { "theme": "dark" }, "version": 3 }))]
pub struct SetExtensionStorageInput {
    /// An object of at most 1,000 keys with at most 64 KB each; replaces the whole content.
    #[schema(value_type = Object)]
    pub value: Json,
    /// Version that it replaces; any other present version is 409. Over REST also as `If-Match`.
    #[schema(value_type = Option<i64>, extensions(("minimum" = json!(0)), ("maximum" = json!(i64::MAX))))]
    pub version: Option<Int64>,
}

pub static EXTENSION_STORAGE: Operation<AccountCaller> =
    Operation::account("extensionStorage", AccountPermission::ExtensionDataRead, Grants::Nothing)
        .feature(Feature::Extensions);

/// Returns the shared storage of an install.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404 when the account has no such install.
#[api_core::operation]
pub async fn extension_storage(cx: &Cx, id: Input<Uuid>) -> Result<ExtensionStorage> {
    let caller = cx.authorize(&EXTENSION_STORAGE).await?;
    storage_of(&caller, id?).await
}

pub static SET_EXTENSION_STORAGE: Operation<AccountCaller> =
    Operation::account("setExtensionStorage", AccountPermission::ExtensionDataEdit, Grants::Nothing)
        .feature(Feature::Extensions);

/// Replaces the shared storage of an install.
///
/// The whole content is replaced and the version grows. With `version`, the content is replaced only
/// if that version is present. The pages of the install get `storage:updated`.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 that names the invalid key.
/// - 404 when the account has no such install.
/// - 409 when another version is present; `details.version` names it.
#[api_core::operation]
pub async fn set_extension_storage(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<SetExtensionStorageInput>,
) -> Result<ExtensionStorage> {
    let caller = cx.authorize(&SET_EXTENSION_STORAGE).await?;
    replace(cx, &caller, id, input).await
}

pub static SET_EXTENSION_STORAGE_BY_POST: Operation<AccountCaller> =
    Operation::account("setExtensionStorageByPost", AccountPermission::ExtensionDataEdit, Grants::Nothing)
        .feature(Feature::Extensions)
        .rest_only()
        .idempotent();

/// Replaces the shared storage of an install, for clients that can send POST only.
///
/// The effects are those of the PUT request at the same address.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 that names the invalid key.
/// - 404 when the account has no such install.
/// - 409 when another version is present; `details.version` names it.
#[api_core::operation]
pub async fn set_extension_storage_by_post(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<SetExtensionStorageInput>,
) -> Result<ExtensionStorage> {
    let caller = cx.authorize(&SET_EXTENSION_STORAGE_BY_POST).await?;
    replace(cx, &caller, id, input).await
}

async fn replace(
    cx: &Cx,
    caller: &AccountCaller,
    id: Input<Uuid>,
    input: Input<SetExtensionStorageInput>,
) -> Result<ExtensionStorage> {
    let (id, input) = (id?, input?);
    let change = StorageChange { value: input.value.0, if_version: input.version.map(|version| version.0) };
    set_storage(cx, caller, &caller_of(cx).await?, id, change).await
}

/// Caller in the form that the extension sees.
pub(crate) async fn caller_of(cx: &Cx) -> Result<FunctionCaller> {
    FunctionCaller::of(cx)
        .await?
        .ok_or_else(|| ApiError::internal("a rule admitted a caller without an account"))
}
