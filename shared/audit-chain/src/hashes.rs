//! Hashes of links. The trigger `audit_log_link` computes the same in the database (reference/audit-chain.md#links).

use sha2::{Digest, Sha256};
use uuid::Uuid;

/// Text before the account in the hash that the first link follows.
const BEGINNING: &str = "lumio audit chain";

/// Parts of a link that its hash covers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Linked<'a> {
    /// Number of the link.
    pub seq: i64,
    /// The entry.
    pub entry_id: Uuid,
    /// Time of the entry, in microseconds since 1970.
    pub created_micros: i64,
    /// Hash of the entry.
    pub content: &'a [u8],
}

impl<'a> Linked<'a> {
    /// Parts of a stored link.
    pub const fn new(seq: i64, entry_id: Uuid, created_micros: i64, content: &'a [u8]) -> Self {
        Self { seq, entry_id, created_micros, content }
    }

    /// True when the link has this hash after the one before it.
    pub fn follows(self, previous: &[u8], hash: &[u8]) -> bool {
        of_link(previous, self) == hash
    }
}

/// Hash that the first link of an account follows.
pub(crate) fn beginning(account: Uuid) -> Vec<u8> {
    Sha256::new().chain_update(BEGINNING).chain_update(account.as_bytes()).finalize().to_vec()
}

/// Hash of a link.
pub(crate) fn of_link(previous: &[u8], link: Linked<'_>) -> Vec<u8> {
    Sha256::new()
        .chain_update(previous)
        .chain_update(link.seq.to_be_bytes())
        .chain_update(link.entry_id.as_bytes())
        .chain_update(link.created_micros.to_be_bytes())
        .chain_update(link.content)
        .finalize()
        .to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_link_depends_on_every_part() {
        let link = Linked { seq: 7, entry_id: Uuid::from_u128(1), created_micros: 5, content: b"content" };
        let hash = of_link(b"previous", link);
        assert_eq!(hash.len(), 32);
        assert!(link.follows(b"previous", &hash));
        assert!(!link.follows(b"previous!", &hash));
        for other in [
            of_link(b"previous!", link),
            of_link(b"previous", Linked { seq: 8, ..link }),
            of_link(b"previous", Linked { entry_id: Uuid::from_u128(2), ..link }),
            of_link(b"previous", Linked { created_micros: 6, ..link }),
            of_link(b"previous", Linked { content: b"contents", ..link }),
        ] {
            assert_ne!(hash, other);
        }
        assert_ne!(beginning(Uuid::from_u128(1)), beginning(Uuid::from_u128(2)));
    }
}
