//! Telling developers that the triggers of an install are paused (C B3.2).

use api_core::{Cx, Result};
use chrono::TimeDelta;
use diesel::prelude::*;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use shared::{
    db::schema::timeseries::extension_errors,
    extensions::developers,
    feeds::{CIRCUIT_COOLDOWN, CIRCUIT_OPEN, ErrorRecord, TelemetryBatch},
    notify::{self, Notice},
};
use uuid::Uuid;

use super::db::Installs;

/// The records of opened circuit breakers that were not reported before: a batch may be sent again.
pub(super) async fn newly_opened(
    connection: &mut AsyncPgConnection,
    batch: &TelemetryBatch,
) -> Result<Vec<ErrorRecord>> {
    let mut opened: Vec<ErrorRecord> =
        batch.errors.iter().filter(|record| record.error_type == CIRCUIT_OPEN).cloned().collect();
    let Some(earliest) = opened.iter().map(|record| record.occurred_at).min() else { return Ok(opened) };
    let known: Vec<Uuid> = extension_errors::table
        .filter(extension_errors::id.eq_any(opened.iter().map(|record| record.id)))
        // Spares the partitions of other days.
        .filter(extension_errors::occurred_at.ge(earliest))
        .select(extension_errors::id)
        .load(connection)
        .await?;
    opened.retain(|record| !known.contains(&record.id));
    Ok(opened)
}

/// The records are stored by now: what cannot be told is logged.
pub(super) async fn tell(cx: &Cx, opened: &[ErrorRecord], installs: &Installs) {
    for record in opened {
        let Some((extension, _)) = installs.get(&record.install_id) else { continue };
        if let Err(error) = tell_of(cx, record, *extension).await {
            tracing::warn!(install_id = %record.install_id, %error, "a developer is not told of a paused install");
        }
    }
}

async fn tell_of(cx: &Cx, record: &ErrorRecord, extension: Uuid) -> Result<()> {
    let until = record.occurred_at + TimeDelta::from_std(CIRCUIT_COOLDOWN).unwrap_or_default();
    let now = cx.state().clock.now();
    cx.state()
        .databases
        .postgres
        .get()
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
