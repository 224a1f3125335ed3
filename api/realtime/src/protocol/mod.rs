//! What is said over a socket (specification C §11.2, §11.3): JSON text frames, snake_case both ways.

mod client;
mod code;
mod event;
mod server;
mod shapes;

pub use client::{Call, ClientFrame, Refusal, Verb};
pub use code::{Closing, ErrorCode};
pub use event::Delivery;
pub use server::{ServerFrame, UnsubscribeReason, text_frame};
pub use shapes::{FieldKind, FieldShape, VERBS, VerbKind, VerbShape};

use std::time::Duration;

use chrono::TimeDelta;

/// Largest message from a client, in bytes (C §11.4).
pub const MAX_MESSAGE_BYTES: usize = 64 * 1024;
/// Channels that a socket may listen to (C §11.4).
pub const MAX_SUBSCRIPTIONS: usize = 100;
/// Frames that may wait for a socket (C §11.4).
pub const MAX_QUEUED_FRAMES: usize = 512;
/// Time after which a socket that listens to nothing is closed (specification E, 5).
pub const MAX_UNSUBSCRIBED: TimeDelta = TimeDelta::seconds(60);
/// How often the server pings, as the hello frame says (C §11.1).
pub const HEARTBEAT: Duration = Duration::from_secs(30);
