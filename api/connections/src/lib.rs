//! Connections of accounts and of the deployment: channels, bots, Discord servers, and the applications that
//! they are made with (reference/connections.md#connections).

pub mod app_credentials;
pub mod bot_connections;
pub mod bot_control;
pub mod channel_connections;
pub mod credential_modes;
pub mod discord_guilds;
pub mod doctor;
pub mod oauth;
pub mod oauth_clients;
mod platform;
mod stored_applications;
mod stored_guilds;
pub mod system_connections;

use api_core::{access::AnyOperation, http::ServiceConfig};

/// Every operation of this domain, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] = &[
    channel_connections::OPERATIONS,
    oauth::OPERATIONS,
    app_credentials::OPERATIONS,
    credential_modes::OPERATIONS,
    bot_connections::OPERATIONS,
    bot_control::OPERATIONS,
    discord_guilds::OPERATIONS,
    doctor::OPERATIONS,
    system_connections::OPERATIONS,
];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    channel_connections::rest::routes(config);
    app_credentials::rest::routes(config);
    doctor::rest::routes(config);
    credential_modes::rest::routes(config);
    // Must precede the bots: `/v1/bot-connections/{platform}` would match `/v1/bot-connections/discord` too.
    discord_guilds::rest::routes(config);
    bot_connections::rest::routes(config);
    bot_control::rest::routes(config);
    system_connections::rest::routes(config);
}

/// Routes that need no credential.
pub fn public_routes(config: &mut ServiceConfig) {
    channel_connections::rest::public_routes(config);
    oauth::rest::public_routes(config);
}
