//! The live path: deliveries of the platforms, what becomes of them, and what extensions have done.

mod actions;
mod housekeeping;
mod ingest;
mod outbox;
mod privacy;
mod row_buffer;
mod webhooks_kick;
mod webhooks_twitch;
pub mod world;
