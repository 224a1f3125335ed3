//! Addresses that mails may go to.

use std::net::IpAddr;

use lettre::Address;

/// Whether mails may go to an address: one that the mail library reads, at the name of a domain, which strangers cannot
/// point at a machine of ours by its number, and that no program takes for an option.
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
    fn a_mail_goes_to_a_mailbox_at_the_name_of_a_domain() {
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
