//! Secrets that sign deliveries (reference/webhooks.md#secrets). They are stored sealed for their endpoint and
//! column.

use base64::{Engine, prelude::BASE64_STANDARD};
use chrono::TimeDelta;
use foundation::crypto::{Keyring, SecretLocation, row};
use rand::RngExt;
use shared::{Result, secret::Secret};
use uuid::Uuid;

/// Time for which the secret before a rotation signs too (reference/webhooks.md#rotation).
pub const ROTATION_OVERLAP: TimeDelta = TimeDelta::hours(24);
/// Beginning of every secret.
pub const PREFIX: &str = "whsec_";
/// Random bytes of a secret.
const SECRET_BYTES: usize = 32;

/// Column of an endpoint with a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretColumn {
    /// Secret that signs.
    Current,
    /// Secret before the last rotation.
    Previous,
}

impl SecretColumn {
    const fn location(self, row: &str) -> SecretLocation<'_> {
        let column = match self {
            Self::Current => "secret",
            Self::Previous => "previous_secret",
        };
        SecretLocation { table: "webhook_endpoints", column, row }
    }
}

/// Makes a secret in the form of Standard Webhooks: `whsec_` and 32 random bytes in base64.
#[must_use]
pub fn generate() -> Secret {
    let bytes: [u8; SECRET_BYTES] = rand::rng().random();
    Secret::new(format!("{PREFIX}{}", BASE64_STANDARD.encode(bytes)))
}

/// Encrypts the secret of an endpoint.
///
/// # Errors
/// A failure of the cipher.
pub fn seal(keyring: &Keyring, endpoint: Uuid, column: SecretColumn, secret: &Secret) -> Result<Vec<u8>> {
    keyring.seal(column.location(&row(endpoint)), secret)
}

/// Decrypts the secret of an endpoint.
///
/// # Errors
/// [`shared::Error::Decryption`] when no configured key opens it for this endpoint and column.
pub fn open(keyring: &Keyring, endpoint: Uuid, column: SecretColumn, sealed: &[u8]) -> Result<Secret> {
    keyring.open(column.location(&row(endpoint)), sealed)
}

#[cfg(test)]
mod tests {
    use shared::secret::NamedKey;

    use super::*;

    #[test]
    fn open_needs_the_endpoint_and_the_column() {
        let keyring = Keyring::new(vec![NamedKey { id: "a".into(), key: [1; 32] }]).unwrap();
        let (endpoint, secret) = (Uuid::now_v7(), generate());
        let sealed = seal(&keyring, endpoint, SecretColumn::Current, &secret).unwrap();
        assert_eq!(open(&keyring, endpoint, SecretColumn::Current, &sealed).unwrap(), secret);
        assert!(open(&keyring, endpoint, SecretColumn::Previous, &sealed).is_err());
        assert!(open(&keyring, Uuid::now_v7(), SecretColumn::Current, &sealed).is_err());
    }

    #[test]
    fn generate_makes_secrets_that_differ() {
        let (one, other) = (generate(), generate());
        assert_ne!(one, other);
        let encoded = one.expose().strip_prefix(PREFIX).unwrap();
        assert_eq!(BASE64_STANDARD.decode(encoded).unwrap().len(), SECRET_BYTES);
    }
}
