//! Live data: deliveries of the platforms, chat, events, and actions of extension handlers.

pub mod actions;
pub mod chat;
pub mod emotes;
pub mod events;
pub mod notes;
mod pace;
pub mod platform_users;
pub mod simulator;
pub mod webhooks;
pub mod youtube;

use api_core::{access::AnyOperation, http::ServiceConfig};

/// Every operation of this domain, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] = &[
    webhooks::OPERATIONS,
    actions::OPERATIONS,
    events::OPERATIONS,
    chat::messages::OPERATIONS,
    chat::send::OPERATIONS,
    chat::moderation::OPERATIONS,
    chat::raids::OPERATIONS,
    chat::polls::OPERATIONS,
    chat::predictions::OPERATIONS,
    platform_users::OPERATIONS,
    notes::OPERATIONS,
    youtube::OPERATIONS,
    emotes::OPERATIONS,
];

/// Routes that workers call while they handle a line of chat.
pub fn worker_routes(config: &mut ServiceConfig) {
    actions::rest::routes(config);
}

/// Registers the routes, which need a credential.
pub fn routes(config: &mut ServiceConfig) {
    chat::routes(config);
    events::rest::routes(config);
    platform_users::rest::routes(config);
    notes::rest::routes(config);
    youtube::rest::routes(config);
    emotes::rest::routes(config);
}

/// Registers the routes that the platforms call. They carry a signature instead of a credential and are not
/// counted against a rate limit, so they are outside the authentication of requests.
pub fn webhook_routes(config: &mut ServiceConfig) {
    webhooks::rest::routes(config);
}
