//! Walk along a chain.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{Fault, Finding, Verdict, db::Link};
use crate::{
    RETENTION,
    checkpoints::{Checkpoint, Proof},
    hashes::{Linked, beginning, of_link},
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
    checkpoints: BTreeMap<i64, Accepted>,
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
            signed_beginning: None,
            seq: 0,
            previous: None,
            verdict: Verdict::default(),
        }
    }

    /// Counts the checkpoints, and keeps those that the chain is held against.
    pub fn hold_against(&mut self, checkpoints: BTreeMap<i64, Checkpoint>) {
        for (seq, checkpoint) in checkpoints {
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
            self.checkpoints.insert(seq, Accepted { checkpoint, is_trusted });
        }
    }

    /// Verifies the next link with its entry.
    pub fn step(&mut self, link: &Link) {
        self.verdict.links += 1;
        let is_first = self.seq == 0;
        if is_first {
            self.begin(link);
        } else if link.seq != self.seq + 1 {
            let finding = Finding::LinksMissing { from: self.seq + 1 };
            self.fault(Some(link.seq - 1), None, finding);
            self.previous = None;
        }
        let linked = Linked {
            seq: link.seq,
            entry_id: link.entry_id,
            created_micros: link.created_micros,
            content: &link.content,
        };
        if self.previous.as_ref().is_some_and(|previous| of_link(previous, linked) != link.hash) {
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
        let last = self.checkpoints.last_key_value().map(|(seq, _)| *seq);
        if let Some(last) = last.filter(|last| *last > self.seq) {
            let finding = Finding::LinksMissing { from: self.seq + 1 };
            self.fault(Some(last), None, finding);
        }
        (self.verdict, self.signed_beginning)
    }

    fn fault(&mut self, seq: Option<i64>, entry_id: Option<Uuid>, finding: Finding) {
        self.verdict.add(Fault { account_id: self.account_id, seq, entry_id, finding });
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};
    use shared::secret::NamedKey;

    use super::*;
    use crate::{keys::Statement, verify::MAX_FAULTS};

    const ACCOUNT: Uuid = Uuid::from_u128(1);

    fn keys() -> ChainKeys {
        ChainKeys::new(&[NamedKey { id: "a".into(), key: [1; 32] }]).unwrap()
    }

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000, 0).unwrap()
    }

    fn of_both(first: &[u8], second: &[u8]) -> Vec<u8> {
        Sha256::new().chain_update(first).chain_update(second).finalize().to_vec()
    }

    /// Gives a link an entry with another retained part.
    fn change_entry(link: &mut Link) {
        link.entry_content = Some(of_both(b"[0]", &link.commitment));
    }

    /// A chain of some links with whole entries.
    fn chain(length: i64) -> Vec<Link> {
        let mut previous = beginning(ACCOUNT);
        let link = |seq: i64| {
            let entry_id = Uuid::from_u128(u128::try_from(seq).unwrap());
            let commitment = of_both(&[7; 32], format!("[\"person {seq}\", {{}}]").as_bytes());
            let content = of_both(format!("[{seq}]").as_bytes(), &commitment);
            let created_micros = now().timestamp_micros() - 1_000_000 + seq;
            let linked = Linked { seq, entry_id, created_micros, content: &content };
            let hash = of_link(&previous, linked);
            previous.clone_from(&hash);
            Link {
                seq,
                entry_id,
                created_micros,
                is_salted: true,
                entry_commitment: Some(commitment.clone()),
                entry_content: Some(content.clone()),
                commitment,
                content,
                hash,
                is_erased: false,
            }
        };
        (1..=length).map(link).collect()
    }

    fn checkpoint(link: &Link, is_anchor: bool) -> Checkpoint {
        let statement = Statement {
            account_id: ACCOUNT,
            seq: link.seq,
            hash: &link.hash,
            signed_micros: now().timestamp_micros(),
            is_anchor,
            beginning: Some(Beginning::Whole),
        };
        let signed = keys().sign(statement).unwrap();
        Checkpoint {
            account_id: ACCOUNT,
            seq: link.seq,
            hash: link.hash.clone(),
            signed_at: now(),
            is_anchor,
            began_at: None,
            public_key: Some(signed.public_key),
            signature: Some(signed.signature),
        }
    }

    fn verdict(links: &[Link], checkpoints: &[Checkpoint]) -> Verdict {
        verdict_with(&keys(), links, checkpoints)
    }

    fn verdict_with(keys: &ChainKeys, links: &[Link], checkpoints: &[Checkpoint]) -> Verdict {
        let mut walk = Walk::new(ACCOUNT, now(), keys, keys.requires_trust());
        walk.hold_against(checkpoints.iter().map(|one| (one.seq, one.clone())).collect());
        for link in links {
            walk.step(link);
        }
        walk.end().0
    }

    fn findings(links: &[Link], checkpoints: &[Checkpoint]) -> Vec<(Option<i64>, Finding)> {
        verdict(links, checkpoints).faults.into_iter().map(|fault| (fault.seq, fault.finding)).collect()
    }

    #[test]
    fn walk_of_a_whole_chain_finds_nothing() {
        let links = chain(5);
        let checkpoints = [checkpoint(&links[1], false), checkpoint(&links[4], false)];
        let verdict = verdict(&links, &checkpoints);
        assert!(verdict.is_intact(), "{verdict:?}");
        assert_eq!((verdict.links, verdict.signed, verdict.untrusted), (5, 2, 0));
    }

    #[test]
    fn walk_names_the_one_changed_entry_or_link() {
        let mut links = chain(5);
        change_entry(&mut links[2]);
        assert_eq!(findings(&links, &[]), [(Some(3), Finding::EntryChanged)]);
        let mut links = chain(5);
        links[2].entry_commitment = Some(of_both(&[7; 32], b"[\"other\", {}]"));
        assert_eq!(findings(&links, &[]), [(Some(3), Finding::EntryChanged)]);
        let mut links = chain(5);
        (links[2].is_salted, links[2].entry_commitment) = (false, None);
        assert_eq!(findings(&links, &[]), [(Some(3), Finding::EntryChanged)], "it looks unerased");
        links[2].is_erased = true;
        let erased = verdict(&links, &[]);
        assert!(erased.is_intact() && erased.erased == 1, "{erased:?}");
        let mut links = chain(5);
        links[2].created_micros += 1;
        assert_eq!(findings(&links, &[]), [(Some(3), Finding::LinkChanged)]);
    }

    #[test]
    fn walk_names_a_number_of_faults_and_counts_the_others() {
        let mut links = chain(1_002);
        links.iter_mut().skip(1).for_each(change_entry);
        let found = verdict(&links, &[]);
        assert_eq!((found.faults.len(), found.further_faults), (MAX_FAULTS, 1));
    }

    #[test]
    fn walk_names_what_was_removed() {
        let whole = chain(5);
        let mut links = whole.clone();
        (links[2].entry_commitment, links[2].entry_content) = (None, None);
        assert_eq!(findings(&links, &[]), [(Some(3), Finding::EntryMissing)]);
        let mut links = whole.clone();
        links.remove(2);
        assert_eq!(findings(&links, &[]), [(Some(3), Finding::LinksMissing { from: 3 })]);
        assert_eq!(findings(&whole[2..], &[]), [(Some(2), Finding::LinksMissing { from: 1 })]);
        let last = checkpoint(&whole[4], false);
        assert_eq!(findings(&whole[..3], &[last]), [(Some(5), Finding::LinksMissing { from: 4 })]);
    }

    #[test]
    fn walk_names_the_links_that_changed_places() {
        let mut links = chain(5);
        let (second, third) = (links[1].seq, links[2].seq);
        links.swap(1, 2);
        (links[1].seq, links[2].seq) = (second, third);
        let changed = Finding::LinkChanged;
        let expected = [(Some(2), changed.clone()), (Some(3), changed.clone()), (Some(4), changed)];
        assert_eq!(findings(&links, &[]), expected);
    }

    #[test]
    fn walk_compares_a_rewritten_chain_with_its_checkpoints() {
        let whole = chain(5);
        let signed = checkpoint(&whole[3], false);
        let mut rewritten = whole.clone();
        change_entry(&mut rewritten[2]);
        let mut previous = whole[1].hash.clone();
        for link in &mut rewritten[2..] {
            link.content = link.entry_content.clone().unwrap();
            let linked = Linked {
                seq: link.seq,
                entry_id: link.entry_id,
                created_micros: link.created_micros,
                content: &link.content,
            };
            link.hash = of_link(&previous, linked);
            previous.clone_from(&link.hash);
        }
        assert_eq!(findings(&rewritten, &[]), []);
        let differs = Finding::CheckpointDiffers { signed_at: now() };
        assert_eq!(findings(&rewritten, std::slice::from_ref(&signed)), [(Some(4), differs)]);
        let forged = Checkpoint { hash: rewritten[3].hash.clone(), ..signed };
        assert_eq!(findings(&rewritten, &[forged]), [(Some(4), Finding::SignatureInvalid)]);
    }

    #[test]
    fn walk_begins_at_an_anchor() {
        let links = chain(5);
        let anchor = checkpoint(&links[1], true);
        assert_eq!(findings(&links[2..], std::slice::from_ref(&anchor)), []);
        let plain = checkpoint(&links[1], false);
        assert_eq!(findings(&links[2..], &[plain]), [(Some(2), Finding::LinksMissing { from: 1 })]);
        let foreign = ChainKeys::new(&[NamedKey { id: "b".into(), key: [2; 32] }]).unwrap();
        let public_key = anchor.public_key.clone();
        let found = verdict_with(&foreign, &links[2..], std::slice::from_ref(&anchor));
        let expected = Finding::AnchorUntrusted { public_key };
        assert_eq!((found.faults[0].finding.clone(), found.untrusted), (expected, 1));
        let unsigned = Checkpoint { public_key: None, signature: None, ..anchor };
        let untrusted = Finding::AnchorUntrusted { public_key: None };
        assert_eq!(findings(&links[2..], std::slice::from_ref(&unsigned)), [(Some(2), untrusted)]);
        for keys in [keys().allowing_untrusted(true), ChainKeys::new(&[]).unwrap()] {
            let verdict = verdict_with(&keys, &links[2..], std::slice::from_ref(&unsigned));
            assert!(verdict.is_intact() && verdict.untrusted == 1, "{verdict:?}");
        }
    }

    #[test]
    fn walk_counts_entries_that_have_expired() {
        let mut links = chain(2);
        let old = now() - RETENTION;
        let mut previous = beginning(ACCOUNT);
        for link in &mut links {
            link.created_micros = old.timestamp_micros() - 10;
            (link.entry_commitment, link.entry_content) = (None, None);
            let linked = Linked {
                seq: link.seq,
                entry_id: link.entry_id,
                created_micros: link.created_micros,
                content: &link.content,
            };
            link.hash = of_link(&previous, linked);
            previous.clone_from(&link.hash);
        }
        let verdict = verdict(&links, &[]);
        assert!(verdict.is_intact() && verdict.expired == 2, "{verdict:?}");
    }
}
