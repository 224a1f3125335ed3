//! Signed checkpoints of chains (reference/audit-chain.md#checkpoints).

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bool, Bytea, Nullable, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use shared::{Error, Result};
use uuid::Uuid;

use crate::keys::{ChainKeys, Statement};

/// Chains of one transaction. Their writers wait for it.
const BATCH_SIZE: i64 = 100;

/// A chain with a link that a checkpoint states.
#[derive(Debug, Clone, QueryableByName)]
pub(crate) struct Point {
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    #[diesel(sql_type = BigInt)]
    pub seq: i64,
    #[diesel(sql_type = Bytea)]
    pub hash: Vec<u8>,
}

/// Signs the newest link of some chains that have links since their last checkpoint. Returns their number: 0 when none
/// is left, and without a key. A chain that is written at the moment is left to the next call.
///
/// # Errors
/// A failure of the database.
pub async fn sign_open_chains(
    connection: &mut AsyncPgConnection,
    keys: &ChainKeys,
    now: DateTime<Utc>,
) -> Result<usize> {
    if keys.public_key().is_none() {
        return Ok(0);
    }
    connection
        .transaction(async |connection| {
            let accounts = lock_open_chains(connection).await?;
            let points = newest_links(connection, &accounts).await?;
            write(connection, keys, &points, false, now).await?;
            sql_query("UPDATE audit_chains SET is_signed = true WHERE account_id = ANY ($1)")
                .bind::<Array<SqlUuid>, _>(&accounts)
                .execute(connection)
                .await?;
            Ok::<_, Error>(accounts.len())
        })
        .await
}

#[derive(QueryableByName)]
struct Chain {
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
}

async fn lock_open_chains(connection: &mut AsyncPgConnection) -> Result<Vec<Uuid>> {
    let chains: Vec<Chain> = sql_query(
        "SELECT account_id FROM audit_chains WHERE NOT is_signed ORDER BY account_id LIMIT $1
         FOR NO KEY UPDATE SKIP LOCKED",
    )
    .bind::<BigInt, _>(BATCH_SIZE)
    .load(connection)
    .await?;
    Ok(chains.into_iter().map(|chain| chain.account_id).collect())
}

/// Reads the newest links of locked chains. It is a statement of its own, so that it sees the link of a writer that held
/// the lock before.
async fn newest_links(connection: &mut AsyncPgConnection, accounts: &[Uuid]) -> Result<Vec<Point>> {
    Ok(sql_query(
        "SELECT newest.account_id, newest.seq, newest.hash FROM unnest($1) AS chain (account_id)
         CROSS JOIN LATERAL (SELECT links.account_id, links.seq, links.hash FROM audit_links AS links
             WHERE links.account_id = chain.account_id ORDER BY links.seq DESC LIMIT 1) AS newest",
    )
    .bind::<Array<SqlUuid>, _>(accounts)
    .load(connection)
    .await?)
}

/// Writes checkpoints. One of the same link is replaced: it states the same hash.
pub(crate) async fn write(
    connection: &mut AsyncPgConnection,
    keys: &ChainKeys,
    points: &[Point],
    is_anchor: bool,
    now: DateTime<Utc>,
) -> Result<()> {
    let signed: Vec<_> = points
        .iter()
        .map(|point| {
            keys.sign(Statement {
                account_id: point.account_id,
                seq: point.seq,
                hash: &point.hash,
                signed_micros: now.timestamp_micros(),
                is_anchor,
            })
        })
        .collect();
    let public_keys: Vec<Option<&[u8]>> =
        signed.iter().map(|signed| signed.as_ref().map(|signed| signed.public_key.as_slice())).collect();
    let signatures: Vec<Option<&[u8]>> =
        signed.iter().map(|signed| signed.as_ref().map(|signed| signed.signature.as_slice())).collect();
    sql_query(
        "INSERT INTO audit_checkpoints (account_id, seq, hash, signed_at, is_anchor, public_key, signature)
         SELECT point.account_id, point.seq, point.hash, $1, $2, point.public_key, point.signature
         FROM unnest($3, $4, $5, $6, $7) AS point (account_id, seq, hash, public_key, signature)
         ON CONFLICT (account_id, seq) DO UPDATE SET hash = EXCLUDED.hash, signed_at = EXCLUDED.signed_at,
             is_anchor = EXCLUDED.is_anchor, public_key = EXCLUDED.public_key, signature = EXCLUDED.signature",
    )
    .bind::<Timestamptz, _>(now)
    .bind::<Bool, _>(is_anchor)
    .bind::<Array<SqlUuid>, _>(points.iter().map(|point| point.account_id).collect::<Vec<_>>())
    .bind::<Array<BigInt>, _>(points.iter().map(|point| point.seq).collect::<Vec<_>>())
    .bind::<Array<Bytea>, _>(points.iter().map(|point| point.hash.as_slice()).collect::<Vec<_>>())
    .bind::<Array<Nullable<Bytea>>, _>(public_keys)
    .bind::<Array<Nullable<Bytea>>, _>(signatures)
    .execute(connection)
    .await?;
    Ok(())
}
