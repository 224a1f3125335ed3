//! Keys of checkpoints (reference/audit-chain.md#keys).

use std::fmt;

use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use chrono::{DateTime, Utc};
use shared::{Error, Result, secret::NamedKey};
use uuid::Uuid;

use crate::times;

/// Text that a checkpoint signs begins with it, so that no other signature of the key is one.
const CONTEXT: &str = "lumio audit checkpoint";

/// Time from which on every entry of an account has a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Beginning {
    /// Every entry has one, as after an import.
    Whole,
    /// Microseconds since 1970.
    At(i64),
}

/// Expression of `audit_chains` that [`Beginning::of`] takes.
pub(crate) fn began_micros() -> String {
    format!("CASE WHEN began_at > '-infinity' THEN {} END", times::micros("began_at"))
}

impl Beginning {
    /// Beginning of a row of `audit_chains`: without a time every entry has a link.
    pub fn of(micros: Option<i64>) -> Self {
        micros.map_or(Self::Whole, Self::At)
    }

    /// Its time; `None` where every entry has a link.
    pub fn at(self) -> Option<DateTime<Utc>> {
        match self {
            Self::Whole => None,
            Self::At(micros) => DateTime::from_timestamp_micros(micros),
        }
    }
}

/// State of a chain that a checkpoint states.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Statement<'a> {
    /// Account of the chain.
    pub account_id: Uuid,
    /// Number of the link.
    pub seq: i64,
    /// Hash of the link.
    pub hash: &'a [u8],
    /// Time of the signature, in microseconds since 1970.
    pub signed_micros: i64,
    /// True when retention has removed the link and those before it.
    pub is_anchor: bool,
    /// Beginning of the chain; `None` in the form of statements that do not have it.
    pub beginning: Option<Beginning>,
}

/// Signature with the key that verifies it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Signed {
    /// Ed25519 public key, 32 bytes.
    pub public_key: Vec<u8>,
    /// Signature, 64 bytes.
    pub signature: Vec<u8>,
}

/// Keys of a deployment. The first one signs, all of them are trusted.
pub struct ChainKeys {
    pairs: Vec<Ed25519KeyPair>,
    trusted: Vec<Vec<u8>>,
    allows_untrusted: bool,
}

impl fmt::Debug for ChainKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChainKeys").field("keys", &self.pairs.len()).finish_non_exhaustive()
    }
}

impl ChainKeys {
    /// Reads the keys of the configuration. Without one nothing is signed.
    ///
    /// # Errors
    /// A key that is no seed of Ed25519, which does not occur: every 32 bytes are one.
    pub fn new(keys: &[NamedKey]) -> Result<Self> {
        let pairs = keys
            .iter()
            .map(|key| {
                Ed25519KeyPair::from_seed_unchecked(&key.key)
                    .map_err(|_rejected| Error::Internal(format!("audit key `{}` is refused", key.id)))
            })
            .collect::<Result<Vec<_>>>()?;
        let trusted = pairs.iter().map(|pair| pair.public_key().as_ref().to_vec()).collect();
        Ok(Self { pairs, trusted, allows_untrusted: false })
    }

    /// Trusts further public keys, for example those of a deployment that an account was imported from.
    #[must_use]
    pub fn trusting(mut self, public_keys: impl IntoIterator<Item = Vec<u8>>) -> Self {
        self.trusted.extend(public_keys);
        self
    }

    /// Accepts chains that begin at an anchor without a trusted signature.
    #[must_use]
    pub const fn allowing_untrusted(mut self, allows_untrusted: bool) -> Self {
        self.allows_untrusted = allows_untrusted;
        self
    }

    /// Public key of the key that signs.
    #[must_use]
    pub fn public_key(&self) -> Option<&[u8]> {
        self.pairs.first().map(|pair| pair.public_key().as_ref())
    }

    /// True for the public key of a configured key, or of one that was added.
    pub(crate) fn trusts(&self, public_key: &[u8]) -> bool {
        self.trusted.iter().any(|trusted| trusted == public_key)
    }

    /// True when a chain may begin only at an anchor of a trusted key. Without keys there is none.
    pub(crate) const fn requires_trust(&self) -> bool {
        !self.trusted.is_empty() && !self.allows_untrusted
    }

    /// Public keys that are trusted.
    pub(crate) fn trusted(&self) -> &[Vec<u8>] {
        &self.trusted
    }

    /// Signs a statement; `None` without a key.
    pub(crate) fn sign(&self, statement: Statement<'_>) -> Option<Signed> {
        let pair = self.pairs.first()?;
        let signature = pair.sign(&statement.bytes());
        Some(Signed {
            public_key: pair.public_key().as_ref().to_vec(),
            signature: signature.as_ref().to_vec(),
        })
    }
}

impl Statement<'_> {
    /// True when the signature is one of the key over this statement.
    pub fn is_signed_by(&self, public_key: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, public_key).verify(&self.bytes(), signature).is_ok()
    }

    fn bytes(&self) -> Vec<u8> {
        let Self { account_id, seq, hash, signed_micros, is_anchor, beginning } = self;
        let kind = if *is_anchor { "anchor" } else { "checkpoint" };
        let hash = hex::encode(hash);
        let beginning = match beginning {
            Some(Beginning::At(micros)) => format!("\n{micros}"),
            Some(Beginning::Whole) => "\nwhole".to_owned(),
            None => String::new(),
        };
        format!("{CONTEXT}\n{kind}\n{account_id}\n{seq}\n{hash}\n{signed_micros}{beginning}").into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(bytes: &[u8]) -> ChainKeys {
        let keys: Vec<NamedKey> =
            bytes.iter().map(|byte| NamedKey { id: byte.to_string(), key: [*byte; 32] }).collect();
        ChainKeys::new(&keys).unwrap()
    }

    #[test]
    fn sign_covers_every_part_of_the_statement() {
        let keys = keys(&[1, 2]);
        let hash = [9; 32];
        let statement = Statement {
            account_id: Uuid::from_u128(1),
            seq: 3,
            hash: &hash,
            signed_micros: 4,
            is_anchor: false,
            beginning: Some(Beginning::At(5)),
        };
        let Signed { public_key, signature } = keys.sign(statement).unwrap();
        assert_eq!(Some(public_key.as_slice()), keys.public_key());
        assert!(statement.is_signed_by(&public_key, &signature));
        for other in [
            Statement { account_id: Uuid::from_u128(2), ..statement },
            Statement { seq: 4, ..statement },
            Statement { hash: &[8; 32], ..statement },
            Statement { signed_micros: 5, ..statement },
            Statement { is_anchor: true, ..statement },
            Statement { beginning: Some(Beginning::At(6)), ..statement },
            Statement { beginning: Some(Beginning::Whole), ..statement },
            Statement { beginning: None, ..statement },
        ] {
            assert!(!other.is_signed_by(&public_key, &signature), "{other:?}");
        }
    }

    #[test]
    fn trusts_the_configured_keys_and_those_that_were_added() {
        let (own, other) = (keys(&[1, 2]), keys(&[3]));
        let foreign = other.public_key().unwrap().to_vec();
        for pair in &own.pairs {
            assert!(own.trusts(pair.public_key().as_ref()));
        }
        assert!(!own.trusts(&foreign));
        assert!(own.trusting([foreign.clone()]).trusts(&foreign));
        assert!(ChainKeys::new(&[]).unwrap().public_key().is_none());
    }
}
