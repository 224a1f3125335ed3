//! Addresses that a browser may be sent to (reference/connections.md#return-address): those of the dashboards
//! and of OAuth clients only.

use crate::oauth_clients::is_allowed_host;
use api_core::{ApiError, Cx, Result, access::DatabaseAccess};
use shared::config::Config;
use url::Url;

/// Longest address, in bytes.
pub(super) const MAX_BYTES: usize = 2048;

/// Checks a return address.
///
/// # Errors
/// 400 unless it is on the configured web or admin host, or on a host of an active OAuth client.
pub(crate) async fn check(
    cx: &Cx,
    caller: &impl DatabaseAccess,
    text: Option<&str>,
) -> Result<Option<String>> {
    let Some(text) = text else { return Ok(None) };
    match allowed(cx, caller, text).await? {
        Some(url) => Ok(Some(url.into())),
        None => Err(ApiError::invalid("return_to must be an address on an allowed host")),
    }
}

/// Returns the address if it is still allowed. The configuration may have changed since the beginning.
pub(super) async fn still_allowed(
    cx: &Cx,
    caller: &impl DatabaseAccess,
    text: Option<&str>,
) -> Result<Option<Url>> {
    match text {
        Some(text) => allowed(cx, caller, text).await,
        None => Ok(None),
    }
}

/// Adds the result to the query of the address.
pub(super) fn with(mut url: Url, parameters: &[(&str, &str)]) -> Url {
    url.query_pairs_mut().extend_pairs(parameters);
    url
}

async fn allowed(cx: &Cx, caller: &impl DatabaseAccess, text: &str) -> Result<Option<Url>> {
    let config = &cx.state().config;
    let Some(url) = safe(config, text) else { return Ok(None) };
    if is_dashboard(config, &url) {
        return Ok(Some(url));
    }
    let mut connection = caller.db().await?;
    let is_known = is_allowed_host(&mut connection, &host(&url)).await?;
    Ok(is_known.then_some(url))
}

/// Host in lower case, with the port unless it is the default one of the scheme.
fn host(url: &Url) -> String {
    let name = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| name.to_owned(), |port| format!("{name}:{port}"))
}

/// Parses an address that is safe for a redirect: absolute, `http` or `https`, without user or password, and
/// encrypted outside of development.
fn safe(config: &Config, text: &str) -> Option<Url> {
    let url = Url::parse(text).ok().filter(|_| text.len() <= MAX_BYTES)?;
    let is_web = match url.scheme() {
        "https" => true,
        "http" => !config.environment.is_deployment(),
        _ => false,
    };
    let is_plain = url.username().is_empty() && url.password().is_none() && url.has_host();
    (is_web && is_plain).then_some(url)
}

fn is_dashboard(config: &Config, url: &Url) -> bool {
    let dashboards = std::iter::once(&config.http.web_url).chain(&config.http.admin_url);
    dashboards.into_iter().any(|dashboard| dashboard.origin() == url.origin())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(variables: &[(&str, &str)]) -> Config {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Config::from_variables(variables).unwrap()
    }

    fn is_on_a_dashboard(config: &Config, text: &str) -> bool {
        safe(config, text).is_some_and(|url| is_dashboard(config, &url))
    }

    #[test]
    fn return_to_accepts_the_dashboards_only() {
        let config = config(&[
            ("LUMIO_WEB_URL", "https://app.example"),
            ("LUMIO_ADMIN_URL", "https://admin.example:8443"),
        ]);
        for good in ["https://app.example", "https://app.example/a?b=c#d", "https://admin.example:8443/x"] {
            assert!(is_on_a_dashboard(&config, good), "{good}");
        }
        for wrong in [
            "http://app.example/",
            "https://app.example:444/",
            "https://app.example.evil/",
            "https://evil/?https://app.example",
            "https://app.example@evil/",
            "https://user@app.example/",
            "https://admin.example/",
            "//app.example/",
            "/relative",
            "javascript:alert(1)//app.example",
            "https:evil.example",
            "https:\\\\evil.example\\@app.example",
            "",
        ] {
            assert!(!is_on_a_dashboard(&config, wrong), "{wrong}");
        }
    }

    #[test]
    fn return_to_carries_the_outcome_in_its_query() {
        let url = with(Url::parse("https://a.example/p?x=1#f").unwrap(), &[("connected", "twitch")]);
        assert_eq!(url.as_str(), "https://a.example/p?x=1&connected=twitch#f");
    }
}
