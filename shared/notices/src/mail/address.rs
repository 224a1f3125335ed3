//! Addresses that mails may be sent to.

use std::net::IpAddr;

use lettre::Address;

/// True for an address that mails may be sent to: the mail library parses it, its host is a domain name, so
/// that strangers cannot point it at an internal machine by number, and no program takes it for an option
/// (reference/notifications.md#mail-content).
#[must_use]
pub fn is_address(text: &str) -> bool {
    let Ok(address) = text.parse::<Address>() else { return false };
    let (local, domain) = (address.user(), address.domain());
    let is_name = domain.contains('.') && !domain.starts_with('[') && domain.parse::<IpAddr>().is_err();
    is_name && !local.starts_with('-') && !text.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_address_needs_a_mailbox_at_a_domain_name() {
        for right in ["a@b.example", "first.last+tag@sub.b.example", "o'neil@b.example", "ü@b.example"] {
            assert!(is_address(right), "{right}");
        }
        for wrong in [
            "a@[127.0.0.1]",
            "a@[IPv6:::1]",
            "a@127.0.0.1",
            "-oQ/tmp@example.org",
            "-a@example.org",
            "a@localhost",
            "a@.example",
            "a@example.",
            "a@b@c.example",
            "a b@c.example",
            "a@b.example,c@d.example",
            "a@b.example\r\nBcc: c@d.example",
            "",
            "@",
        ] {
            assert!(!is_address(wrong), "{wrong}");
        }
    }
}
