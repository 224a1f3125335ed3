//! Hosts that users name, and the addresses that a connection to them may use (reference/handlers.md#egress).

mod address;
mod headers;
mod resolver;

use std::{collections::HashSet, net::SocketAddr, sync::Arc};

use url::Host;

pub use address::is_public;
pub use headers::{cross_origin_headers, is_reserved_header};
pub use resolver::{PublicResolver, refusal};

/// Length of a host name, in characters.
pub const MAX_HOST_LENGTH: usize = 253;

/// Names that only a private network resolves.
const LOCAL_SUFFIXES: [&str; 5] = [".localhost", ".local", ".internal", ".lan", ".home.arpa"];

/// Rule about the hosts that a connection may reach. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct HostRule {
    allows_private: bool,
    test_hosts: Arc<HashSet<String>>,
}

/// Reason why a host has no address to connect to. It holds no address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoAddress {
    /// An address of the host is not on the public internet.
    #[error("the host has an address that is not on the public internet")]
    NotPublic,
    /// The name has no address.
    #[error("the host has no address")]
    Unknown,
}

/// Reads a host name or an address without scheme, port and path; `None` for another text. Every spelling of an
/// IPv4 address becomes the address.
#[must_use]
pub fn parse_host(text: &str) -> Option<Host> {
    if text.is_empty() || text.len() > MAX_HOST_LENGTH {
        return None;
    }
    let unbracketed = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    if let Ok(address) = unbracketed.parse() {
        return Some(Host::Ipv6(address));
    }
    match Host::parse(text).ok()? {
        Host::Domain(name) => {
            let name = name.strip_suffix('.').unwrap_or(&name);
            let is_name = |label: &str| {
                !label.is_empty()
                    && label.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
            };
            name.split('.').all(is_name).then(|| Host::Domain(name.to_owned()))
        }
        address => Some(address),
    }
}

/// Text of a host as it is stored: an IPv6 address has no brackets.
#[must_use]
pub fn host_text(host: &Host) -> String {
    match host {
        Host::Domain(name) => name.clone(),
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => address.to_string(),
    }
}

impl HostRule {
    /// Rule that allows public addresses; with `allows_private` every address. `test_hosts` are `host:port` that are
    /// reached without a check.
    #[must_use]
    pub fn new(allows_private: bool, test_hosts: &[String]) -> Self {
        Self { allows_private, test_hosts: Arc::new(test_hosts.iter().cloned().collect()) }
    }

    /// True when a host may be named. The addresses of a name are checked by [`resolve`](Self::resolve), when the
    /// connection is made.
    #[must_use]
    pub fn may_name(&self, host: &Host, port: u16) -> bool {
        self.is_exempt(host, port)
            || match host {
                Host::Domain(name) => {
                    name.contains('.') && !LOCAL_SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
                }
                Host::Ipv4(address) => is_public((*address).into()),
                Host::Ipv6(address) => is_public((*address).into()),
            }
    }

    /// Returns the addresses of a host, every one allowed. The connection must go to one of exactly these, so that a
    /// name that changes between check and use gains nothing.
    ///
    /// # Errors
    /// [`NoAddress`].
    pub async fn resolve(&self, host: &Host, port: u16) -> Result<Vec<SocketAddr>, NoAddress> {
        let found = match host {
            Host::Ipv4(address) => vec![SocketAddr::new((*address).into(), port)],
            Host::Ipv6(address) => vec![SocketAddr::new((*address).into(), port)],
            Host::Domain(name) => match tokio::net::lookup_host((name.as_str(), port)).await {
                Ok(found) => found.collect(),
                Err(_unknown) => Vec::new(),
            },
        };
        if found.is_empty() {
            return Err(NoAddress::Unknown);
        }
        let is_allowed = self.is_exempt(host, port) || are_public(&found);
        if is_allowed { Ok(found) } else { Err(NoAddress::NotPublic) }
    }

    fn is_exempt(&self, host: &Host, port: u16) -> bool {
        self.allows_private || self.test_hosts.contains(&format!("{host}:{port}"))
    }
}

/// True when every address is public: a connection may go to any of them.
fn are_public(found: &[SocketAddr]) -> bool {
    found.iter().all(|address| is_public(address.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn are_public_refuses_all_addresses_for_one_inner_address() {
        let are_public = |texts: &[&str]| {
            let found: Vec<_> = texts.iter().map(|text| SocketAddr::new(text.parse().unwrap(), 0)).collect();
            super::are_public(&found)
        };
        assert!(are_public(&["1.1.1.1", "2606:4700::1"]));
        for mixed in [&["1.1.1.1", "127.0.0.1"][..], &["169.254.169.254"], &["1.1.1.1", "::ffff:10.0.0.1"]] {
            assert!(!are_public(mixed), "{mixed:?}");
        }
    }

    #[test]
    fn parse_host_reads_names_and_addresses_only() {
        for (text, read) in [
            ("obs.example", "obs.example"),
            ("OBS.Example.", "obs.example"),
            ("my_obs.example", "my_obs.example"),
            ("8.8.8.8", "8.8.8.8"),
            ("0x08080808", "8.8.8.8"),
            ("2001:4860:4860::8888", "2001:4860:4860::8888"),
            ("[::1]", "::1"),
        ] {
            assert_eq!(parse_host(text).map(|host| host_text(&host)).as_deref(), Some(read), "{text}");
        }
        let long = "a".repeat(MAX_HOST_LENGTH + 1);
        for wrong in [
            "",
            " ",
            "ws://obs.example",
            "obs.example:4455",
            "obs.example/path",
            "user@obs.example",
            "obs example",
            "a..b",
            "*.example",
            "[obs.example]",
            "::1%eth0",
            &long,
        ] {
            assert_eq!(parse_host(wrong), None, "{wrong}");
        }
    }

    #[tokio::test]
    async fn host_rule_refuses_private_hosts_unless_they_are_allowed() {
        let (strict, lenient) = (HostRule::default(), HostRule::new(true, &[]));
        let tested = HostRule::new(false, &["127.0.0.1:4455".to_owned(), "[::1]:4455".to_owned()]);
        for private in ["127.0.0.1", "2130706433", "10.1.2.3", "169.254.169.254", "::1", "fe80::1"] {
            let host = parse_host(private).unwrap();
            assert!(!strict.may_name(&host, 4455) && lenient.may_name(&host, 4455), "{private}");
            assert_eq!(strict.resolve(&host, 4455).await, Err(NoAddress::NotPublic), "{private}");
            assert_eq!(lenient.resolve(&host, 4455).await.map(|found| found.len()), Ok(1), "{private}");
        }
        for local in ["localhost", "obs-pc", "obs.local", "a.localhost"] {
            assert!(!strict.may_name(&parse_host(local).unwrap(), 4455), "{local}");
        }
        let (v4, v6) = (parse_host("127.0.0.1").unwrap(), parse_host("::1").unwrap());
        assert!(tested.may_name(&v4, 4455) && !tested.may_name(&v4, 4456) && tested.may_name(&v6, 4455));
        assert!(strict.may_name(&parse_host("8.8.8.8").unwrap(), 1));
        let localhost = parse_host("localhost").unwrap();
        assert_eq!(strict.resolve(&localhost, 4455).await, Err(NoAddress::NotPublic));
    }
}
