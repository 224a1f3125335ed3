//! Walk along a chain.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{Fault, Finding, Verdict, db::Link};
use crate::{
    RETENTION,
    checkpoints::{Checkpoint, Proof},
    hashes::{Linked, beginning},
    keys::{Beginning, ChainKeys},
};

/// A checkpoint without a signature that is not valid.
struct Accepted {
    checkpoint: Checkpoint,
    is_trusted: bool,
}

/// State of a walk.
pub(super) struct Walk<'a> {
    account_id: Uuid,
    /// Entries from before may have expired.
    expired_before_micros: i64,
    keys: &'a ChainKeys,
    /// True when an anchor needs a signature of a trusted key.
    requires_trust: bool,
    /// Checkpoints of the links of the page, and the anchor before the first link.
    checkpoints: BTreeMap<i64, Accepted>,
    /// Number of the last checkpoint that was read.
    last_checkpoint: i64,
    /// Highest number of a checkpoint that was accepted.
    last_accepted: i64,
    /// Earliest beginning that a checkpoint states.
    signed_beginning: Option<Beginning>,
    /// Number of the last link.
    seq: i64,
    /// Hash of the last link; `None` when it is not known.
    previous: Option<Vec<u8>>,
    verdict: Verdict,
}

impl<'a> Walk<'a> {
    /// Walk before the first link of an account.
    pub fn new(account_id: Uuid, now: DateTime<Utc>, keys: &'a ChainKeys, requires_trust: bool) -> Self {
        Self {
            account_id,
            expired_before_micros: (now - RETENTION).timestamp_micros(),
            keys,
            requires_trust,
            checkpoints: BTreeMap::new(),
            last_checkpoint: 0,
            last_accepted: 0,
            signed_beginning: None,
            seq: 0,
            previous: None,
            verdict: Verdict::default(),
        }
    }

    /// Number of the last checkpoint that was read.
    pub const fn last_checkpoint(&self) -> i64 {
        self.last_checkpoint
    }

    /// Counts checkpoints in the order of the chain, and keeps those that the links of a page are held against.
    pub fn hold_against(&mut self, checkpoints: Vec<Checkpoint>, links: &[Link]) {
        for checkpoint in checkpoints {
            let seq = checkpoint.seq;
            self.last_checkpoint = seq;
            let is_trusted = match checkpoint.proof(self.keys) {
                // It proves nothing.
                Proof::Invalid => {
                    self.fault(Some(seq), None, Finding::SignatureInvalid);
                    continue;
                }
                Proof::Unsigned => false,
                Proof::Signed { is_trusted, beginning } => {
                    self.signed_beginning = self.signed_beginning.into_iter().chain(beginning).min();
                    is_trusted
                }
            };
            let count = if is_trusted { &mut self.verdict.signed } else { &mut self.verdict.untrusted };
            *count += 1;
            self.last_accepted = seq;
            let is_anchor = self.seq == 0 && links.first().is_some_and(|first| first.seq - 1 == seq);
            if is_anchor || links.binary_search_by_key(&seq, |link| link.seq).is_ok() {
                self.checkpoints.insert(seq, Accepted { checkpoint, is_trusted });
            }
        }
    }

    /// Verifies the links of a page with their entries.
    pub fn step_through(&mut self, links: &[Link]) {
        for link in links {
            self.step(link);
        }
        self.checkpoints.clear();
    }

    /// Verifies the next link with its entry.
    fn step(&mut self, link: &Link) {
        self.verdict.links += 1;
        let is_first = self.seq == 0;
        if is_first {
            self.begin(link);
        } else if link.seq != self.seq + 1 {
            let finding = Finding::LinksMissing { from: self.seq + 1 };
            self.fault(Some(link.seq - 1), None, finding);
            self.previous = None;
        }
        let linked = Linked::new(link.seq, link.entry_id, link.created_micros, &link.content);
        if self.previous.as_ref().is_some_and(|previous| !linked.follows(previous, &link.hash)) {
            self.fault(Some(link.seq), Some(link.entry_id), Finding::LinkChanged);
        }
        self.check_entry(link);
        self.check_checkpoint(link);
        // The stored hash, so that the links after a changed one are not reported with it.
        (self.seq, self.previous) = (link.seq, Some(link.hash.clone()));
    }

    /// Finds the hash that the first link follows: retention may have removed links before it.
    fn begin(&mut self, link: &Link) {
        if link.seq == 1 {
            self.previous = Some(beginning(self.account_id));
            return;
        }
        let anchor = self.checkpoints.get(&(link.seq - 1)).filter(|known| known.checkpoint.is_anchor);
        let Some(Accepted { checkpoint, is_trusted }) = anchor else {
            self.fault(Some(link.seq - 1), None, Finding::LinksMissing { from: 1 });
            return;
        };
        let is_fault = self.requires_trust && !is_trusted;
        let public_key = checkpoint.public_key.clone();
        self.previous = Some(checkpoint.hash.clone());
        if is_fault {
            self.fault(Some(link.seq - 1), None, Finding::AnchorUntrusted { public_key });
        }
    }

    fn check_entry(&mut self, link: &Link) {
        let Some(content) = &link.entry_content else {
            if link.created_micros < self.expired_before_micros {
                self.verdict.expired += 1;
            } else {
                self.fault(Some(link.seq), Some(link.entry_id), Finding::EntryMissing);
            }
            return;
        };
        let is_committed = match link.is_salted {
            true => link.entry_commitment.as_ref() == Some(&link.commitment),
            false => link.is_erased,
        };
        if !is_committed || *content != link.content {
            self.fault(Some(link.seq), Some(link.entry_id), Finding::EntryChanged);
        } else if !link.is_salted {
            self.verdict.erased += 1;
        }
    }

    fn check_checkpoint(&mut self, link: &Link) {
        let Some(Accepted { checkpoint, .. }) = self.checkpoints.get(&link.seq) else { return };
        if checkpoint.hash != link.hash {
            let finding = Finding::CheckpointDiffers { signed_at: checkpoint.signed_at };
            self.fault(Some(link.seq), Some(link.entry_id), finding);
        }
    }

    /// Verifies that the chain is as long as the last checkpoint states. Also returns the beginning that was signed.
    pub fn end(mut self) -> (Verdict, Option<Beginning>) {
        if self.last_accepted > self.seq {
            let finding = Finding::LinksMissing { from: self.seq + 1 };
            self.fault(Some(self.last_accepted), None, finding);
        }
        (self.verdict, self.signed_beginning)
    }

    fn fault(&mut self, seq: Option<i64>, entry_id: Option<Uuid>, finding: Finding) {
        self.verdict.add(Fault { account_id: self.account_id, seq, entry_id, finding });
    }
}

#[cfg(test)]
mod tests;
