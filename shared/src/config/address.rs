//! Variables that hold addresses and URLs.

use std::net::SocketAddr;

use url::{Host, Url};

use super::Reader;

pub(super) fn address(reader: &mut Reader, name: &str, default: ([u8; 4], u16)) -> SocketAddr {
    reader.value(name, SocketAddr::from(default), "an address and a port such as 127.0.0.1:8080")
}

/// Reads the URL of a folder or a bucket.
pub(super) fn storage_url(reader: &mut Reader, name: &str, default: &str) -> Url {
    reader.default_of(name, default);
    let example = format!("{default} or s3://bucket/prefix");
    let is_storage = |url: &Url| matches!(url.scheme(), "file" | "s3");
    parsed(reader, name, &example, is_storage).unwrap_or_else(|| parse_default(default))
}

/// Reads a URL that HTTP clients can call.
pub(super) fn http_url(reader: &mut Reader, name: &str, default: &str) -> Url {
    reader.default_of(name, default);
    parsed(reader, name, default, is_http).unwrap_or_else(|| parse_default(default))
}

/// Reads a URL that HTTP clients can call, if it is set.
pub(super) fn optional_http_url(reader: &mut Reader, name: &str, example: &str) -> Option<Url> {
    parsed(reader, name, example, is_http)
}

fn parsed(reader: &mut Reader, name: &str, example: &str, is_wanted: fn(&Url) -> bool) -> Option<Url> {
    match reader.optional(name).map(|text| Url::parse(&text)) {
        None => None,
        // These URLs are printed and logged without a mask.
        Some(Ok(url)) if holds_userinfo(&url) => {
            reader.mistake(name, "must not hold a user name or a password");
            None
        }
        Some(Ok(url)) if is_wanted(&url) => Some(url),
        Some(Ok(_) | Err(_)) => {
            reader.mistake(name, format_args!("must be a URL such as {example}"));
            None
        }
    }
}

fn is_http(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.has_host()
}

pub(super) fn holds_userinfo(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

/// True when only this machine reaches the host.
pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name.eq_ignore_ascii_case("localhost") || name.to_ascii_lowercase().ends_with(".localhost")
        }
        Some(Host::Ipv4(ip)) => ip.is_loopback() || ip.is_unspecified(),
        Some(Host::Ipv6(ip)) => {
            let mapped = ip.to_ipv4_mapped();
            ip.is_loopback() || ip.is_unspecified() || mapped.is_some_and(|ip| ip.is_loopback())
        }
        None => false,
    }
}

#[expect(clippy::expect_used, reason = "a literal of this folder; the tests read every default")]
fn parse_default(text: &str) -> Url {
    Url::parse(text).expect("a default URL parses")
}
