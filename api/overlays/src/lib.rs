//! Overlays with their layers, tokens, shares and access, and widgets (reference/overlays.md#overlays).

mod fields;
pub mod layers;
pub mod overlay_access;
pub mod overlays;
pub mod pages;
pub mod shares;
mod surface_tokens;
pub mod tokens;
pub mod widget_access;
pub mod widgets;

use api_core::{access::AnyOperation, http::ServiceConfig};

/// Every operation of this domain, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] = &[
    overlays::OPERATIONS,
    layers::OPERATIONS,
    tokens::OPERATIONS,
    shares::OPERATIONS,
    overlay_access::OPERATIONS,
    widgets::OPERATIONS,
    widget_access::OPERATIONS,
    pages::OPERATIONS,
];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    overlays::rest::routes(config);
    layers::rest::routes(config);
    tokens::rest::routes(config);
    shares::rest::routes(config);
    overlay_access::rest::routes(config);
    widgets::rest::routes(config);
    widget_access::rest::routes(config);
}

/// Routes that neither need nor read a credential.
pub fn page_routes(config: &mut ServiceConfig<'_>) {
    pages::rest::page_routes(config);
}
