//! Rules of the hosts that handlers may reach (reference/extensions.md#egress).

use std::net::IpAddr;

use extension_model::{
    Manifest,
    limits::{LimitKey, ResolvedLimits},
};

use super::Errors;

pub(super) const MAX_PORTS: usize = 20;

pub(super) fn check(manifest: &Manifest, limits: &ResolvedLimits, errors: &mut Errors) {
    let (egress, max_hosts) = (&manifest.egress, limits.size(LimitKey::EgressHosts));
    let few_hosts = errors.at_most("egress.allowHosts", egress.allow_hosts.len(), max_hosts);
    let few_ports = errors.at_most("egress.allowPorts", egress.allow_ports.len(), MAX_PORTS);
    if !few_hosts || !few_ports {
        return;
    }
    for (index, host) in egress.allow_hosts.iter().enumerate() {
        if let Err(rule) = host_rule(host) {
            let field = format!("egress.allowHosts[{index}]");
            errors.add(&field, format!("{field} {rule}"));
        }
    }
    for (index, port) in egress.allow_ports.iter().enumerate() {
        if matches!(port, 0 | 80) {
            let field = format!("egress.allowPorts[{index}]");
            errors.add(&field, format!("{field} must be a port other than 80"));
        }
    }
}

/// Checks an exact host name, or one with a single leading `*.`.
fn host_rule(host: &str) -> Result<(), &'static str> {
    let name = host.strip_prefix("*.").unwrap_or(host);
    if name.contains('*') {
        return Err("may have one leading `*.` and no other wildcard");
    }
    if name.parse::<IpAddr>().is_ok() || is_numeric_like(name) || name.starts_with('[') {
        return Err("must be a host name, not an address");
    }
    if !is_host_name(name) {
        return Err("must be a host name in lower case, without scheme, port or path");
    }
    if !name.contains('.') {
        return Err("must name a host below a top-level domain");
    }
    Ok(())
}

/// True for names that some resolvers read as an address: `127.1`, `0x7f.1`, `2130706433`.
fn is_numeric_like(name: &str) -> bool {
    name.rsplit('.').next().is_some_and(|last| {
        last.bytes().all(|b| b.is_ascii_digit())
            || last.strip_prefix("0x").is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))
    })
}

fn is_host_name(name: &str) -> bool {
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'))
    };
    name.len() <= 253 && name.split('.').all(label)
}

#[cfg(test)]
mod tests {
    use super::host_rule;

    #[test]
    fn egress_hosts_are_names_with_at_most_one_leading_wildcard() {
        for good in ["api.example.com", "*.example.com", "xn--bcher-kva.example"] {
            assert_eq!(host_rule(good), Ok(()), "{good}");
        }
        for wrong in [
            "",
            "com",
            "*",
            "*.com",
            "*.*.example.com",
            "a.*.com",
            "127.0.0.1",
            "*.127.0.0.1",
            "127.1",
            "0x7f.1",
            "2130706433",
            "[::1]",
            "::1",
            "https://a.example",
            "a.example:443",
            "a.example/x",
            "A.example",
            "-a.example",
            "a..example",
            "a.example.",
            "localhost",
            "a b.example",
        ] {
            assert!(host_rule(wrong).is_err(), "{wrong}");
        }
    }
}
