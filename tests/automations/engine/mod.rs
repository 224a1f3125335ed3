//! Execution of runs by the daemon `automations` (reference/automations.md#execution), and schedules
//! (reference/automations.md#schedules).

mod cancellation;
mod delays;
mod killed;
mod limits;
mod order;
mod recovery;
mod retention;
mod schedules;
pub mod stage;
