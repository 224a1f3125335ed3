//! Storage of telemetry, a thousand rows in a statement. Lines and errors, the most frequent records of a
//! batch, are sent as arrays of columns.

use std::collections::{HashMap, HashSet};

use api_core::Result;
use diesel::{
    insert_into,
    prelude::*,
    sql_query,
    sql_types::{Array, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use extension_model::feeds::{ErrorRecord, LogRecord, TelemetryBatch};
use foundation::db::{Prepare, column};
use shared::schema::{extension_installs, timeseries::extension_invocations};
use uuid::Uuid;

/// Rows of one statement: PostgreSQL takes at most 65,535 parameters.
const BATCH_SIZE: usize = 1000;

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

/// Writes all records or none. Rows that exist already stay as they are.
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
    let of_install = |record: &ErrorRecord| installs.get(&record.install_id).copied();
    let rows: Vec<_> = batch.errors.iter().filter_map(|record| Some((record, of_install(record)?))).collect();
    for rows in rows.chunks(BATCH_SIZE) {
        sql_query(
            "INSERT INTO extension_errors
                (id, extension_id, install_id, account_id, handler, error_type, message, stack_trace, occurred_at)
             SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING",
        )
        .bind::<Array<SqlUuid>, _>(column(rows, |(record, _)| record.id))
        .bind::<Array<SqlUuid>, _>(column(rows, |(_, (extension, _))| *extension))
        .bind::<Array<SqlUuid>, _>(column(rows, |(record, _)| record.install_id))
        .bind::<Array<SqlUuid>, _>(column(rows, |(_, (_, account))| *account))
        .bind::<Array<Text>, _>(column(rows, |(record, _)| record.handler.as_str()))
        .bind::<Array<Text>, _>(column(rows, |(record, _)| record.error_type.as_str()))
        .bind::<Array<Text>, _>(column(rows, |(record, _)| record.message.as_str()))
        .bind::<Array<Nullable<Text>>, _>(column(rows, |(record, _)| record.stack_trace.as_deref()))
        .bind::<Array<Timestamptz>, _>(column(rows, |(record, _)| record.occurred_at))
        .prepared()
        .execute(connection)
        .await?;
    }
    Ok(())
}

async fn logs(connection: &mut AsyncPgConnection, batch: &TelemetryBatch, installs: &Installs) -> Result<()> {
    let of_install = |record: &LogRecord| installs.get(&record.install_id).copied();
    let rows: Vec<_> = batch.logs.iter().filter_map(|record| Some((record, of_install(record)?))).collect();
    for rows in rows.chunks(BATCH_SIZE) {
        sql_query(
            "INSERT INTO extension_logs
                (id, extension_id, install_id, account_id, level, message, trigger_type, execution_ms, created_at)
             SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING",
        )
        .bind::<Array<SqlUuid>, _>(column(rows, |(record, _)| record.id))
        .bind::<Array<SqlUuid>, _>(column(rows, |(_, (extension, _))| *extension))
        .bind::<Array<SqlUuid>, _>(column(rows, |(record, _)| record.install_id))
        .bind::<Array<SqlUuid>, _>(column(rows, |(_, (_, account))| *account))
        .bind::<Array<Text>, _>(column(rows, |(record, _)| record.level.as_str()))
        .bind::<Array<Text>, _>(column(rows, |(record, _)| record.message.as_str()))
        .bind::<Array<Nullable<Text>>, _>(column(rows, |(record, _)| record.trigger_type.as_deref()))
        .bind::<Array<Nullable<Integer>>, _>(column(rows, |(record, _)| record.execution_ms))
        .bind::<Array<Timestamptz>, _>(column(rows, |(record, _)| record.created_at))
        .prepared()
        .execute(connection)
        .await?;
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
    for rows in rows.chunks(BATCH_SIZE) {
        insert_into(t::extension_invocations)
            .values(rows)
            .on_conflict_do_nothing()
            .execute(connection)
            .await?;
    }
    Ok(())
}
