//! Signatures of open chains (reference/audit-chain.md#checkpoints).
//!
//! A chain is recomputed from its last checkpoint before its newest link is signed. Otherwise a rewritten chain would
//! get a signature of its own. Nothing is locked meanwhile: all is read in one snapshot, because retention may shorten
//! the chain between two queries.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Nullable, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use shared::{Error, Result};
use uuid::Uuid;

use crate::{
    checkpoints::{self, Point},
    faults::Fault,
    keys::{Beginning, ChainKeys, began_micros},
    locks::lock,
    stretches::{Stretch, from_first_links, recompute},
};

/// Chains of one step. Their writers wait while the checkpoints are written.
const BATCH_SIZE: i64 = 100;
/// Links that one step recomputes. A longer chain gets a checkpoint on the way, from which the next step continues.
const MAX_LINKS: usize = 50_000;
/// Time until a refused chain is verified again. A pass runs every hour.
const REFUSAL_INTERVAL: TimeDelta = TimeDelta::minutes(50);

/// Result of a step.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Signing {
    /// Chains that waited for a signature: 0 when none is left.
    pub open: usize,
    /// Those of them that were signed, refused, or need no signature. The others are written at the moment.
    pub handled: usize,
    /// Checkpoints that were signed. A chain that is not signed to its end has one of them, too.
    pub signed: usize,
    /// Faults of the chains that were not signed, one each.
    pub refused: Vec<Fault>,
}

impl Signing {
    /// True when no chain was left to sign.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.open == 0
    }
}

/// State of open chains in one snapshot.
struct Verified {
    accounts: Vec<Uuid>,
    points: Vec<Point>,
    faults: Vec<Fault>,
}

#[derive(QueryableByName)]
struct Chain {
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
    #[diesel(sql_type = Nullable<BigInt>)]
    began_micros: Option<i64>,
}

/// Signs the newest link of some chains that have links since their last checkpoint, if they follow it. Without a key
/// there is nothing to do. A chain that is written at the moment is left to the next call. The connection may not be in
/// a transaction.
///
/// # Errors
/// A failure of the database.
pub async fn sign_open_chains(
    connection: &mut AsyncPgConnection,
    keys: &ChainKeys,
    now: DateTime<Utc>,
) -> Result<Signing> {
    if keys.public_key().is_none() {
        return Ok(Signing::default());
    }
    let verified = connection
        .build_transaction()
        .repeatable_read()
        .read_only()
        .run(async |connection| verify(connection, keys, now).await)
        .await?;
    let Verified { accounts, points, faults } = &verified;
    connection
        .transaction(async |connection| {
            let locked = lock(connection, accounts).await?;
            let (points, refused) =
                of_locked(connection, &locked, (points.as_slice(), faults.as_slice())).await?;
            checkpoints::write(connection, keys, &points, false, now).await?;
            let is_refused = |account: &Uuid| refused.iter().any(|fault| fault.account_id == *account);
            let handled = locked.len();
            let closed: Vec<Uuid> = locked.into_iter().filter(|account| !is_refused(account)).collect();
            close(connection, &closed, &points).await?;
            refuse(connection, &refused, now).await?;
            Ok::<_, Error>(Signing { open: accounts.len(), handled, signed: points.len(), refused })
        })
        .await
}

/// Recomputes some open chains.
async fn verify(
    connection: &mut AsyncPgConnection,
    keys: &ChainKeys,
    now: DateTime<Utc>,
) -> Result<Verified> {
    let beginnings: BTreeMap<Uuid, Beginning> = open_chains(connection, now)
        .await?
        .into_iter()
        .map(|chain| (chain.account_id, Beginning::of(chain.began_micros)))
        .collect();
    let mut stretches = stretches(connection, keys, &beginnings).await?;
    recompute(connection, &mut stretches, (i64::MAX, MAX_LINKS)).await?;
    let (points, faults) = outcomes(stretches, &beginnings);
    Ok(Verified { accounts: beginnings.into_keys().collect(), points, faults })
}

async fn open_chains(connection: &mut AsyncPgConnection, now: DateTime<Utc>) -> Result<Vec<Chain>> {
    Ok(sql_query(format!(
        "SELECT account_id, {} AS began_micros FROM audit_chains
         WHERE NOT is_signed AND (refused_at IS NULL OR refused_at < $2) ORDER BY account_id LIMIT $1",
        began_micros()
    ))
    .bind::<BigInt, _>(BATCH_SIZE)
    .bind::<Timestamptz, _>(now - REFUSAL_INTERVAL)
    .load(connection)
    .await?)
}

/// Stretches from the last checkpoint of a trusted key, or from the first link where there is none.
async fn stretches(
    connection: &mut AsyncPgConnection,
    keys: &ChainKeys,
    beginnings: &BTreeMap<Uuid, Beginning>,
) -> Result<BTreeMap<Uuid, Stretch>> {
    let accounts: Vec<Uuid> = beginnings.keys().copied().collect();
    let mut stretches = BTreeMap::new();
    for checkpoint in checkpoints::of_trusted_keys(connection, keys, (accounts.as_slice(), 0, true)).await? {
        let mut stretch = Stretch::from_checkpoint(&checkpoint);
        if let Some(begun) = beginnings.get(&checkpoint.account_id) {
            stretch.hold_against(&checkpoint, keys, *begun);
        }
        stretches.insert(checkpoint.account_id, stretch);
    }
    let unsigned: Vec<Uuid> =
        accounts.into_iter().filter(|account| !stretches.contains_key(account)).collect();
    let first = from_first_links(connection, &unsigned).await?;
    stretches.extend(first.into_iter().map(|stretch| (stretch.account_id, stretch)));
    Ok(stretches)
}

/// Links to sign, and the faults of the chains that are refused. A place without a link is never one to sign, because a
/// checkpoint of it would take the place of an anchor.
fn outcomes(
    stretches: BTreeMap<Uuid, Stretch>,
    beginnings: &BTreeMap<Uuid, Beginning>,
) -> (Vec<Point>, Vec<Fault>) {
    let (mut points, mut refused) = (Vec::new(), Vec::new());
    for (account_id, stretch) in stretches {
        let beginning = beginnings.get(&account_id).copied();
        match (stretch.fault, stretch.hash.zip(beginning)) {
            (Some(fault), _) => refused.push(fault),
            (None, Some((hash, beginning))) if stretch.has_links => {
                points.push(Point { account_id, seq: stretch.seq, hash, beginning });
            }
            (None, _) => {}
        }
    }
    (points, refused)
}

/// Outcomes of the chains that are locked. One whose stored checkpoint contradicts is refused, too. A link that has gone
/// since it was read is not signed.
async fn of_locked(
    connection: &mut AsyncPgConnection,
    accounts: &[Uuid],
    (points, faults): (&[Point], &[Fault]),
) -> Result<(Vec<Point>, Vec<Fault>)> {
    let points = points.iter().filter(|point| accounts.contains(&point.account_id)).cloned().collect();
    let mut points = checkpoints::still_stored(connection, points).await?;
    let mut refused: Vec<Fault> =
        faults.iter().filter(|fault| accounts.contains(&fault.account_id)).cloned().collect();
    let contradictions = checkpoints::contradictions(connection, &points).await?;
    points.retain(|point| contradictions.iter().all(|fault| fault.account_id != point.account_id));
    refused.extend(contradictions);
    Ok((points, refused))
}

/// Marks the chains whose newest link is signed. It is a statement of its own, so that it sees the link of a writer that
/// held the lock before.
async fn close(connection: &mut AsyncPgConnection, accounts: &[Uuid], points: &[Point]) -> Result<()> {
    let signed: BTreeMap<Uuid, i64> = points.iter().map(|point| (point.account_id, point.seq)).collect();
    let seqs: Vec<i64> =
        accounts.iter().map(|account| signed.get(account).copied().unwrap_or_default()).collect();
    sql_query(
        "UPDATE audit_chains AS chains SET refused_at = NULL, is_signed = NOT EXISTS (SELECT FROM audit_links AS links
             WHERE links.account_id = signed.account_id AND links.seq > signed.seq)
         FROM unnest($1, $2) AS signed (account_id, seq) WHERE chains.account_id = signed.account_id",
    )
    .bind::<Array<SqlUuid>, _>(accounts)
    .bind::<Array<BigInt>, _>(seqs)
    .execute(connection)
    .await?;
    Ok(())
}

/// Marks the chains that are not signed before they are verified again.
async fn refuse(connection: &mut AsyncPgConnection, faults: &[Fault], now: DateTime<Utc>) -> Result<()> {
    sql_query("UPDATE audit_chains SET refused_at = $2 WHERE account_id = ANY ($1)")
        .bind::<Array<SqlUuid>, _>(faults.iter().map(|fault| fault.account_id).collect::<Vec<_>>())
        .bind::<Timestamptz, _>(now)
        .execute(connection)
        .await?;
    Ok(())
}
