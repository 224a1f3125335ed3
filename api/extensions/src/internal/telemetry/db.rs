//! Writing telemetry: a thousand rows a statement.

use std::collections::{HashMap, HashSet};

use api_core::Result;
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use shared::{
    db::schema::{
        extension_installs,
        timeseries::{extension_errors, extension_invocations, extension_logs},
    },
    feeds::TelemetryBatch,
};
use uuid::Uuid;

/// Rows of one statement: PostgreSQL takes 65,535 parameters.
const ROWS: usize = 1000;

/// Extension and account by install.
pub(in crate::internal) type Installs = HashMap<Uuid, (Uuid, Uuid)>;

pub(super) async fn installs(connection: &mut AsyncPgConnection, ids: HashSet<Uuid>) -> Result<Installs> {
    let rows: Vec<(Uuid, Uuid, Uuid)> = extension_installs::table
        .filter(extension_installs::id.eq_any(ids))
        .select((extension_installs::id, extension_installs::extension_id, extension_installs::account_id))
        .load(connection)
        .await?;
    Ok(rows.into_iter().map(|(id, extension, account)| (id, (extension, account))).collect())
}

/// Writes everything or nothing; rows that are there already stay as they are.
pub(in crate::internal) async fn insert(
    connection: &mut AsyncPgConnection,
    batch: TelemetryBatch,
    installs: &Installs,
) -> Result<()> {
    connection
        .transaction(async |connection| {
            errors(connection, &batch, installs).await?;
            logs(connection, &batch, installs).await?;
            invocations(connection, &batch, installs).await
        })
        .await
}

async fn errors(
    connection: &mut AsyncPgConnection,
    batch: &TelemetryBatch,
    installs: &Installs,
) -> Result<()> {
    use extension_errors::dsl as t;
    let rows = batch.errors.iter().filter_map(|record| {
        let (extension, account) = installs.get(&record.install_id)?;
        Some((
            t::id.eq(record.id),
            t::extension_id.eq(*extension),
            t::install_id.eq(record.install_id),
            t::account_id.eq(*account),
            t::handler.eq(&record.handler),
            t::error_type.eq(&record.error_type),
            t::message.eq(&record.message),
            t::stack_trace.eq(&record.stack_trace),
            t::occurred_at.eq(record.occurred_at),
        ))
    });
    let rows: Vec<_> = rows.collect();
    for rows in rows.chunks(ROWS) {
        insert_into(t::extension_errors).values(rows).on_conflict_do_nothing().execute(connection).await?;
    }
    Ok(())
}

async fn logs(connection: &mut AsyncPgConnection, batch: &TelemetryBatch, installs: &Installs) -> Result<()> {
    use extension_logs::dsl as t;
    let rows = batch.logs.iter().filter_map(|record| {
        let (extension, account) = installs.get(&record.install_id)?;
        Some((
            t::id.eq(record.id),
            t::extension_id.eq(*extension),
            t::install_id.eq(record.install_id),
            t::account_id.eq(*account),
            t::level.eq(record.level.as_str()),
            t::message.eq(&record.message),
            t::trigger_type.eq(&record.trigger_type),
            t::execution_ms.eq(record.execution_ms),
            t::created_at.eq(record.created_at),
        ))
    });
    let rows: Vec<_> = rows.collect();
    for rows in rows.chunks(ROWS) {
        insert_into(t::extension_logs).values(rows).on_conflict_do_nothing().execute(connection).await?;
    }
    Ok(())
}

async fn invocations(
    connection: &mut AsyncPgConnection,
    batch: &TelemetryBatch,
    installs: &Installs,
) -> Result<()> {
    use extension_invocations::dsl as t;
    let rows = batch.invocations.iter().filter_map(|record| {
        let (extension, account) = installs.get(&record.install_id)?;
        Some((
            t::id.eq(record.id),
            t::extension_id.eq(*extension),
            t::install_id.eq(record.install_id),
            t::account_id.eq(*account),
            t::handler.eq(&record.handler),
            t::bucket_minute.eq(record.bucket_minute),
            t::count.eq(i64::from(record.count)),
            t::errors.eq(i64::from(record.errors)),
            t::duration_ms_sum.eq(record.duration_ms_sum),
            t::duration_hist.eq(record.duration_hist.classes()),
        ))
    });
    let rows: Vec<_> = rows.collect();
    for rows in rows.chunks(ROWS) {
        insert_into(t::extension_invocations)
            .values(rows)
            .on_conflict_do_nothing()
            .execute(connection)
            .await?;
    }
    Ok(())
}
