//! The shared storage of an install (specification C B4).

pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AccountCaller, AnyOperation, Grants},
    extension_data::{ExtensionStorage, FunctionCaller, StorageChange, set_storage, storage_of},
    graphql::{Int64, Json},
};
use juniper::GraphQLInputObject;
use serde::Deserialize;
use shared::catalogue::{AccountPermission, Feature};
use utoipa::ToSchema;
use uuid::Uuid;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&EXTENSION_STORAGE, &SET_EXTENSION_STORAGE, &SET_EXTENSION_STORAGE_BY_POST];

/// A new content of the storage.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
#[schema(example = json!({ "value": { "theme": "dark" }, "version": 3 }))]
pub struct SetExtensionStorageInput {
    /// An object of at most 1,000 keys with at most 64 KB each; replaces everything that was there.
    #[schema(value_type = Object)]
    pub value: Json,
    /// The version that it replaces; another one is answered 409. Over REST also as `If-Match`.
    #[schema(value_type = Option<i64>, extensions(("minimum" = json!(0)), ("maximum" = json!(i64::MAX))))]
    pub version: Option<Int64>,
}

/// The shared storage of an install.
pub static EXTENSION_STORAGE: Operation<AccountCaller> =
    Operation::account("extensionStorage", AccountPermission::ExtensionDataRead, Grants::Nothing)
        .feature(Feature::Extensions);

/// Reads the shared storage of an install.
///
/// # Errors
/// As the rule; 404 when the account has no such install.
pub async fn extension_storage(cx: &Cx, id: Input<Uuid>) -> Result<ExtensionStorage> {
    let caller = cx.authorize(&EXTENSION_STORAGE).await?;
    storage_of(cx.state(), caller.account, id?).await
}

/// Replaces the shared storage of an install.
pub static SET_EXTENSION_STORAGE: Operation<AccountCaller> =
    Operation::account("setExtensionStorage", AccountPermission::ExtensionDataEdit, Grants::Nothing)
        .feature(Feature::Extensions);

/// Replaces the shared storage of an install and tells its pages.
///
/// # Errors
/// As the rule; 400 that names the key; 404 when the account has no such install; 409 when another version stands.
pub async fn set_extension_storage(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<SetExtensionStorageInput>,
) -> Result<ExtensionStorage> {
    cx.authorize(&SET_EXTENSION_STORAGE).await?;
    replace(cx, id, input).await
}

/// Replaces the shared storage of an install, for clients that have POST only (C B4).
pub static SET_EXTENSION_STORAGE_BY_POST: Operation<AccountCaller> =
    Operation::account("setExtensionStorageByPost", AccountPermission::ExtensionDataEdit, Grants::Nothing)
        .feature(Feature::Extensions)
        .rest_only();

/// The same as [`set_extension_storage`].
///
/// # Errors
/// As there.
pub async fn set_extension_storage_by_post(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<SetExtensionStorageInput>,
) -> Result<ExtensionStorage> {
    cx.authorize(&SET_EXTENSION_STORAGE_BY_POST).await?;
    replace(cx, id, input).await
}

async fn replace(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<SetExtensionStorageInput>,
) -> Result<ExtensionStorage> {
    let (id, input) = (id?, input?);
    let change = StorageChange { value: input.value.0, if_version: input.version.map(|version| version.0) };
    set_storage(cx.state(), &caller_of(cx).await?, id, change).await
}

/// The caller as the extension sees it.
pub(crate) async fn caller_of(cx: &Cx) -> Result<FunctionCaller> {
    FunctionCaller::of(cx)
        .await?
        .ok_or_else(|| ApiError::internal("a rule admitted a caller without an account"))
}
