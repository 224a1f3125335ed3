//! Data and functions of installs, for REST, GraphQL and the socket's `call` frame alike: the shared storage
//! of an install, and calls of its server functions (reference/extensions.md#server-functions).

mod caller;
mod functions;
mod storage;
mod waiting;

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use shared::{
    id::AccountId,
    schema::{extension_installs, extension_versions, extensions},
};
use uuid::Uuid;

pub use caller::{FunctionCaller, Surface};
pub use functions::call_function;
pub use storage::{ExtensionStorage, StorageChange, set_storage, storage_of};
pub use waiting::FunctionCalls;

use api_core::{ApiError, Result, access::DatabaseAccess};

/// An install with the declarations of its version.
#[derive(Debug, Clone, Queryable)]
pub struct Installed {
    /// Id of the install.
    pub id: Uuid,
    /// Account of the install.
    pub account_id: Uuid,
    /// Extension of the install.
    pub extension_id: Uuid,
    enabled: bool,
    killed_at: Option<chrono::DateTime<chrono::Utc>>,
    updated_at: chrono::DateTime<chrono::Utc>,
    extension_status: String,
    version_status: String,
    manifest: Value,
}

impl Installed {
    /// Finds an install of an account.
    ///
    /// # Errors
    /// 404 for an install that the account does not have.
    pub async fn find(caller: &impl DatabaseAccess, account: AccountId, id: Uuid) -> Result<Self> {
        let mut connection = caller.db().await?;
        installed(&mut connection, account, id).await?.ok_or_else(not_found)
    }

    /// True when its code may run (reference/extensions.md#effective-state).
    #[must_use]
    pub fn runs(&self) -> bool {
        self.enabled
            && self.killed_at.is_none()
            && self.extension_status != "suspended"
            && !matches!(self.version_status.as_str(), "rejected" | "revoked" | "draft")
    }

    /// Surfaces for which the version has code.
    #[must_use]
    pub fn targets(&self) -> Vec<String> {
        let targets = self.manifest["targets"].as_array().into_iter().flatten();
        targets.filter_map(|target| target.as_str().map(str::to_owned)).collect()
    }
}

async fn installed(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<Installed>> {
    Ok(extension_installs::table
        .inner_join(extensions::table)
        .inner_join(extension_versions::table.on(extension_versions::id.eq(extension_installs::version_id)))
        .filter(extension_installs::account_id.eq(account).and(extension_installs::id.eq(id)))
        .select((
            extension_installs::id,
            extension_installs::account_id,
            extension_installs::extension_id,
            extension_installs::enabled,
            extension_installs::killed_at,
            extension_installs::updated_at,
            extensions::status,
            extension_versions::status,
            extension_versions::manifest,
        ))
        .first(connection)
        .await
        .optional()?)
}

fn not_found() -> ApiError {
    ApiError::not_found("Extension install not found")
}
