//! Hosts and ports that an extension may reach (reference/extensions.md#egress).

use extension_model::feeds::Egress;
use url::{Host, Url};

const HTTPS_PORT: u16 = 443;
const HTTP_PORT: u16 = 80;

/// Allow-list of one extension version.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowList {
    hosts: Vec<Pattern>,
    ports: Vec<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Pattern {
    Exact(String),
    /// `*.example.com`: exactly one label before this suffix, which starts with a dot.
    OneLabelBefore(String),
}

impl AllowList {
    /// Reads the manifest's section. Skips entries that the manifest's own rules forbid (addresses, bare
    /// top-level names, the port of plain HTTP).
    pub fn new(egress: &Egress) -> Self {
        Self {
            hosts: egress.allow_hosts.iter().filter_map(|host| Pattern::parse(host)).collect(),
            ports: egress.allow_ports.iter().copied().filter(|port| ![0, HTTP_PORT].contains(port)).collect(),
        }
    }

    /// Returns a list with a name that no manifest may hold, for tests.
    #[cfg(test)]
    pub fn of_any_name(name: &str) -> Self {
        Self { hosts: vec![Pattern::Exact(name.to_owned())], ports: Vec::new() }
    }

    /// True when the list holds the URL's host and port. Anything but a domain name never matches, in any
    /// spelling: the URL parser has turned decimal, octal and hexadecimal spellings into addresses.
    pub fn allows(&self, url: &Url) -> bool {
        let Some(Host::Domain(host)) = url.host() else { return false };
        let port = url.port_or_known_default();
        let open = port == Some(HTTPS_PORT) || port.is_some_and(|port| self.ports.contains(&port));
        open && self.hosts.iter().any(|pattern| pattern.matches(host))
    }
}

impl Pattern {
    fn parse(text: &str) -> Option<Self> {
        let (wildcard, name) = match text.strip_prefix("*.") {
            Some(name) => (true, name),
            None => (false, text),
        };
        let Ok(Host::Domain(name)) = Host::parse(name) else { return None };
        if !name.trim_end_matches('.').contains('.') || name.contains('*') {
            return None;
        }
        Some(if wildcard { Self::OneLabelBefore(format!(".{name}")) } else { Self::Exact(name) })
    }

    fn matches(&self, host: &str) -> bool {
        match self {
            Self::Exact(name) => host == name,
            Self::OneLabelBefore(suffix) => host
                .strip_suffix(suffix.as_str())
                .is_some_and(|label| !label.is_empty() && !label.contains('.')),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(hosts: &[&str], ports: &[u16]) -> AllowList {
        AllowList::new(&Egress {
            allow_hosts: hosts.iter().map(|host| (*host).to_owned()).collect(),
            allow_ports: ports.to_vec(),
        })
    }

    fn allows(list: &AllowList, url: &str) -> bool {
        list.allows(&Url::parse(url).unwrap())
    }

    #[test]
    fn allow_list_matches_hosts_exactly_and_a_star_as_one_label() {
        let list = list(&["api.example.com", "*.cdn.example"], &[]);
        for allowed in ["https://api.example.com/x", "https://API.EXAMPLE.COM", "https://a.cdn.example/"] {
            assert!(allows(&list, allowed), "{allowed}");
        }
        for refused in [
            "https://example.com",
            "https://x.api.example.com",
            "https://api.example.com.evil.test",
            "https://evilapi.example.com",
            "https://cdn.example",
            "https://a.b.cdn.example",
            "https://.cdn.example",
            "https://api.example.com@evil.test/",
            "https://evil.test/?https://api.example.com",
        ] {
            assert!(!allows(&list, refused), "{refused}");
        }
    }

    #[test]
    fn allow_list_opens_443_and_listed_ports_but_never_80() {
        let list = list(&["api.example.com"], &[8443, 80]);
        assert!(allows(&list, "https://api.example.com:443/"));
        assert!(allows(&list, "https://api.example.com:8443/"));
        for refused in
            ["https://api.example.com:80/", "https://api.example.com:8444/", "https://api.example.com:22/"]
        {
            assert!(!allows(&list, refused), "{refused}");
        }
    }

    #[test]
    fn allow_list_refuses_every_spelling_of_an_address() {
        let list = list(
            &[
                "127.0.0.1",
                "2130706433",
                "0x7f000001",
                "0177.0.0.1",
                "[::1]",
                "*.0.0.1",
                "com",
                "*.com",
                "*",
                "localhost",
            ],
            &[],
        );
        assert_eq!(list.hosts, []);
        let list = self::list(&["api.example.com"], &[]);
        for address in [
            "https://127.0.0.1/",
            "https://2130706433/",
            "https://0x7f000001/",
            "https://0x7f.1/",
            "https://0177.0.0.1/",
            "https://017700000001/",
            "https://127.1/",
            "https://127.0.0.1./",
            "https://[::1]/",
            "https://[::ffff:127.0.0.1]/",
            "https://①②⑦.⓪.⓪.①/",
            "https://%31%32%37.0.0.1/",
        ] {
            assert!(!allows(&list, address), "{address}");
            let url = Url::parse(address).unwrap();
            assert!(!matches!(url.host(), Some(Host::Domain(_))), "{address} would reach the resolver");
        }
    }
}
