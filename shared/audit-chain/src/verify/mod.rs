//! Verification of chains: names each entry that was changed, removed or moved (reference/audit-chain.md#verification).

mod db;
mod walk;

use std::fmt;

use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use shared::Result;
use uuid::Uuid;

use crate::keys::ChainKeys;
use walk::Walk;

/// Faults of one account that are named. Further ones are counted.
const MAX_FAULTS: usize = 1_000;
/// Links of one page.
const PAGE_SIZE: i64 = 1_000;

/// Place where a chain is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The account.
    pub account_id: Uuid,
    /// Number of the link; `None` for an entry without one.
    pub seq: Option<i64>,
    /// Entry of the audit log; `None` where it is not known.
    pub entry_id: Option<Uuid>,
    /// Finding.
    pub finding: Finding,
}

/// Kind of a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// The content of the entry is not the one that was written.
    EntryChanged,
    /// The entry is gone although it has not expired.
    EntryMissing,
    /// The entry was written around the chain.
    EntryUnlinked,
    /// The link is not the one that was written, or is at another place.
    LinkChanged,
    /// Links from this number up to the named link are gone.
    LinksMissing {
        /// First number that is missing.
        from: i64,
    },
    /// The chain does not lead to the hash that was signed, so entries were changed together with their links.
    CheckpointDiffers {
        /// Time of the signature.
        signed_at: DateTime<Utc>,
    },
    /// The signature of the checkpoint is not valid.
    SignatureInvalid,
}

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

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "account {}", self.account_id)?;
        if let Some(seq) = self.seq {
            write!(f, ", link {seq}")?;
        }
        if let Some(entry) = self.entry_id {
            write!(f, ", entry {entry}")?;
        }
        write!(f, ": {}", self.finding)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EntryChanged => f.write_str("the entry was changed"),
            Self::EntryMissing => f.write_str("the entry was removed"),
            Self::EntryUnlinked => f.write_str("the entry was written around the chain"),
            Self::LinkChanged => f.write_str("the link was changed or moved"),
            Self::LinksMissing { from } => write!(f, "the links from {from} up to this number were removed"),
            Self::CheckpointDiffers { signed_at } => {
                write!(f, "the chain up to here is not the one that was signed at {}", text(*signed_at))
            }
            Self::SignatureInvalid => f.write_str("the signature of the checkpoint is not valid"),
        }
    }
}

fn text(at: DateTime<Utc>) -> String {
    shared::clock::rfc3339(at)
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
        .run(async |connection| verify_in_transaction(connection, keys, account_id, now).await)
        .await
}

/// Verifies the chain of an account as the transaction of the connection sees it. It holds one page of links at a time,
/// however long the chain and its entries are.
///
/// # Errors
/// A failure of the database.
pub async fn verify_in_transaction(
    connection: &mut AsyncPgConnection,
    keys: &ChainKeys,
    account_id: Uuid,
    now: DateTime<Utc>,
) -> Result<Verdict> {
    let checkpoints = db::checkpoints(connection, account_id).await?;
    let mut walk = Walk::new(account_id, now, keys, checkpoints);
    let mut after = 0;
    loop {
        let page = db::links(connection, account_id, after, PAGE_SIZE).await?;
        let Some(last) = page.last() else { break };
        after = last.seq;
        for link in &page {
            walk.step(link);
        }
    }
    let mut verdict = walk.end();
    let unlinked = db::unlinked(connection, account_id).await?;
    for entry in unlinked {
        if entry.is_before {
            verdict.before += 1;
        } else {
            let finding = Finding::EntryUnlinked;
            verdict.add(Fault { account_id, seq: None, entry_id: Some(entry.id), finding });
        }
    }
    Ok(verdict)
}

/// Account after the given one that has entries, links or checkpoints; `None` after the last.
///
/// # Errors
/// A failure of the database.
pub async fn next_account(connection: &mut AsyncPgConnection, after: Uuid) -> Result<Option<Uuid>> {
    db::next_account(connection, after).await
}
