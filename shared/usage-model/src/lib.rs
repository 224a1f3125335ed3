//! Usage of accounts, extensions and keys by hour, and budgets (reference/usage.md).
//!
//! A [`Meter`] counts in a process and adds its counts to Redis, many at a time and each once. [`batches`] moves them to
//! the hours of PostgreSQL, also each once. [`storage`] measures stored bytes. [`budgets`] compares both with the
//! budgets of an account, and [`Stops`] has what is refused because of them.

pub mod batches;
pub mod budgets;
mod consumer;
mod counts;
mod fields;
mod keys;
mod meter;
mod metered;
pub mod storage;
mod units;

pub use budgets::{Stop, Stops};
pub use consumer::{Actor, Consumer};
pub use counts::{Counter, Counts};
pub use meter::{HEARTBEAT_INTERVAL, Meter, RECEIPT_TIMEOUT, Receipt};
pub use metered::Metered;
pub use units::{Period, SubjectKind, Unit};
