//! Accounts as several domains need them: creation and end, memberships, plans, limits and features.

pub mod accounts;
pub mod features;
pub mod limits;
pub mod plans;
