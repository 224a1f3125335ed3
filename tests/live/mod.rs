//! The live path: deliveries of the platforms, what becomes of them, and what extensions have done.

mod actions;
mod catalogue;
mod chat_messages;
mod chat_moderation;
mod chat_polls;
mod chat_raids;
mod chat_send;
mod chat_world;
mod emotes;
mod events;
mod housekeeping;
mod ingest;
mod notes;
mod outbox;
mod platform_users;
mod privacy;
mod row_buffer;
mod simulator;
mod sources;
mod webhooks_kick;
mod webhooks_trovo;
mod webhooks_twitch;
mod webhooks_youtube;
pub mod world;
mod youtube;
