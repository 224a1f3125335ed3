//! Notifications, mails, reports, support and privacy.

mod csp_reports;
mod developers;
pub(crate) mod mail;
mod notifications;
mod preferences;
mod privacy;
mod support;
pub(crate) mod world;
