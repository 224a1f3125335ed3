//! Walks along chains that were altered.

use sha2::{Digest, Sha256};
use shared::secret::NamedKey;

use super::*;
use crate::{hashes::of_link, keys::Statement, verify::MAX_FAULTS};

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
    let link = |seq: i64| {
        let entry_id = Uuid::from_u128(u128::try_from(seq).unwrap());
        let commitment = of_both(&[7; 32], format!("[\"person {seq}\", {{}}]").as_bytes());
        let content = of_both(format!("[{seq}]").as_bytes(), &commitment);
        Link {
            seq,
            entry_id,
            created_micros: now().timestamp_micros() - 1_000_000 + seq,
            is_salted: true,
            entry_commitment: Some(commitment.clone()),
            entry_content: Some(content.clone()),
            commitment,
            content,
            hash: Vec::new(),
            is_erased: false,
        }
    };
    let mut links: Vec<Link> = (1..=length).map(link).collect();
    hash_anew(&mut links, &beginning(ACCOUNT));
    links
}

/// Gives the links the hashes that follow from their parts and the hash before them.
fn hash_anew(links: &mut [Link], previous: &[u8]) {
    let mut previous = previous.to_vec();
    for link in links {
        link.hash =
            of_link(&previous, Linked::new(link.seq, link.entry_id, link.created_micros, &link.content));
        previous.clone_from(&link.hash);
    }
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

/// Verdict of a walk over one page, which pages of two links give, too.
fn verdict_with(keys: &ChainKeys, links: &[Link], checkpoints: &[Checkpoint]) -> Verdict {
    let whole = verdict_of_pages(keys, links.len().max(1), (links, checkpoints));
    let mut paged = verdict_of_pages(keys, 2, (links, checkpoints));
    let mut sorted = whole.clone();
    for verdict in [&mut paged, &mut sorted] {
        verdict.faults.sort_by_key(|fault| (fault.seq, fault.to_string()));
    }
    assert_eq!(paged, sorted);
    whole
}

fn verdict_of_pages(
    keys: &ChainKeys,
    page_size: usize,
    (links, checkpoints): (&[Link], &[Checkpoint]),
) -> Verdict {
    let mut walk = Walk::new(ACCOUNT, now(), keys, keys.requires_trust());
    let mut after = 0;
    // The last page has the checkpoints that are left, and no links.
    for page in links.chunks(page_size).chain([&[][..]]) {
        let until = page.last().map_or(i64::MAX, |last| last.seq);
        let places = checkpoints.iter().filter(|one| one.seq > after && one.seq <= until);
        walk.hold_against(places.cloned().collect(), page);
        walk.step_through(page);
        after = until;
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
    for link in &mut rewritten[2..] {
        link.content = link.entry_content.clone().unwrap();
    }
    hash_anew(&mut rewritten[2..], &whole[1].hash);
    assert_eq!(findings(&rewritten, &[]), []);
    let differs = Finding::CheckpointDiffers { signed_at: now() };
    assert_eq!(findings(&rewritten, std::slice::from_ref(&signed)), [(Some(4), differs)]);
    let forged = Checkpoint { hash: rewritten[3].hash.clone(), ..signed };
    assert_eq!(findings(&rewritten, &[forged]), [(Some(4), Finding::SignatureInvalid)]);
}

#[test]
fn walk_compares_every_checkpoint_with_its_link() {
    let links = chain(5);
    let other = |seq: usize| {
        let forged = Link { hash: vec![9; 32], ..links[seq - 1].clone() };
        checkpoint(&forged, false)
    };
    let differs = |seq: i64| (Some(seq), Finding::CheckpointDiffers { signed_at: now() });
    let checkpoints: Vec<Checkpoint> = (1..=5).map(other).collect();
    assert_eq!(findings(&links, &checkpoints), (1..=5).map(differs).collect::<Vec<_>>());
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
    for link in &mut links {
        link.created_micros = old.timestamp_micros() - 10;
        (link.entry_commitment, link.entry_content) = (None, None);
    }
    hash_anew(&mut links, &beginning(ACCOUNT));
    let verdict = verdict(&links, &[]);
    assert!(verdict.is_intact() && verdict.expired == 2, "{verdict:?}");
}
