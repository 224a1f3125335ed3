//! Execution of runs by the daemon `automations` (reference/automations.md#execution), and schedules
//! (reference/automations.md#schedules).

mod cancellation;
mod delays;
mod frames;
mod killed;
mod limits;
mod logic;
mod order;
mod patterns;
mod recovery;
mod retention;
mod schedules;
pub mod stage;
mod storms;
