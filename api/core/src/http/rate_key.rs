//! Keys and tiers by which requests are counted (reference/limits.md#rate-limits).

use std::net::{IpAddr, Ipv6Addr};

use super::rate_limit::Tier;
use crate::{access::Principal, token::TokenKind};

impl Tier {
    /// Tier of a credential; `None` for system keys, which have no limit.
    #[must_use]
    pub const fn of(principal: &Principal) -> Option<Self> {
        match principal {
            Principal::Anonymous { .. } => Some(Self::Anonymous),
            Principal::Session { .. } => Some(Self::Session),
            Principal::PersonalKey { .. } => Some(Self::ApiKey),
            Principal::ServiceKey { .. } => Some(Self::ServiceKey),
            Principal::Popout { .. } => Some(Self::Popout),
            Principal::Surface { kind: TokenKind::Overlay | TokenKind::Share, .. } => Some(Self::Overlay),
            Principal::Surface { .. } => Some(Self::Surface),
            Principal::SystemKey { .. } => None,
        }
    }
}

/// Key of an address: IPv4 as it is, IPv6 by its /64, which is what one customer is given
/// (reference/limits.md#client-address).
#[must_use]
pub fn rate_key(ip: Option<IpAddr>) -> String {
    match ip.map(|ip| ip.to_canonical()) {
        None => "unknown".to_owned(),
        Some(IpAddr::V4(ip)) => ip.to_string(),
        Some(IpAddr::V6(ip)) => {
            let [a, b, c, d, ..] = ip.segments();
            format!("{}/64", Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

/// Key that a tier counts by (reference/limits.md#rate-limits).
#[must_use]
pub fn rate_key_of(principal: &Principal, ip: Option<IpAddr>) -> String {
    match (principal.credential_id(), principal.user()) {
        (Some(id), _) => id.to_string(),
        (None, Some(user)) => user.to_string(),
        (None, None) => rate_key(ip),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_key_joins_the_addresses_of_one_network() {
        let key = |ip: &str| rate_key(Some(ip.parse().unwrap()));
        assert_eq!(key("203.0.113.7"), "203.0.113.7");
        assert_eq!(key("::ffff:203.0.113.7"), "203.0.113.7");
        assert_eq!(key("2001:db8:1:2::1"), key("2001:db8:1:2:ffff::9"));
        assert_ne!(key("2001:db8:1:2::1"), key("2001:db8:1:3::1"));
        assert_eq!(rate_key(None), "unknown");
    }
}
