//! Verification of chains: names each entry that was changed, removed or moved (reference/audit-chain.md#verification).

mod db;
mod walk;

use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use shared::Result;
use uuid::Uuid;

pub use crate::faults::{Fault, Finding};
use crate::keys::{Beginning, ChainKeys};
use db::Link;
use walk::Walk;

/// Faults of one account that are named. Further ones are counted.
const MAX_FAULTS: usize = 1_000;
/// Links of one page, and checkpoints of one.
const PAGE_SIZE: i64 = 1_000;

/// Result for one account.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Links that were verified.
    pub links: u64,
    /// Entries that a person was erased from.
    pub erased: u64,
    /// Links whose entries have expired.
    pub expired: u64,
    /// Entries from before the chain, which have no link.
    pub before: u64,
    /// Checkpoints with a valid signature of a trusted key.
    pub signed: u64,
    /// Checkpoints with a signature of another key, and anchors without a signature.
    pub untrusted: u64,
    /// Faults in the order of the chain.
    pub faults: Vec<Fault>,
    /// Faults that are not in the list.
    pub further_faults: u64,
}

impl Verdict {
    /// True when nothing is broken.
    #[must_use]
    pub const fn is_intact(&self) -> bool {
        self.faults.is_empty()
    }

    fn add(&mut self, fault: Fault) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(fault);
        } else {
            self.further_faults += 1;
        }
    }
}

/// Verifies the chain of an account, in one snapshot of the database. The connection may not be in a transaction.
///
/// # Errors
/// A failure of the database.
pub async fn verify_account(
    connection: &mut AsyncPgConnection,
    keys: &ChainKeys,
    account_id: Uuid,
    now: DateTime<Utc>,
) -> Result<Verdict> {
    connection
        .build_transaction()
        .repeatable_read()
        .read_only()
        .run(async |connection| {
            let walk = Walk::new(account_id, now, keys, keys.requires_trust());
            verify(connection, walk, account_id).await
        })
        .await
}

/// Verifies the chain of an imported account as the transaction of the connection sees it. An anchor of another
/// deployment is accepted.
///
/// # Errors
/// A failure of the database.
pub async fn verify_in_transaction(
    connection: &mut AsyncPgConnection,
    keys: &ChainKeys,
    account_id: Uuid,
    now: DateTime<Utc>,
) -> Result<Verdict> {
    verify(connection, Walk::new(account_id, now, keys, false), account_id).await
}

/// Verifies a chain. It holds one page of links and one of checkpoints at a time, however long the chain and its entries
/// are.
async fn verify(connection: &mut AsyncPgConnection, mut walk: Walk<'_>, account_id: Uuid) -> Result<Verdict> {
    let mut after = 0;
    loop {
        let links = db::links(connection, account_id, after, PAGE_SIZE).await?;
        hold_against_checkpoints(connection, &mut walk, (account_id, &links)).await?;
        let Some(last) = links.last() else { break };
        after = last.seq;
        walk.step_through(&links);
    }
    let (mut verdict, signed_beginning) = walk.end();
    if let Some(signed) = signed_beginning
        && db::beginning(connection, account_id).await?.is_none_or(|stored| stored > signed)
    {
        verdict.add(Fault { account_id, seq: None, entry_id: None, finding: Finding::BeginningMoved });
    }
    for entry in db::unlinked(connection, account_id, signed_beginning).await? {
        if entry.is_before && signed_beginning != Some(Beginning::Whole) {
            verdict.before += 1;
        } else {
            let finding = Finding::EntryUnlinked;
            verdict.add(Fault { account_id, seq: None, entry_id: Some(entry.id), finding });
        }
    }
    Ok(verdict)
}

/// Reads the checkpoints up to the last link of a page, or after the last page all that are left.
async fn hold_against_checkpoints(
    connection: &mut AsyncPgConnection,
    walk: &mut Walk<'_>,
    (account_id, links): (Uuid, &[Link]),
) -> Result<()> {
    let until = links.last().map_or(i64::MAX, |last| last.seq);
    loop {
        let places = (walk.last_checkpoint(), until);
        let checkpoints = db::checkpoints(connection, account_id, places, PAGE_SIZE).await?;
        let is_last = i64::try_from(checkpoints.len()).is_ok_and(|read| read < PAGE_SIZE);
        walk.hold_against(checkpoints, links);
        if is_last {
            return Ok(());
        }
    }
}

/// Account after the given one that has entries, links or checkpoints; `None` after the last.
///
/// # Errors
/// A failure of the database.
pub async fn next_account(connection: &mut AsyncPgConnection, after: Uuid) -> Result<Option<Uuid>> {
    db::next_account(connection, after).await
}
