//! Origins of pages.

use actix_web::http::header::HeaderValue;
use shared::config::Config;

/// True for the API's own origin and the listed ones (reference/conventions.md#cors).
#[must_use]
pub fn is_listed(config: &Config, origin: &HeaderValue) -> bool {
    origin.to_str().is_ok_and(|origin| config.http.allows_origin(origin, config.environment))
}
