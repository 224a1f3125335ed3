//! Registration of a trigger node, as it is stored now.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use extension_model::install_runs;
use foundation::{db::Database, jobs::TriggerSource};
use serde_json::Value;
use shared::{
    Result,
    schema::{
        automation_trigger_registrations as registrations, automations, extension_installs as installs,
    },
};
use uuid::Uuid;

/// Registration of a trigger node.
#[derive(Debug, Clone, PartialEq, Queryable)]
pub struct Registration {
    /// Account of the automation.
    pub account_id: Uuid,
    /// Automation that the trigger starts.
    pub automation_id: Uuid,
    /// Install of the node.
    pub install_id: Uuid,
    /// Mode of the trigger: `webhook`, `polling` or `both`.
    pub mode: String,
    /// Configuration of the node in the automation.
    pub config: Value,
    /// State of the last call.
    pub state: Value,
    /// Time of the last change of the install.
    pub revision: DateTime<Utc>,
    /// True when automation and registration are enabled, and the install runs.
    pub is_on: bool,
}

impl Registration {
    /// True when the mode includes the source.
    pub fn listens_to(&self, source: &TriggerSource) -> bool {
        match source {
            TriggerSource::Poll => matches!(self.mode.as_str(), "polling" | "both"),
            TriggerSource::Webhook { .. } => matches!(self.mode.as_str(), "webhook" | "both"),
        }
    }
}

/// Returns the registration; `None` when it is gone.
///
/// # Errors
/// Failures of the database.
pub async fn read(database: &Database, id: Uuid) -> Result<Option<Registration>> {
    let is_on = registrations::enabled.and(automations::enabled).and(install_runs());
    Ok(registrations::table
        .inner_join(automations::table)
        .inner_join(installs::table)
        .filter(registrations::id.eq(id).and(installs::account_id.eq(registrations::account_id)))
        .select((
            registrations::account_id,
            registrations::automation_id,
            registrations::install_id,
            registrations::mode,
            registrations::config,
            registrations::state,
            installs::updated_at,
            is_on,
        ))
        .first(&mut *database.get().await?)
        .await
        .optional()?)
}
