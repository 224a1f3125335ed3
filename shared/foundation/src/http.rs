//! HTTP client for calls to other services.

use std::time::Duration;

use shared::{Error, Result};

/// Longest wait for a connection.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Longest wait for a whole response.
pub const TOTAL_TIMEOUT: Duration = Duration::from_secs(10);

/// Creates a client with timeouts, without redirects and without proxies from the environment.
///
/// # Errors
/// TLS roots that cannot be loaded.
pub fn client() -> Result<reqwest::Client> {
    reqwest::Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(TOTAL_TIMEOUT)
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .user_agent(concat!("lumio/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| Error::Internal(format!("HTTP client: {error}")))
}
