//! Bodies of the internal feeds between API and workers (reference/telemetry.md#internal-feeds).
//!
//! The API serialises these types and the workers read them, so that both sides agree.

mod automations;
mod commands;
mod handlers;
mod histogram;
mod telemetry;
mod triggers;

pub use automations::{
    FireTrigger, MAX_DEDUPE_KEY_LENGTH, MAX_TRIGGER_VALUE_BYTES, PollFeed, PollRegistration, PollState,
    TriggerFired,
};
pub use commands::{ChatCommand, CommandFeed, CommandReply, ResponseType};
pub use handlers::{Egress, HandlerFeed, HandlerInstall, NodeFeed, NodeInstall, NodeType, Secrets};
pub use histogram::DurationHistogram;
pub use telemetry::{
    CIRCUIT_COOLDOWN, CIRCUIT_OPEN, ErrorRecord, InvocationRecord, LogLevel, LogRecord,
    MAX_RECORD_MESSAGE_LENGTH, MAX_RECORD_NAME_LENGTH, MAX_RECORD_STACK_LENGTH, MAX_TELEMETRY_BYTES,
    TelemetryAccepted, TelemetryBatch,
};
pub use triggers::{
    ActiveAccounts, Command, EventTrigger, Keyword, MessageFilter, MinRole, Pattern, Timer, TriggerFeed,
    TriggerInstall,
};
