//! Data and functions of installs, for REST, GraphQL and the socket's `call` frame alike: the shared storage
//! of an install, and calls of its server functions (reference/extensions.md#server-functions).

mod caller;
mod functions;
mod storage;

use std::time::Duration;

use diesel::{
    dsl::sql,
    prelude::*,
    sql_types::{Nullable, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use extension_model::limits::LimitKey;
use serde_json::Value;
use shared::{
    id::AccountId,
    schema::{developer_limits, extension_installs, extension_limits, extension_versions, extensions},
};
use uuid::Uuid;

pub use caller::{FunctionCaller, Surface};
pub use extension_model::calls::FunctionCalls;
pub use functions::call_function;
pub use storage::{ExtensionStorage, StorageChange, set_storage, storage_of};

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
    /// Override of the extension for the time of a function, in milliseconds.
    own_timeout: Option<i64>,
    /// Override of its developer.
    developer_timeout: Option<i64>,
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

    /// Maximum time of a function.
    #[must_use]
    pub fn function_timeout(&self) -> Duration {
        let millis = self.own_timeout.or(self.developer_timeout);
        let millis = millis.unwrap_or(LimitKey::FunctionTimeoutMs.default_value());
        Duration::from_millis(millis.try_into().unwrap_or(0))
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
    let key = LimitKey::FunctionTimeoutMs.as_str();
    let own = extension_limits::extension_id.eq(extensions::id).and(extension_limits::limit_key.eq(key));
    let of_developer = developer_limits::developer_id
        .nullable()
        .eq(sql::<Nullable<SqlUuid>>(
            "coalesce(extensions.owner_developer_id, (SELECT profiles.id FROM developer_profiles AS profiles
              JOIN developer_teams AS teams ON teams.owner_id = profiles.user_id
              WHERE teams.id = extensions.owner_team_id))",
        ))
        .and(developer_limits::limit_key.eq(key));
    Ok(extension_installs::table
        .inner_join(extensions::table)
        .inner_join(extension_versions::table.on(extension_versions::id.eq(extension_installs::version_id)))
        .left_join(extension_limits::table.on(own))
        .left_join(developer_limits::table.on(of_developer))
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
            extension_limits::value.nullable(),
            developer_limits::value.nullable(),
        ))
        .first(connection)
        .await
        .optional()?)
}

fn not_found() -> ApiError {
    ApiError::not_found("Extension install not found")
}
