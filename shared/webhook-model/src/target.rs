//! Addresses that deliveries may go to (reference/webhooks.md#addresses). The addresses of a name are checked when a
//! connection is made.

use std::{collections::HashSet, sync::Arc};

use foundation::egress::HostRule;
use shared::config::Config;
use url::{Host, Url};

/// Maximum length of an address, in characters (reference/webhooks.md#addresses).
pub const MAX_URL_LENGTH: usize = 2048;

/// Reason why an address is refused, to follow the name of its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RefusedTarget {
    /// No address of a scheme that is allowed.
    #[error("must be an address that begins with https://")]
    Scheme,
    /// A user name or password in the address.
    #[error("must not hold a user name or password")]
    Credentials,
    /// A fragment, which no receiver gets.
    #[error("must not have a fragment")]
    Fragment,
    /// An address or name inside a private network.
    #[error("must be on the public internet")]
    NotPublic,
    /// A host of this deployment.
    #[error("must not be a host of this service")]
    OwnHost,
}

/// Checked address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Address.
    pub url: Url,
    /// True for a host of `LUMIO_EGRESS_TEST_HOSTS`, which is reached without a check, also by plain HTTP.
    pub is_test_host: bool,
}

/// Rule about addresses. Cheap to clone.
#[derive(Debug, Clone)]
pub struct TargetRule {
    rule: HostRule,
    test_hosts: Arc<HashSet<String>>,
    own_hosts: Arc<HashSet<String>>,
}

impl TargetRule {
    /// Rule of a configuration.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        Self {
            rule: HostRule::default(),
            test_hosts: Arc::new(config.workers.egress_test_hosts.iter().cloned().collect()),
            own_hosts: Arc::new(config.own_hosts()),
        }
    }

    /// Checks an address.
    ///
    /// # Errors
    /// [`RefusedTarget`].
    pub fn check(&self, text: &str) -> Result<Target, RefusedTarget> {
        let url = Url::parse(text).map_err(|_malformed| RefusedTarget::Scheme)?;
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
            return Err(RefusedTarget::Scheme);
        };
        let is_test_host = self.test_hosts.contains(&format!("{host}:{port}"));
        let is_allowed = url.scheme() == "https" || url.scheme() == "http" && is_test_host;
        if !is_allowed {
            return Err(RefusedTarget::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(RefusedTarget::Credentials);
        }
        if url.fragment().is_some() {
            return Err(RefusedTarget::Fragment);
        }
        if !is_test_host {
            self.check_host(&plain(host), port)?;
        }
        Ok(Target { url, is_test_host })
    }

    fn check_host(&self, host: &Host, port: u16) -> Result<(), RefusedTarget> {
        if self.own_hosts.contains(&host.to_string()) {
            return Err(RefusedTarget::OwnHost);
        }
        if self.rule.may_name(host, port) { Ok(()) } else { Err(RefusedTarget::NotPublic) }
    }
}

/// The host without the dot at the end of a name.
fn plain(host: Host<&str>) -> Host {
    match host {
        Host::Domain(name) => Host::Domain(name.trim_end_matches('.').to_owned()),
        Host::Ipv4(address) => Host::Ipv4(address),
        Host::Ipv6(address) => Host::Ipv6(address),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule() -> TargetRule {
        TargetRule {
            rule: HostRule::default(),
            test_hosts: Arc::new(HashSet::from(["127.0.0.1:9000".to_owned()])),
            own_hosts: Arc::new(HashSet::from(["api.lumio.example".to_owned()])),
        }
    }

    #[test]
    fn target_rule_accepts_public_names_and_test_hosts() {
        for (text, is_test_host) in [
            ("https://hooks.example/a?b=c", false),
            ("https://hooks.example:8443/", false),
            ("https://8.8.8.8/", false),
            ("http://127.0.0.1:9000/a", true),
            ("https://127.0.0.1:9000/a", true),
        ] {
            assert_eq!(rule().check(text).map(|target| target.is_test_host), Ok(is_test_host), "{text}");
        }
    }

    #[test]
    fn target_rule_refuses_other_addresses() {
        for (text, refused) in [
            ("", RefusedTarget::Scheme),
            ("hooks.example", RefusedTarget::Scheme),
            ("http://hooks.example/", RefusedTarget::Scheme),
            ("http://127.0.0.1:9001/", RefusedTarget::Scheme),
            ("ftp://hooks.example/", RefusedTarget::Scheme),
            ("mailto:a@hooks.example", RefusedTarget::Scheme),
            ("https://a@hooks.example/", RefusedTarget::Credentials),
            ("https://a:b@hooks.example/", RefusedTarget::Credentials),
            ("https://hooks.example/#part", RefusedTarget::Fragment),
            ("https://127.0.0.1/", RefusedTarget::NotPublic),
            ("https://2130706433/", RefusedTarget::NotPublic),
            ("https://[::1]/", RefusedTarget::NotPublic),
            ("https://[::ffff:127.0.0.1]/", RefusedTarget::NotPublic),
            ("https://169.254.169.254/", RefusedTarget::NotPublic),
            ("https://localhost/", RefusedTarget::NotPublic),
            ("https://redis/", RefusedTarget::NotPublic),
            ("https://db.internal./", RefusedTarget::NotPublic),
            ("https://API.lumio.example/", RefusedTarget::OwnHost),
            ("https://api.lumio.example./", RefusedTarget::OwnHost),
        ] {
            assert_eq!(rule().check(text), Err(refused), "{text}");
        }
    }
}
