//! A trigger node as it stands.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use serde_json::Value;
use shared::{
    Result,
    db::{
        Database,
        schema::{
            automation_trigger_registrations as registrations, automations, extension_installs as installs,
        },
    },
    extensions::install_runs,
    jobs::TriggerSource,
};
use uuid::Uuid;

/// A trigger node.
#[derive(Debug, Clone, PartialEq, Queryable)]
pub struct Registration {
    pub account_id: Uuid,
    pub automation_id: Uuid,
    pub install_id: Uuid,
    pub mode: String,
    pub config: Value,
    pub state: Value,
    /// When the install was last changed.
    pub revision: DateTime<Utc>,
    /// Whether automation and registration are switched on, and the install runs.
    pub is_on: bool,
}

impl Registration {
    pub fn listens_to(&self, source: &TriggerSource) -> bool {
        match source {
            TriggerSource::Poll => matches!(self.mode.as_str(), "polling" | "both"),
            TriggerSource::Webhook { .. } => matches!(self.mode.as_str(), "webhook" | "both"),
        }
    }
}

/// The trigger node; `None` when it is gone.
///
/// # Errors
/// When the database fails.
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
