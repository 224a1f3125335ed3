//! What the pages and the owners of an extension do with its data and functions (specification C B4), over REST,
//! GraphQL and the socket's `call` frame (C §11.2) alike: the shared storage of an install, and calls of its server
//! functions.

mod caller;
mod functions;
mod storage;
mod waiting;

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use shared::{
    db::schema::{extension_installs, extension_versions, extensions},
    id::AccountId,
};
use uuid::Uuid;

pub use caller::{FunctionCaller, Surface};
pub use functions::call_function;
pub use storage::{ExtensionStorage, StorageChange, set_storage, storage_of};
pub use waiting::FunctionCalls;

use crate::{ApiError, Result, State};

/// An install with what its version declares.
#[derive(Debug, Clone, Queryable)]
pub struct Installed {
    pub id: Uuid,
    pub account_id: Uuid,
    pub extension_id: Uuid,
    enabled: bool,
    killed_at: Option<chrono::DateTime<chrono::Utc>>,
    updated_at: chrono::DateTime<chrono::Utc>,
    extension_status: String,
    version_status: String,
    manifest: Value,
}

impl Installed {
    /// An install of an account.
    ///
    /// # Errors
    /// 404 when the account has no such install.
    pub async fn find(state: &State, account: AccountId, id: Uuid) -> Result<Self> {
        let mut connection = state.databases.postgres.get().await?;
        installed(&mut connection, account, id).await?.ok_or_else(not_found)
    }

    /// Whether its code may run.
    #[must_use]
    pub fn runs(&self) -> bool {
        self.enabled
            && self.killed_at.is_none()
            && self.extension_status != "suspended"
            && !matches!(self.version_status.as_str(), "rejected" | "revoked" | "draft")
    }

    /// The surfaces that the version has code for.
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
