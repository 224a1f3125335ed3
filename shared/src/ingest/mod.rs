//! Chat messages and events of an account on their way to the time-series database (specification C B12, B13).
//!
//! Whoever learns of one announces it on the event log and pushes its row into a [`RowBuffer`]; the ingest daemon
//! writes the rows in batches.

mod buffer;
mod chatters;
mod event;
mod event_types;
pub mod inbox;
mod message;
mod own_messages;
mod removal;
mod removals;
pub mod shop;
mod tell;
pub mod trovo;

use serde::{Serialize, de::DeserializeOwned};

pub use buffer::{BACKLOG, BACKLOG_BYTES, Bound, Pushed, Pushing, RowBuffer};
pub use chatters::count_chatters;
pub use event::{AccountEvent, EventRow};
pub use event_types::{
    AmountOf, CUSTOM, CurrencyOf, EVENT_TYPES, EventType, Key, KeyKind, MAX_EVENT_TYPE_LENGTH,
    WITHOUT_SOURCE, WrongValue, is_custom, is_custom_name,
};
pub use message::{Badge, ChatMessage, Emote, Fragment, FragmentKind};
pub use own_messages::{Line, OwnMessages};
pub use removal::{Removal, RemovalAction};
pub use removals::{AskedRemovals, Removals};
pub use tell::{Triggers, announce, tell, trigger};

/// A row of a time-series table that is written in batches.
pub trait Row: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The table.
    const TABLE: &'static str;
}
