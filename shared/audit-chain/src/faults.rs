//! Faults of chains (reference/audit-chain.md#verification).

use std::fmt;

use chrono::{DateTime, Utc};
use uuid::Uuid;

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
    /// The chain begins at an anchor without a trusted signature, so links may have been cut off.
    AnchorUntrusted {
        /// Public key of its signature; `None` without one.
        public_key: Option<Vec<u8>>,
    },
    /// The beginning of the chain is later than the one that was signed, so entries may seem to be from before it.
    BeginningMoved,
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
            Self::AnchorUntrusted { public_key: None } => {
                f.write_str("the anchor before the chain is not signed")
            }
            Self::AnchorUntrusted { public_key: Some(key) } => {
                write!(
                    f,
                    "the anchor before the chain is signed by the key {}, which is not trusted",
                    hex::encode(key)
                )
            }
            Self::BeginningMoved => {
                f.write_str("the beginning of the chain is later than the one that was signed")
            }
        }
    }
}

fn text(at: DateTime<Utc>) -> String {
    shared::clock::rfc3339(at)
}
