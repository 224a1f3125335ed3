//! Removal of links whose entries have expired (reference/audit-chain.md#retention).
//!
//! Links are removed from the beginning of a chain only, so that the rest stays a chain. An anchor states the hash that
//! the rest follows. The newest link stays as long as the account exists.
//!
//! With a key the anchor is signed, so the links up to the next signed checkpoint are recomputed before, in one snapshot
//! and without a lock. A chain that is altered keeps its links, and one without such a checkpoint keeps them until there
//! is one.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
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
    faults::{Fault, Finding},
    keys::{Beginning, ChainKeys, began_micros},
    locks::lock,
    stretches::{from_first_links, recompute},
};

/// Chains of one transaction. Their writers wait while the links are removed.
const BATCH_SIZE: i64 = 20;
/// Links of one chain that one transaction removes.
const MAX_LINKS: i64 = 5_000;
/// Links of one chain that are recomputed before an anchor is signed. A chain whose next trusted checkpoint is further
/// keeps its links. A step that has recomputed as many leaves further chains to the next one.
const MAX_RECOMPUTED_LINKS: usize = 1_000_000;
/// Time until a chain is checked again that keeps its links. A pass runs every hour.
const POSTPONEMENT: TimeDelta = TimeDelta::minutes(50);

/// Result of a step.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Removal {
    /// Chains that had links to remove: 0 when none is left.
    pub due: usize,
    /// Those of them that were shortened, or keep their links for now. The others are written at the moment, or have
    /// changed.
    pub handled: usize,
    /// Faults of the chains that keep their links, one each.
    pub refused: Vec<Fault>,
}

/// Beginning of the part of a chain that stays.
#[derive(Debug, Clone, QueryableByName)]
struct Cut {
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
    /// First link.
    #[diesel(sql_type = BigInt)]
    oldest: i64,
    /// Last link.
    #[diesel(sql_type = BigInt)]
    newest: i64,
    /// First link that stays.
    #[diesel(sql_type = BigInt)]
    seq: i64,
    /// Hash of the link before it; `None` when nothing is removed.
    #[diesel(sql_type = Nullable<Bytea>)]
    previous: Option<Vec<u8>>,
    /// True when the whole chain has expired and its account has ended.
    #[diesel(sql_type = Bool)]
    is_over: bool,
    #[diesel(sql_type = Nullable<BigInt>)]
    began_micros: Option<i64>,
}

/// Removes the links of some chains whose entries have expired. The connection may not be in a transaction.
///
/// # Errors
/// A failure of the database.
pub async fn remove_expired(
    connection: &mut AsyncPgConnection,
    keys: &ChainKeys,
    now: DateTime<Utc>,
) -> Result<Removal> {
    let before = now - RETENTION;
    let checked = connection
        .build_transaction()
        .repeatable_read()
        .read_only()
        .run(async |connection| checked_cuts(connection, keys, before).await)
        .await?;
    connection
        .transaction(async |connection| {
            let locked = still_valid(connection, &checked).await?;
            let decisions = Decisions::of(checked.iter().filter(|(cut, _)| locked.contains(&cut.account_id)));
            let anchors: Vec<Point> = decisions.confirmed.iter().filter_map(Cut::anchor).collect();
            checkpoints::write(connection, keys, &anchors, true, now).await?;
            cut_off(connection, &decisions.confirmed, before).await?;
            delete(connection, &decisions.over).await?;
            postpone(connection, &decisions, before).await?;
            let Decisions { refused, .. } = decisions;
            Ok::<_, Error>(Removal { due: checked.len(), handled: locked.len(), refused })
        })
        .await
}

impl Cut {
    /// Last link that is removed.
    fn anchor(&self) -> Option<Point> {
        let hash = self.previous.clone()?;
        let beginning = Beginning::of(self.began_micros);
        Some(Point { account_id: self.account_id, seq: self.seq - 1, hash, beginning })
    }

    /// Fault of a chain without the link that would be the anchor.
    const fn gap(&self) -> Fault {
        let missing = self.seq - 1;
        let finding = Finding::LinksMissing { from: missing };
        Fault { account_id: self.account_id, seq: Some(missing), entry_id: None, finding }
    }
}

/// Decisions on the chains that are locked.
#[derive(Default)]
struct Decisions {
    /// Chains that end.
    over: Vec<Cut>,
    /// Chains that are cut off.
    confirmed: Vec<Cut>,
    /// Chains that keep their links until they are signed.
    unsigned: Vec<Uuid>,
    /// Faults of the altered chains, which keep their links.
    refused: Vec<Fault>,
}

impl Decisions {
    fn of<'a>(checked: impl Iterator<Item = &'a (Cut, Check)>) -> Self {
        let mut decisions = Self::default();
        for (cut, check) in checked {
            match check {
                _ if cut.is_over => decisions.over.push(cut.clone()),
                Check::Confirmed => decisions.confirmed.push(cut.clone()),
                Check::Unsigned => decisions.unsigned.push(cut.account_id),
                Check::Altered(fault) => decisions.refused.push(fault.clone()),
            }
        }
        decisions
    }
}

/// Cuts that are due, and whether their anchors may be signed.
async fn checked_cuts(
    connection: &mut AsyncPgConnection,
    keys: &ChainKeys,
    before: DateTime<Utc>,
) -> Result<Vec<(Cut, Check)>> {
    let (mut checked, mut recomputed) = (Vec::new(), 0);
    for cut in cuts(connection, before).await? {
        if recomputed >= MAX_RECOMPUTED_LINKS {
            break;
        }
        let check = match cut.anchor() {
            _ if cut.is_over => Check::Confirmed,
            None if cut.seq > cut.oldest => Check::Altered(cut.gap()),
            Some(anchor) if keys.public_key().is_some() => {
                check(connection, keys, &anchor, &mut recomputed).await?
            }
            _ => Check::Confirmed,
        };
        checked.push((cut, check));
    }
    Ok(checked)
}

/// Locks the chains that are not written at the moment, and returns those that the cuts still fit.
async fn still_valid(connection: &mut AsyncPgConnection, checked: &[(Cut, Check)]) -> Result<Vec<Uuid>> {
    let cuts: Vec<&Cut> = checked.iter().map(|(cut, _)| cut).collect();
    let accounts: Vec<Uuid> = cuts.iter().map(|cut| cut.account_id).collect();
    let locked = lock(connection, &accounts).await?;
    let valid: Vec<Valid> = sql_query(
        "SELECT cut.account_id
         FROM unnest($1, $2, $3, $4, $5, $6) AS cut (account_id, oldest, newest, seq, previous, is_over)
         WHERE cut.account_id = ANY ($7)
             AND cut.oldest = (SELECT min(seq) FROM audit_links AS links WHERE links.account_id = cut.account_id)
             AND cut.previous IS NOT DISTINCT FROM (SELECT hash FROM audit_links AS links
                 WHERE links.account_id = cut.account_id AND links.seq = cut.seq - 1)
             AND (NOT cut.is_over OR cut.newest = (SELECT max(seq) FROM audit_links AS links
                 WHERE links.account_id = cut.account_id))",
    )
    .bind::<Array<SqlUuid>, _>(accounts)
    .bind::<Array<BigInt>, _>(cuts.iter().map(|cut| cut.oldest).collect::<Vec<_>>())
    .bind::<Array<BigInt>, _>(cuts.iter().map(|cut| cut.newest).collect::<Vec<_>>())
    .bind::<Array<BigInt>, _>(cuts.iter().map(|cut| cut.seq).collect::<Vec<_>>())
    .bind::<Array<Nullable<Bytea>>, _>(cuts.iter().map(|cut| cut.previous.as_deref()).collect::<Vec<_>>())
    .bind::<Array<Bool>, _>(cuts.iter().map(|cut| cut.is_over).collect::<Vec<_>>())
    .bind::<Array<SqlUuid>, _>(locked)
    .load(connection)
    .await?;
    Ok(valid.into_iter().map(|chain| chain.account_id).collect())
}

#[derive(QueryableByName)]
struct Valid {
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
}

/// Leaves chains that keep their links to a later pass. One without a checkpoint of a trusted key is signed anew, because
/// the key of its checkpoints may be gone.
async fn postpone(
    connection: &mut AsyncPgConnection,
    decisions: &Decisions,
    before: DateTime<Utc>,
) -> Result<()> {
    let Decisions { unsigned, refused, .. } = decisions;
    let altered = refused.iter().map(|fault| fault.account_id);
    sql_query(
        "UPDATE audit_chains SET oldest_at = $2, is_signed = is_signed AND account_id <> ALL ($3)
         WHERE account_id = ANY ($1)",
    )
    .bind::<Array<SqlUuid>, _>(altered.chain(unsigned.iter().copied()).collect::<Vec<_>>())
    .bind::<Timestamptz, _>(before + POSTPONEMENT)
    .bind::<Array<SqlUuid>, _>(unsigned)
    .execute(connection)
    .await?;
    Ok(())
}

/// Result of the recomputation before an anchor is signed.
enum Check {
    /// The chain leads over the anchor to a checkpoint of a trusted key, or nothing is signed.
    Confirmed,
    /// No checkpoint of a trusted key follows yet.
    Unsigned,
    /// The chain is not the one that was signed.
    Altered(Fault),
}

/// Recomputes the chain from its first link to the first signed checkpoint that is not before the anchor, and adds the
/// number of links to those of the step.
async fn check(
    connection: &mut AsyncPgConnection,
    keys: &ChainKeys,
    anchor: &Point,
    recomputed: &mut usize,
) -> Result<Check> {
    let accounts = [anchor.account_id];
    let signed =
        checkpoints::of_trusted_keys(connection, keys, (accounts.as_slice(), anchor.seq, false)).await?;
    let Some(signed) = signed.into_iter().next() else { return Ok(Check::Unsigned) };
    let stretch = from_first_links(connection, &accounts).await?.into_iter().next();
    let Some(mut stretch) = stretch else { return Ok(Check::Unsigned) };
    stretch.hold_against(&signed, keys, anchor.beginning);
    let mut stretches = BTreeMap::from([(anchor.account_id, stretch)]);
    *recomputed += recompute(connection, &mut stretches, (signed.seq, MAX_RECOMPUTED_LINKS)).await?;
    let Some(mut stretch) = stretches.remove(&anchor.account_id) else { return Ok(Check::Unsigned) };
    if stretch.fault.is_none() && !stretch.is_complete {
        return Ok(Check::Unsigned);
    }
    if stretch.seq < signed.seq {
        stretch.refuse(signed.seq, Finding::LinksMissing { from: stretch.seq + 1 });
    } else if stretch.hash.as_ref() != Some(&signed.hash) {
        stretch.refuse(signed.seq, Finding::CheckpointDiffers { signed_at: signed.signed_at });
    }
    let contradictions = checkpoints::contradictions(connection, std::slice::from_ref(anchor)).await?;
    let fault = stretch.fault.or_else(|| contradictions.into_iter().next());
    Ok(fault.map_or(Check::Confirmed, Check::Altered))
}

async fn cuts(connection: &mut AsyncPgConnection, before: DateTime<Utc>) -> Result<Vec<Cut>> {
    let began_micros = began_micros();
    Ok(sql_query(format!(
        "WITH due AS MATERIALIZED (
             SELECT account_id FROM audit_chains WHERE oldest_at < $1 ORDER BY oldest_at LIMIT $2),
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
             SELECT account_id, oldest, newest, least(coalesce(young, newest), oldest + $3) AS seq,
                 young IS NULL AND newest - oldest < $3
                     AND NOT EXISTS (SELECT FROM accounts WHERE accounts.id = ends.account_id) AS is_over
             FROM ends)
         SELECT cuts.account_id, cuts.oldest, cuts.newest, cuts.seq, links.hash AS previous, cuts.is_over,
             (SELECT {began_micros} FROM audit_chains WHERE account_id = cuts.account_id) AS began_micros
         FROM cuts LEFT JOIN audit_links AS links ON links.account_id = cuts.account_id AND links.seq = cuts.seq - 1"
    ))
    .bind::<Timestamptz, _>(before)
    .bind::<BigInt, _>(BATCH_SIZE)
    .bind::<BigInt, _>(MAX_LINKS)
    .load(connection)
    .await?)
}

/// Removes the links before the cuts with their checkpoints, and notes the oldest entry that is left to remove.
async fn cut_off(connection: &mut AsyncPgConnection, cuts: &[Cut], before: DateTime<Utc>) -> Result<()> {
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
async fn delete(connection: &mut AsyncPgConnection, cuts: &[Cut]) -> Result<()> {
    let accounts: Vec<Uuid> = cuts.iter().map(|cut| cut.account_id).collect();
    for table in ["audit_links", "audit_checkpoints", "audit_chains"] {
        sql_query(format!("DELETE FROM {table} WHERE account_id = ANY ($1)"))
            .bind::<Array<SqlUuid>, _>(&accounts)
            .execute(connection)
            .await?;
    }
    Ok(())
}
