//! Becoming a member of an account.

pub mod invites;
