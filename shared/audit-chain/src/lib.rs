//! Tamper-evident audit log: a hash chain for each account, signed checkpoints, and their verification
//! (reference/audit-chain.md).
//!
//! The database writes the links itself, at the commit of each entry. This crate signs, removes what has expired, and
//! verifies.

mod checkpoints;
mod hashes;
mod keys;
mod retention;
pub mod verify;

use chrono::TimeDelta;

pub use checkpoints::sign_open_chains;
pub use keys::{ChainKeys, Statement};
pub use retention::remove_expired;

/// Retention of entries of the audit log, and of their links (reference/accounts.md#audit-log).
pub const RETENTION: TimeDelta = TimeDelta::days(365);
