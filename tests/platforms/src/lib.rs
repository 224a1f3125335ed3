//! A stand-in for Twitch, YouTube, Kick, Trovo, Spotify and Discord.
//!
//! One server serves the documented wire formats of all six below the path prefixes `/<platform>/auth` and
//! `/<platform>/api`, keeps its state in memory, fails on command and delivers signed webhooks. Tests start it in their
//! own process with [`StandIn::start`]; the demo runs the binary and controls it over `/_control`.
//!
//! It shares no code with the clients that are tested against it, so that a misreading of the documentation cannot
//! cancel itself out.

mod clock;
mod control;
mod delivery;
mod directory;
mod emotes;
mod failure;
mod identifier;
mod live;
mod moderation;
mod oauth;
mod on_air;
mod people;
mod platform;
mod refusal;
mod seed;
mod server;
mod sockets;
mod stand_in;
mod state;

pub mod discord;
pub mod kick;
pub mod obs;
pub mod spotify;
pub mod stream_elements;
pub mod trovo;
pub mod trovo_chat;
pub mod twitch;
pub mod youtube;
pub mod youtube_live;

pub use delivery::{Attempt, Delivery, DeliveryOptions, WebhookRequest};
pub use directory::{Churn, DirectoryChannel, Requests, Seed, Storm, StormKind};
pub use failure::Failure;
pub use oauth::Rotation;
pub use on_air::OnAir;
pub use people::{BanRelation, Relation};
pub use platform::Platform;
pub use seed::seed_demo_users;
pub use stand_in::StandIn;
pub use state::{
    App, CreatedUser, EngagementCall, ModerationAction, NewToken, NewUser, SentMessage, TokenCall, User,
};
