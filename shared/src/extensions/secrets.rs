//! Secrets of an extension at rest: bound to the extension and the key, so that a ciphertext copied elsewhere does
//! not open.

use uuid::Uuid;

use crate::{
    Result,
    crypto::{Keyring, Place},
    secret::Secret,
};

/// Encrypts a secret.
///
/// # Errors
/// When the cipher refuses.
pub fn seal_secret(keyring: &Keyring, extension: Uuid, key: &str, value: &Secret) -> Result<Vec<u8>> {
    keyring.seal(place(&row(extension, key)), value)
}

/// Decrypts a secret.
///
/// # Errors
/// When the key is not configured or the bytes belong elsewhere.
pub fn open_secret(keyring: &Keyring, extension: Uuid, key: &str, sealed: &[u8]) -> Result<Secret> {
    keyring.open(place(&row(extension, key)), sealed)
}

fn row(extension: Uuid, key: &str) -> String {
    format!("{extension}/{key}")
}

const fn place(row: &str) -> Place<'_> {
    Place { table: "extension_secrets", column: "value", row }
}
