//! Queries over installs, and the rows that limit an action to one execution.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use extension_model::actions::ActionKind;
use foundation::db::{Prepare, without_waiting};
use serde_json::Value;
use shared::schema::{extension_actions, extension_installs, extension_versions, extensions};
use uuid::Uuid;

use super::Refusal;

/// Install with the declarations of its version.
#[derive(Debug, Clone, Queryable)]
pub(super) struct Install {
    /// Id of the install.
    pub id: Uuid,
    /// Account that installed it.
    pub account_id: Uuid,
    enabled: bool,
    killed_at: Option<DateTime<Utc>>,
    granted_permissions: Vec<String>,
    /// Permissions that the manifest of the version declares.
    declared_permissions: Option<Value>,
    version_status: String,
    extension_status: String,
}

/// Row of an action.
#[derive(Debug, Clone, Queryable, Selectable)]
#[diesel(table_name = extension_actions)]
pub(super) struct StoredAction {
    /// Name of the action.
    pub action: String,
    /// Stored result; null until the action has ended.
    pub result: Option<Value>,
    /// Time of the claim.
    pub created_at: DateTime<Utc>,
}

impl Install {
    /// True when its code may run. Actions of a stopped install are not executed.
    pub fn is_active(&self) -> bool {
        self.enabled
            && self.killed_at.is_none()
            && self.extension_status != "suspended"
            && !matches!(self.version_status.as_str(), "rejected" | "revoked" | "draft")
    }

    /// Checks that the manifest declares and the account grants every permission that the action needs.
    pub fn must_declare(&self, kind: ActionKind) -> Result<(), Refusal> {
        let declared = |needed: &str| {
            let in_manifest = self
                .declared_permissions
                .as_ref()
                .and_then(Value::as_array)
                .is_some_and(|permissions| permissions.iter().any(|text| text.as_str() == Some(needed)));
            in_manifest && self.granted_permissions.iter().any(|granted| granted == needed)
        };
        kind.check(declared)
    }
}

pub(super) async fn install(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<Install>> {
    let version = extension_versions::table.on(extension_versions::id.eq(extension_installs::version_id));
    Ok(extension_installs::table
        .inner_join(extensions::table)
        .inner_join(version)
        .filter(extension_installs::id.eq(id))
        .select((
            extension_installs::id,
            extension_installs::account_id,
            extension_installs::enabled,
            extension_installs::killed_at,
            extension_installs::granted_permissions,
            // The manifest may be long, and only workers need the rest of it.
            extension_versions::manifest.retrieve_as_object("permissions").nullable(),
            extension_versions::status,
            extensions::status,
        ))
        .first(connection)
        .await
        .optional()?)
}

/// Writes the row of an action before it is executed; `false` when the row exists.
pub(super) async fn begin(
    connection: &mut AsyncPgConnection,
    install: &Install,
    invocation_id: &str,
    action: &str,
    now: DateTime<Utc>,
) -> Result<bool> {
    let inserted = insert_into(extension_actions::table)
        .values((
            extension_actions::install_id.eq(install.id),
            extension_actions::invocation_id.eq(invocation_id),
            extension_actions::account_id.eq(install.account_id),
            extension_actions::action.eq(action),
            extension_actions::created_at.eq(now),
        ))
        .on_conflict_do_nothing()
        .execute(connection)
        .await?;
    Ok(inserted == 1)
}

pub(super) async fn stored(
    connection: &mut AsyncPgConnection,
    install: &Install,
    invocation_id: &str,
) -> Result<Option<StoredAction>> {
    Ok(extension_actions::table
        .find((install.id, invocation_id))
        .filter(extension_actions::account_id.eq(install.account_id))
        .select(StoredAction::as_select())
        .first(connection)
        .await
        .optional()?)
}

/// Stores the outcome of an action. When that is lost, a repeated call returns that the outcome is unknown.
pub(super) async fn finish(
    connection: &mut AsyncPgConnection,
    install: &Install,
    invocation_id: &str,
    result: &Value,
) -> Result<()> {
    diesel::update(extension_actions::table.find((install.id, invocation_id)))
        .filter(extension_actions::account_id.eq(install.account_id).and(without_waiting()))
        .set(extension_actions::result.eq(result))
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

/// Deletes a row without a result.
pub(super) async fn release(
    connection: &mut AsyncPgConnection,
    install: &Install,
    invocation_id: &str,
) -> Result<()> {
    let unfinished = extension_actions::table.find((install.id, invocation_id)).filter(
        extension_actions::account_id.eq(install.account_id).and(extension_actions::result.is_null()),
    );
    diesel::delete(unfinished).execute(connection).await?;
    Ok(())
}
