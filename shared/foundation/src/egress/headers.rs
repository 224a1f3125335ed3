//! Header fields of requests that users compose.

use reqwest::header::HeaderMap;

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

/// Fields that a redirect to another origin keeps.
const CROSS_ORIGIN: [&str; 3] = ["accept", "content-type", "user-agent"];

/// True for a field, by its name in lower case, that a user cannot set.
#[must_use]
pub fn is_reserved_header(name: &str) -> bool {
    RESERVED.contains(&name) || name.starts_with("x-forwarded-") || name.starts_with("sec-")
}

/// Fields for another origin, to which a redirect leads. Services choose the names of fields with credentials, so that
/// no list of them is complete: all fields are removed but those that never hold one.
#[must_use]
pub fn cross_origin_headers(headers: &HeaderMap) -> HeaderMap {
    let kept = headers.iter().filter(|(name, _)| CROSS_ORIGIN.contains(&name.as_str()));
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn cross_origin_headers_hold_no_field_that_may_be_a_credential() {
        let mut headers = HeaderMap::new();
        for name in ["accept", "authorization", "api-key", "content-type", "user-agent", "x-webhook-secret"] {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static("v"));
        }
        let kept = cross_origin_headers(&headers);
        let mut names: Vec<&str> = kept.keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, CROSS_ORIGIN);
    }
}
