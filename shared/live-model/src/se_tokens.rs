//! Tokens of StreamElements, sealed for the account and platform that they belong to
//! (reference/tips.md#tokens).

use foundation::crypto::{Keyring, SecretLocation};
use shared::{Result, secret::Secret};
use uuid::Uuid;

/// Encrypts a token.
///
/// # Errors
/// A failure of the cipher.
pub fn seal(keyring: &Keyring, account: Uuid, platform: &str, token: &Secret) -> Result<Vec<u8>> {
    keyring.seal(place(&row(account, platform)), token)
}

/// Decrypts a token.
///
/// # Errors
/// [`shared::Error::Decryption`] when no configured key opens it for this account and platform.
pub fn open(keyring: &Keyring, account: Uuid, platform: &str, sealed: &[u8]) -> Result<Secret> {
    keyring.open(place(&row(account, platform)), sealed)
}

/// Name of the row: a token that replaces another one keeps the place.
fn row(account: Uuid, platform: &str) -> String {
    format!("{account}/{platform}")
}

const fn place(row: &str) -> SecretLocation<'_> {
    SecretLocation { table: "se_tokens", column: "token", row }
}
