//! Secrets of an extension at rest. They are bound to extension and key, so that a copied ciphertext does not
//! open elsewhere.

use uuid::Uuid;

use foundation::crypto::{Keyring, SecretLocation};
use shared::{Result, secret::Secret};

/// Encrypts a secret.
///
/// # Errors
/// Failure of the cipher.
pub fn seal_secret(keyring: &Keyring, extension: Uuid, key: &str, value: &Secret) -> Result<Vec<u8>> {
    keyring.seal(place(&row(extension, key)), value)
}

/// Decrypts a secret.
///
/// # Errors
/// A key that is not configured, or bytes that belong to another extension or key.
pub fn open_secret(keyring: &Keyring, extension: Uuid, key: &str, sealed: &[u8]) -> Result<Secret> {
    keyring.open(place(&row(extension, key)), sealed)
}

fn row(extension: Uuid, key: &str) -> String {
    format!("{extension}/{key}")
}

const fn place(row: &str) -> SecretLocation<'_> {
    SecretLocation { table: "extension_secrets", column: "value", row }
}
