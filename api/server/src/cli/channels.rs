//! Channel connections.

use std::io::Read;

use anyhow::{Context, ensure};
use shared::secret::Secret;

/// Longest token that is read, in bytes.
const MAX_TOKEN_LENGTH: u64 = 8192;

/// Reads an access token from standard input, so that it is in no process list.
pub fn read_token() -> anyhow::Result<Secret> {
    let mut text = String::new();
    std::io::stdin().take(MAX_TOKEN_LENGTH).read_to_string(&mut text).context("standard input")?;
    let text = text.trim();
    ensure!(!text.is_empty(), "standard input holds no access token");
    Ok(Secret::new(text))
}
