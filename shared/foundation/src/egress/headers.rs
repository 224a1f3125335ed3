//! Header fields of requests that users compose.

/// Fields of the connection, of proxies, or of the client itself.
const RESERVED: [&str; 18] = [
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "forwarded",
    "host",
    "http2-settings",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
    "x-forwarded-host",
    "x-real-ip",
];

/// Fields that are removed when a redirect leads to another origin.
pub const CREDENTIAL_HEADERS: [&str; 4] = ["authorization", "cookie", "x-api-key", "x-auth-token"];

/// True for a field, by its name in lower case, that a user cannot set.
#[must_use]
pub fn is_reserved_header(name: &str) -> bool {
    RESERVED.contains(&name) || name.starts_with("x-forwarded-") || name.starts_with("sec-")
}
