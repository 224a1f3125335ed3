//! Keys of checkpoints (reference/audit-chain.md#keys).

use std::fmt;

use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use shared::{Error, Result, secret::NamedKey};
use uuid::Uuid;

/// Text that a checkpoint signs begins with it, so that no other signature of the key is one.
const CONTEXT: &str = "lumio audit checkpoint";

/// State of a chain that a checkpoint states.
#[derive(Debug, Clone, Copy)]
pub struct Statement<'a> {
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
        Ok(Self { pairs, trusted })
    }

    /// Trusts further public keys, for example those of a deployment that an account was imported from.
    #[must_use]
    pub fn trusting(mut self, public_keys: impl IntoIterator<Item = Vec<u8>>) -> Self {
        self.trusted.extend(public_keys);
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
    pub(crate) fn is_signed_by(&self, public_key: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, public_key).verify(&self.bytes(), signature).is_ok()
    }

    fn bytes(&self) -> Vec<u8> {
        let Self { account_id, seq, hash, signed_micros, is_anchor } = self;
        let kind = if *is_anchor { "anchor" } else { "checkpoint" };
        let hash = hex::encode(hash);
        format!("{CONTEXT}\n{kind}\n{account_id}\n{seq}\n{hash}\n{signed_micros}").into_bytes()
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
