//! Notifications of developers about paused triggers of an install (reference/handlers.md#circuit-breaker).

use api_core::{Cx, Result, access::System};
use chrono::TimeDelta;
use diesel::prelude::*;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use extension_model::{
    developers,
    feeds::{CIRCUIT_COOLDOWN, CIRCUIT_OPEN, ErrorRecord, TelemetryBatch},
};
use notices::notify::{self, Notice};
use shared::schema::timeseries::extension_errors;
use uuid::Uuid;

use super::db::Installs;

/// Records of opened circuit breakers that were not reported before: a batch may be sent again.
pub(super) async fn newly_opened(
    connection: &mut AsyncPgConnection,
    batch: &TelemetryBatch,
) -> Result<Vec<ErrorRecord>> {
    let mut opened: Vec<ErrorRecord> =
        batch.errors.iter().filter(|record| record.error_type == CIRCUIT_OPEN).cloned().collect();
    let Some(earliest) = opened.iter().map(|record| record.occurred_at).min() else { return Ok(opened) };
    let known: Vec<Uuid> = extension_errors::table
        .filter(extension_errors::id.eq_any(opened.iter().map(|record| record.id)))
        // Excludes the partitions of other days.
        .filter(extension_errors::occurred_at.ge(earliest))
        .select(extension_errors::id)
        .load(connection)
        .await?;
    opened.retain(|record| !known.contains(&record.id));
    Ok(opened)
}

/// Notifies the developers. The records are stored already, so that a failure is only logged.
pub(super) async fn report_opened(cx: &Cx, system: &System, opened: &[ErrorRecord], installs: &Installs) {
    for record in opened {
        let Some((extension, _)) = installs.get(&record.install_id) else { continue };
        if let Err(error) = notify_developers(cx, system, record, *extension).await {
            tracing::warn!(install_id = %record.install_id, %error, "a developer was not notified of a paused install");
        }
    }
}

async fn notify_developers(cx: &Cx, system: &System, record: &ErrorRecord, extension: Uuid) -> Result<()> {
    let until = record.occurred_at + TimeDelta::from_std(CIRCUIT_COOLDOWN).unwrap_or_default();
    let now = cx.state().clock.now();
    system
        .db()
        .await?
        .transaction(async |connection| {
            let (name, people) = developers(connection, extension).await?;
            let install_id = record.install_id;
            let notice =
                Notice::TriggersPaused { extension_id: extension, extension_name: &name, install_id, until };
            Ok(notify::notify(connection, &people, &notice, now).await?)
        })
        .await
}
