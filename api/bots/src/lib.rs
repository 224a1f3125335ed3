//! Bots: chat commands and bot modules (reference/bots.md#bots).

pub mod bot_commands;
pub mod bot_modules;

use api_core::{access::AnyOperation, http::ServiceConfig};

/// Every operation of this domain, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] = &[bot_commands::OPERATIONS, bot_modules::OPERATIONS];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    bot_commands::rest::routes(config);
    bot_modules::rest::routes(config);
}

/// Routes for workers.
pub fn worker_routes(config: &mut ServiceConfig<'_>) {
    bot_commands::rest::worker_routes(config);
}
