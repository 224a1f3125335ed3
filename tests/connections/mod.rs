//! Connections to platforms.

mod app_credentials;
mod bot_connections;
mod bot_control;
mod callback;
mod channel_connections;
mod credential_modes;
mod discord_guilds;
mod flags;
mod follow_up;
mod oauth;
mod providers;
mod statuses;
mod system_connections;
mod world;
