//! Tamper-evident audit log: a hash chain for each account, signed checkpoints, and their verification
//! (reference/audit-chain.md).
//!
//! The database writes the links itself, at the commit of each entry. This crate signs, removes what has expired, and
//! verifies.

mod checkpoints;
mod faults;
mod hashes;
mod keys;
mod locks;
mod retention;
mod signing;
mod stretches;
mod times;
pub mod verify;

use chrono::TimeDelta;

pub use checkpoints::adopt_anchor;
pub use keys::ChainKeys;
pub use retention::{Removal, remove_expired};
pub use signing::{Signing, sign_open_chains};

/// Retention of entries of the audit log, and of their links (reference/accounts.md#audit-log).
pub const RETENTION: TimeDelta = TimeDelta::days(365);
