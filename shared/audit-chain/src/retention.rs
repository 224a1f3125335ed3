//! Removal of links whose entries have expired (reference/audit-chain.md#retention).
//!
//! Links are removed from the beginning of a chain only, so that the rest stays a chain. An anchor states the hash that
//! the rest follows. The newest link stays as long as the account exists.

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bool, Bytea, Nullable, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use shared::{Error, Result};
use uuid::Uuid;

use crate::{
    RETENTION,
    checkpoints::{self, Point},
    keys::ChainKeys,
};

/// Chains of one transaction. Their writers wait for it.
const BATCH_SIZE: i64 = 20;
/// Links of one chain that one transaction removes.
const MAX_LINKS: i64 = 5_000;

/// Beginning of the part of a chain that stays.
#[derive(Debug, Clone, QueryableByName)]
struct Cut {
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
    /// First link that stays.
    #[diesel(sql_type = BigInt)]
    seq: i64,
    /// Hash of the link before it; `None` when nothing is removed.
    #[diesel(sql_type = Nullable<Bytea>)]
    previous: Option<Vec<u8>>,
    /// True when the whole chain has expired and its account has ended.
    #[diesel(sql_type = Bool)]
    is_over: bool,
}

/// Removes the links of some chains whose entries have expired. Returns the number of chains that were checked: 0 when
/// none is left.
///
/// # Errors
/// A failure of the database.
pub async fn remove_expired(
    connection: &mut AsyncPgConnection,
    keys: &ChainKeys,
    now: DateTime<Utc>,
) -> Result<usize> {
    let before = now - RETENTION;
    connection
        .transaction(async |connection| {
            let cuts = cuts(connection, before).await?;
            let anchors: Vec<Point> = cuts.iter().filter_map(Cut::anchor).collect();
            checkpoints::write(connection, keys, &anchors, true, now).await?;
            let (over, left): (Vec<&Cut>, Vec<&Cut>) = cuts.iter().partition(|cut| cut.is_over);
            cut_off(connection, &left, before).await?;
            delete(connection, &over).await?;
            Ok::<_, Error>(cuts.len())
        })
        .await
}

impl Cut {
    /// Last link that is removed.
    fn anchor(&self) -> Option<Point> {
        let hash = self.previous.clone().filter(|_| !self.is_over)?;
        Some(Point { account_id: self.account_id, seq: self.seq - 1, hash })
    }
}

async fn cuts(connection: &mut AsyncPgConnection, before: DateTime<Utc>) -> Result<Vec<Cut>> {
    Ok(sql_query(
        "WITH due AS MATERIALIZED (
             SELECT account_id FROM audit_chains WHERE oldest_at < $1 ORDER BY oldest_at LIMIT $2
             FOR NO KEY UPDATE SKIP LOCKED),
         ends AS (
             SELECT due.account_id, oldest.seq AS oldest, newest.seq AS newest, newest.created_at < $1 AS is_expired,
                 (SELECT links.seq FROM audit_links AS links
                  WHERE links.account_id = due.account_id AND links.created_at >= $1 ORDER BY links.seq LIMIT 1) AS young
             FROM due
             CROSS JOIN LATERAL (SELECT seq FROM audit_links AS links WHERE links.account_id = due.account_id
                 ORDER BY seq LIMIT 1) AS oldest
             CROSS JOIN LATERAL (SELECT seq, created_at FROM audit_links AS links WHERE links.account_id = due.account_id
                 ORDER BY seq DESC LIMIT 1) AS newest),
         cuts AS (
             SELECT account_id, least(coalesce(young, newest), oldest + $3) AS seq,
                 young IS NULL AND newest - oldest < $3
                     AND NOT EXISTS (SELECT FROM accounts WHERE accounts.id = ends.account_id) AS is_over
             FROM ends)
         SELECT cuts.account_id, cuts.seq, links.hash AS previous, cuts.is_over FROM cuts
         LEFT JOIN audit_links AS links ON links.account_id = cuts.account_id AND links.seq = cuts.seq - 1",
    )
    .bind::<Timestamptz, _>(before)
    .bind::<BigInt, _>(BATCH_SIZE)
    .bind::<BigInt, _>(MAX_LINKS)
    .load(connection)
    .await?)
}

/// Removes the links before the cuts with their checkpoints, and notes the oldest entry that is left to remove.
async fn cut_off(connection: &mut AsyncPgConnection, cuts: &[&Cut], before: DateTime<Utc>) -> Result<()> {
    let (accounts, seqs): (Vec<Uuid>, Vec<i64>) = cuts.iter().map(|cut| (cut.account_id, cut.seq)).unzip();
    for sql in [
        "DELETE FROM audit_links AS links USING unnest($1, $2) AS cut (account_id, seq)
         WHERE links.account_id = cut.account_id AND links.seq < cut.seq",
        "DELETE FROM audit_checkpoints AS points USING unnest($1, $2) AS cut (account_id, seq)
         WHERE points.account_id = cut.account_id AND points.seq < cut.seq - 1",
    ] {
        sql_query(sql)
            .bind::<Array<SqlUuid>, _>(&accounts)
            .bind::<Array<BigInt>, _>(&seqs)
            .execute(connection)
            .await?;
    }
    // Of the first link, because links are removed in the order of the chain. The last link of an account that has ended
    // is left to the next call.
    sql_query(
        "UPDATE audit_chains AS chains
         SET oldest_at = CASE WHEN first.next IS NULL AND first.created_at < $2
                 AND EXISTS (SELECT FROM accounts WHERE accounts.id = account.id)
             THEN 'infinity' ELSE first.created_at END
         FROM unnest($1) AS account (id)
         CROSS JOIN LATERAL (SELECT links.created_at, (SELECT later.seq FROM audit_links AS later
                 WHERE later.account_id = account.id AND later.seq > links.seq LIMIT 1) AS next
             FROM audit_links AS links WHERE links.account_id = account.id ORDER BY links.seq LIMIT 1) AS first
         WHERE chains.account_id = account.id",
    )
    .bind::<Array<SqlUuid>, _>(&accounts)
    .bind::<Timestamptz, _>(before)
    .execute(connection)
    .await?;
    Ok(())
}

/// Deletes chains.
async fn delete(connection: &mut AsyncPgConnection, cuts: &[&Cut]) -> Result<()> {
    let accounts: Vec<Uuid> = cuts.iter().map(|cut| cut.account_id).collect();
    for table in ["audit_links", "audit_checkpoints", "audit_chains"] {
        sql_query(format!("DELETE FROM {table} WHERE account_id = ANY ($1)"))
            .bind::<Array<SqlUuid>, _>(&accounts)
            .execute(connection)
            .await?;
    }
    Ok(())
}
