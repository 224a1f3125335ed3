//! Runs of automations.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Job;

/// Executes runs of an account that wait (reference/automations.md#execution). The payload names the run that
/// was started; the oldest run of the account is executed first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunAutomation {
    /// Account of the run.
    pub account_id: Uuid,
    /// The run.
    pub run_id: Uuid,
}

impl Job for RunAutomation {
    const QUEUE: &'static str = "automations";
}
