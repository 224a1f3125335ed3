//! Notifications to people and the mails that carry them.

pub mod mail;
pub mod notify;
