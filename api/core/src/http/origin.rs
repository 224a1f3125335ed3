//! Origins of pages.

use actix_web::http::header::HeaderValue;
use shared::config::Config;

/// True for an `Origin` that is the API's own or a listed one.
#[must_use]
pub fn is_listed(config: &Config, origin: &HeaderValue) -> bool {
    origin.to_str().is_ok_and(|origin| config.http.allows_origin(origin, config.environment))
}
