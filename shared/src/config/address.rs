//! Addresses and URLs.

use std::net::SocketAddr;

use url::Url;

use super::Reader;

pub(super) fn address(reader: &mut Reader, name: &str, default: ([u8; 4], u16)) -> SocketAddr {
    reader.value(name, SocketAddr::from(default), "an address and a port such as 127.0.0.1:8080")
}

pub(super) fn url(reader: &mut Reader, name: &str, default: &str) -> Url {
    optional_url(reader, name).unwrap_or_else(|| parse_default(default))
}

pub(super) fn optional_url(reader: &mut Reader, name: &str) -> Option<Url> {
    match reader.optional(name).map(|text| Url::parse(&text)) {
        None => None,
        // These URLs are printed and logged as they are.
        Some(Ok(url)) if holds_userinfo(&url) => {
            reader.mistake(name, "must not hold a user name or a password");
            None
        }
        Some(Ok(url)) => Some(url),
        Some(Err(error)) => {
            reader.mistake(name, format_args!("must be an absolute URL ({error})"));
            None
        }
    }
}

pub(super) fn holds_userinfo(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

#[expect(clippy::expect_used, reason = "a literal of this file; the tests read every default")]
fn parse_default(text: &str) -> Url {
    Url::parse(text).expect("a default URL parses")
}
