//! Origins of pages.

use actix_web::http::header::HeaderValue;
use shared::config::HttpConfig;

/// Whether an `Origin` is the API's own or a listed one.
#[must_use]
pub fn is_listed(config: &HttpConfig, origin: &HeaderValue) -> bool {
    let own = config.public_url.origin().ascii_serialization();
    origin.to_str().is_ok_and(|origin| {
        origin == own || config.allowed_origins.iter().any(|allowed| allowed.trim_end_matches('/') == origin)
    })
}
