//! Sessions of streams, their samples and reports (reference/history.md).
//!
//! - [`transitions`]: the journal of status changes, folded into sessions.
//! - [`sessions`]: opening, closing and deletion of sessions.
//! - [`minutes`]: counts of chat lines and followers by minute.
//! - [`samples`]: viewers and counts by minute and platform.
//! - [`report`]: the report of a session.

pub mod minutes;
pub mod report;
pub mod samples;
pub mod sessions;
pub mod transitions;
