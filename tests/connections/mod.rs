//! Connections to platforms.

mod app_credentials;
mod authorize;
mod bot_connections;
mod bot_control;
mod callback;
mod channel_connections;
mod credential_modes;
mod deliveries;
mod discord_guilds;
mod doctor;
mod endings;
mod flags;
mod follow_up;
mod health;
mod oauth;
mod on_air;
mod providers;
mod revoked;
mod rights;
mod statuses;
mod system_connections;
mod world;
