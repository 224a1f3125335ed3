//! Every route, by domain.

use actix_web::web;
use api_core::http::ServiceConfig;

use crate::transport;

/// Routes whose methods all need a credential.
pub fn guarded(config: &mut ServiceConfig<'_>) {
    // Groups of routes, and the routes of a group, are tried in this order.
    live::worker_routes(config);
    bots::worker_routes(config);
    extensions::worker_routes(config);
    identity::routes(config);
    accounts::routes(config);
    account_archives::routes(config);
    billing::routes(config);
    connections::routes(config);
    rbac::routes(config);
    live::routes(config);
    developers::routes(config);
    developer_programme::routes(config);
    developer_teams::routes(config);
    extensions::routes(config);
    community::routes(config);
    bots::routes(config);
    copyright::routes(config);
    automations::routes(config);
    overlays::routes(config);
    media::routes(config);
    rewards::routes(config);
    integrations::routes(config);
    history::routes(config);
    public_stats::routes(config);
    webhooks::routes(config);
    usage::routes(config);
    ideas::routes(config);
}

/// Routes without a required credential.
pub fn open(config: &mut ServiceConfig<'_>) {
    transport::open_routes(config);
    identity::public_routes(config);
    accounts::public_routes(config);
    account_archives::public_routes(config);
    billing::public_routes(config);
    connections::public_routes(config);
    extensions::public_routes(config);
    community::public_routes(config);
    copyright::public_routes(config);
    developer_programme::public_routes(config);
    developer_teams::public_routes(config);
    media::public_routes(config);
    history::public_routes(config);
    public_stats::public_routes(config);
    ideas::public_routes(config);
}

/// Routes that the OpenAPI document leaves out (reference/conventions.md#openapi-document).
pub fn undocumented(config: &mut web::ServiceConfig) {
    extensions::undocumented_routes(config);
}

/// Routes that are neither authenticated nor counted before they are handled: probes, sockets.
pub fn bare(config: &mut ServiceConfig<'_>) {
    transport::bare_routes(config);
    live::webhook_routes(config);
    extensions::webhook_routes(config);
    overlays::page_routes(config);
    history::page_routes(config);
}

/// Routes like [`bare`] that the OpenAPI document leaves out.
pub fn undocumented_bare(config: &mut web::ServiceConfig) {
    transport::undocumented_bare_routes(config);
    billing::undocumented_webhook_routes(config);
    realtime::routes(config);
}
