//! Credentials of connections at their platforms: the refresh of tokens, and their revocation.

pub mod revocation;
pub mod tokens;
