//! Discovery and transport (reference/conventions.md#discovery-routes): routes of no domain.

mod explorers;
mod gql;
mod handbook;
mod health;
mod index;
mod live;
mod prepared;
mod ready;
mod security_txt;

pub use explorers::routes as explorers;
pub use gql::{Documents, graphql_shape};
pub use health::{ProbedDatabases, Probes};

use actix_web::web;
use api_core::http::ServiceConfig;

/// Probes.
pub fn bare_routes(config: &mut ServiceConfig<'_>) {
    config.service(health::liveness);
    config.service(health::health);
    config.service(ready::readiness);
}

/// Routes outside the OpenAPI document.
pub fn undocumented_bare_routes(config: &mut web::ServiceConfig) {
    config.service(security_txt::security_txt);
    index::routes(config);
}

/// Routes without a required credential.
pub fn open_routes(config: &mut ServiceConfig<'_>) {
    config.service(gql::graphql);
    config.service(gql::graphql_schema);
}
