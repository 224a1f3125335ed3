//! Chat messages and events of an account on their way to the time-series database
//! (reference/ingest.md#rows).
//!
//! Code that receives one publishes it on the event log and pushes its row into a [`RowBuffer`]. The ingest
//! daemon writes the rows in batches.

mod buffer;
mod chatters;
mod command_line;
pub mod copyright;
mod event;
mod event_types;
pub mod inbox;
mod message;
pub mod money;
pub mod music;
pub mod obs;
mod own_messages;
pub mod polls;
pub mod predictions;
mod publish;
mod removal;
mod removals;
pub mod rewards;
mod roles;
pub mod se_tokens;
pub mod shop;
pub mod sounds;
pub mod surfaces;
pub mod tips;
pub mod trovo;

use serde::{Serialize, de::DeserializeOwned};

pub use buffer::{Bound, MAX_BACKLOG_BYTES, MAX_BACKLOG_ROWS, Pushed, Pushing, RowBuffer};
pub use chatters::count_chatters;
pub use command_line::CommandLine;
pub use event::{AccountEvent, EventRow};
pub use event_types::{
    AmountOf, CUSTOM, CurrencyOf, EVENT_TYPES, EventType, Key, KeyKind, MAX_EVENT_TYPE_LENGTH,
    WITHOUT_SOURCE, WrongValue, is_custom, is_custom_name,
};
pub use message::{Badge, ChatMessage, Emote, Fragment, FragmentKind};
pub use own_messages::{Line, OwnMessages};
pub use publish::{Triggers, announce, publish, trigger};
pub use removal::mark as mark_removal;
pub use removals::{PendingRemovals, Removals};
pub use roles::Roles;

/// Row of a time-series table that is written in batches.
pub trait Row: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Name of the table.
    const TABLE: &'static str;
}
