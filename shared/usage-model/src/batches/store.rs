//! Storage of a batch in one transaction.

use chrono::{DateTime, Utc};
use diesel::{
    sql_query,
    sql_types::{Array, BigInt, Nullable, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, column};
use shared::Result;
use uuid::Uuid;

use super::{Batch, Entry};
use crate::{
    consumer::Actor,
    counts::{Counter, Counts},
};

/// Entries of one statement.
const STATEMENT_SIZE: usize = 2_000;

/// Adds a batch to the hours; false when it was added before.
pub(super) async fn store(
    connection: &mut AsyncPgConnection,
    batch: &Batch,
    now: DateTime<Utc>,
) -> Result<bool> {
    // In the order of the rows, so that two batches never wait for each other.
    let mut entries: Vec<&Entry> = batch.entries.iter().collect();
    entries.sort_unstable_by_key(|entry| (entry.consumer.account_id, entry.hour));
    connection
        .transaction(async |connection| {
            if !begin(connection, batch, now).await? {
                return Ok(false);
            }
            for part in entries.chunks(STATEMENT_SIZE) {
                add(connection, part).await?;
            }
            Ok(true)
        })
        .await
}

/// Stores the id of a batch; false when it is stored. A copy that stores it at the same time is waited for.
async fn begin(connection: &mut AsyncPgConnection, batch: &Batch, now: DateTime<Utc>) -> Result<bool> {
    const BEGIN: &str = "
        INSERT INTO usage_batches (id, requests, handler_us, fetches, messages, stored_at)
        VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO NOTHING";
    let mut sums = Counts::default();
    for entry in &batch.entries {
        for counter in Counter::ALL {
            sums.add(counter, entry.counts.get(counter));
        }
    }
    let begun = sql_query(BEGIN)
        .bind::<SqlUuid, _>(batch.id)
        .bind::<BigInt, _>(sums.requests)
        .bind::<BigInt, _>(sums.handler_us)
        .bind::<BigInt, _>(sums.fetches)
        .bind::<BigInt, _>(sums.messages)
        .bind::<Timestamptz, _>(now)
        .prepared()
        .execute(connection)
        .await?;
    Ok(begun == 1)
}

async fn add(connection: &mut AsyncPgConnection, entries: &[&Entry]) -> Result<()> {
    let id_of = |kind: fn(Actor) -> Option<Uuid>| column(entries, move |entry| kind(entry.consumer.actor));
    let count_of = |counter| column(entries, move |entry| entry.counts.get(counter));
    sql_query(ADD)
        .bind::<Array<SqlUuid>, _>(column(entries, |entry| entry.consumer.account_id))
        .bind::<Array<Timestamptz>, _>(column(entries, |entry| entry.hour))
        .bind::<Array<Nullable<SqlUuid>>, _>(id_of(extension))
        .bind::<Array<Nullable<SqlUuid>>, _>(id_of(install))
        .bind::<Array<Nullable<SqlUuid>>, _>(id_of(key))
        .bind::<Array<BigInt>, _>(count_of(Counter::Requests))
        .bind::<Array<BigInt>, _>(count_of(Counter::HandlerUs))
        .bind::<Array<BigInt>, _>(count_of(Counter::Fetches))
        .bind::<Array<BigInt>, _>(count_of(Counter::Messages))
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

const fn extension(actor: Actor) -> Option<Uuid> {
    match actor {
        Actor::Extension(id) => Some(id),
        _ => None,
    }
}

const fn install(actor: Actor) -> Option<Uuid> {
    match actor {
        Actor::Install(id) => Some(id),
        _ => None,
    }
}

const fn key(actor: Actor) -> Option<Uuid> {
    match actor {
        Actor::Key(id) => Some(id),
        _ => None,
    }
}

/// Adds entries to the hours of their accounts, extensions and keys. A new hour begins with the stored bytes as last
/// measured. Accounts that were dissolved meanwhile are left out, and so is the extension of a removed install.
const ADD: &str = "
    WITH given AS (
        SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9)
            AS given (account_id, hour, extension_id, install_id, key_id, requests, handler_us, fetches, messages)
    ), resolved AS (
        SELECT given.account_id, given.hour, coalesce(given.extension_id, install.extension_id) AS extension_id,
            given.key_id, given.requests, given.handler_us, given.fetches, given.messages
        FROM given
        JOIN accounts AS account ON account.id = given.account_id
        LEFT JOIN extension_installs AS install
            ON install.id = given.install_id AND install.account_id = given.account_id
    ), subjects AS (
        SELECT resolved.*, subject.kind, subject.id FROM resolved CROSS JOIN LATERAL (VALUES
            ('account', resolved.account_id), ('extension', resolved.extension_id), ('key', resolved.key_id)
        ) AS subject (kind, id)
        WHERE subject.id IS NOT NULL
    ), sums AS (
        SELECT account_id, kind, id, hour, sum(requests)::bigint AS requests, sum(handler_us)::bigint AS handler_us,
            sum(fetches)::bigint AS fetches, sum(messages)::bigint AS messages
        FROM subjects GROUP BY account_id, kind, id, hour
    ), added AS (
        INSERT INTO usage_hours AS known
            (account_id, subject_kind, subject_id, hour, requests, handler_us, fetches, messages, stored_bytes)
        SELECT sums.account_id, sums.kind, sums.id, sums.hour, sums.requests, sums.handler_us, sums.fetches,
            sums.messages, coalesce(storage.bytes, 0)
        FROM sums
        LEFT JOIN usage_storage AS storage ON storage.account_id = sums.account_id
            AND storage.subject_kind = sums.kind AND storage.subject_id = sums.id
        ORDER BY sums.account_id, sums.kind, sums.hour, sums.id
        ON CONFLICT (account_id, subject_kind, subject_id, hour) DO UPDATE SET
            requests = known.requests + excluded.requests, handler_us = known.handler_us + excluded.handler_us,
            fetches = known.fetches + excluded.fetches, messages = known.messages + excluded.messages
    )
    INSERT INTO usage_marks AS known (account_id)
    SELECT DISTINCT resolved.account_id FROM resolved
    WHERE EXISTS (SELECT FROM usage_budgets AS budget WHERE budget.account_id = resolved.account_id)
    ORDER BY resolved.account_id
    ON CONFLICT (account_id) DO UPDATE SET marked_at = known.marked_at WHERE false";
