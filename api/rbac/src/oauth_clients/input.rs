//! Checks of the input for OAuth clients (reference/administration.md#oauth-clients).

use api_core::{ApiError, Result, validate};
use url::{Host, Url};

use super::{AdminCreateOauthClientInput, AdminUpdateOauthClientInput};

pub(super) const MAX_NAME_LENGTH: usize = 100;
const MAX_ENTRIES: usize = 20;
pub(super) const MAX_ENTRY_LENGTH: usize = 2000;

/// Checked new client.
pub(super) struct NewClient {
    /// Name.
    pub name: String,
    /// Redirect addresses.
    pub redirect_uris: Vec<String>,
    /// Host names with optional port.
    pub allowed_hosts: Vec<String>,
    /// False: the hosts are not allowed.
    pub is_active: bool,
}

/// Checked change; `None`: unchanged.
pub(super) struct ClientChange {
    /// New name.
    pub name: Option<String>,
    /// New redirect addresses.
    pub redirect_uris: Option<Vec<String>>,
    /// New host names.
    pub allowed_hosts: Option<Vec<String>>,
    /// New state.
    pub is_active: Option<bool>,
}

impl NewClient {
    /// Checks a new client.
    pub fn checked(input: AdminCreateOauthClientInput) -> Result<Self> {
        Ok(Self {
            name: validate::text("name", &input.name, 1, MAX_NAME_LENGTH)?,
            redirect_uris: each("redirect_uris", &input.redirect_uris, redirect_uri)?,
            allowed_hosts: each("allowed_hosts", &input.allowed_hosts, host)?,
            is_active: input.is_active.unwrap_or(true),
        })
    }
}

impl ClientChange {
    /// Checks a change.
    pub fn checked(input: AdminUpdateOauthClientInput) -> Result<Self> {
        let name = input.name.not_null("name")?;
        let redirect_uris = input.redirect_uris.not_null("redirect_uris")?;
        let allowed_hosts = input.allowed_hosts.not_null("allowed_hosts")?;
        Ok(Self {
            name: name.map(|name| validate::text("name", &name, 1, MAX_NAME_LENGTH)).transpose()?,
            redirect_uris: redirect_uris
                .map(|uris| each("redirect_uris", &uris, redirect_uri))
                .transpose()?,
            allowed_hosts: allowed_hosts.map(|hosts| each("allowed_hosts", &hosts, host)).transpose()?,
            is_active: input.is_active.not_null("is_active")?,
        })
    }

    /// Returns true when nothing changes.
    pub const fn is_empty(&self) -> bool {
        self.name.is_none()
            && self.redirect_uris.is_none()
            && self.allowed_hosts.is_none()
            && self.is_active.is_none()
    }
}

/// Checks every entry; repeated ones count once.
fn each(field: &str, given: &[String], read: fn(&str) -> Option<String>) -> Result<Vec<String>> {
    if given.len() > MAX_ENTRIES {
        return Err(ApiError::invalid(format!("{field} must have at most {MAX_ENTRIES} entries")));
    }
    let mut entries: Vec<String> = Vec::new();
    for text in given {
        let entry = Some(text.trim()).filter(|text| text.len() <= MAX_ENTRY_LENGTH).and_then(read);
        let entry = entry.ok_or_else(|| ApiError::invalid(format!("Invalid {field}: {text}")))?;
        if !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    Ok(entries)
}

/// Parses an address for a browser: `https`, or `http` on the local machine, without credentials or fragment.
fn redirect_uri(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    let is_plain = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    let is_secure = url.scheme() == "https" || (url.scheme() == "http" && is_local(&url.host()?));
    (is_plain && is_secure).then(|| url.to_string())
}

/// Parses a host name in the form of browsers, with a port where one is given.
fn host(text: &str) -> Option<String> {
    let url = Url::parse(&format!("https://{text}")).ok()?;
    let name = url.host_str().filter(|name| !name.contains(|c: char| c == '*' || c.is_control()))?.to_owned();
    let written = match url.port() {
        Some(port) => format!("{name}:{port}"),
        None => name,
    };
    // Any other text was parsed as another part of an address.
    (written == text.to_lowercase().trim_end_matches(":443")).then_some(written)
}

fn is_local(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == "localhost",
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_accepts_a_name_with_an_optional_port_only() {
        assert_eq!(host("Dash.Example.org").as_deref(), Some("dash.example.org"));
        assert_eq!(host("localhost:5173").as_deref(), Some("localhost:5173"));
        assert_eq!(host("example.org:443").as_deref(), Some("example.org"));
        for wrong in [
            "",
            "https://example.org",
            "example.org/path",
            "example.org?x",
            "example.org#x",
            "user@example.org",
            "exa mple.org",
            "*.example.org",
            "example.org:",
            "example.org:99999",
        ] {
            assert_eq!(host(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn redirect_uri_is_https_or_local() {
        for right in ["https://example.org/back?x=1", "http://localhost:5173/", "http://127.0.0.1:8080/x"] {
            assert_eq!(redirect_uri(right).as_deref(), Some(right));
        }
        for wrong in [
            "",
            "/back",
            "http://example.org/",
            "javascript:alert(1)",
            "ftp://example.org/",
            "https://u:p@example.org/",
            "https://example.org/#x",
        ] {
            assert_eq!(redirect_uri(wrong), None, "{wrong}");
        }
    }
}
