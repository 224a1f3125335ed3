//! Frames of the protocol (reference/realtime.md#client-frames): JSON text frames, snake_case in both
//! directions.

mod client;
mod code;
mod event;
mod server;
mod shapes;

pub use client::{Call, ClientFrame, Refusal, Verb};
pub use code::{Closing, ErrorCode};
pub use event::{Delivery, Published};
pub use server::{ServerFrame, UnsubscribeReason, text_frame};
pub use shapes::{FieldKind, FieldShape, VERBS, VerbKind, VerbShape};

use std::time::Duration;

use chrono::TimeDelta;

/// Largest message from a client, in bytes (reference/realtime.md#limits).
pub const MAX_MESSAGE_BYTES: usize = 64 * 1024;
/// Largest number of subscriptions of a socket.
pub const MAX_SUBSCRIPTIONS: usize = 100;
/// Largest number of frames that wait for a socket.
pub const MAX_QUEUED_FRAMES: usize = 512;
/// Time without a subscription after which a socket is closed.
pub const MAX_UNSUBSCRIBED: TimeDelta = TimeDelta::seconds(60);
/// Interval of pings, published in the hello frame (reference/realtime.md#heartbeat).
pub const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(30);
