//! Reachability of the public address: browsers and platforms call it.

use reqwest::{Response, StatusCode};
use url::Url;

use super::{Deployment, Finding};

/// Checks the public address and an address of deliveries.
pub(super) async fn public_address(this: &Deployment<'_>) -> Vec<Finding> {
    let public = &this.config.http.public_url;
    let mut findings: Vec<Finding> = insecure(this).into_iter().collect();
    let client = match foundation::http::client() {
        Ok(client) => client,
        Err(error) => {
            findings.push(Finding::error(
                "no_client",
                error.to_string(),
                "Check the certificates of this machine.",
            ));
            return findings;
        }
    };
    let remedy = "Check LUMIO_PUBLIC_URL, the name in DNS, the proxy in front, and that the API runs.";
    let alive = client.get(below(public, "v1")).send().await;
    let Some(message) = problem(alive, StatusCode::OK, &below(public, "v1")) else {
        // A delivery without a signature is refused by the API itself, so that nothing is stored.
        let webhook = below(public, "v1/webhooks/twitch");
        let refused = client.post(webhook.clone()).body("{}").send().await;
        findings.extend(problem(refused, StatusCode::UNAUTHORIZED, &webhook).map(|message| {
            let remedy = "Let the proxy in front pass POST requests below /v1/webhooks/ with their headers and bodies.";
            Finding::error("webhooks_unreachable", message, remedy)
        }));
        return findings;
    };
    findings.push(Finding::error("public_address_unreachable", message, remedy));
    findings
}

fn insecure(this: &Deployment<'_>) -> Option<Finding> {
    let public = &this.config.http.public_url;
    let is_public = public.scheme() == "https" && public.port_or_known_default() == Some(443);
    (this.config.environment.is_deployment() && !is_public).then(|| {
        let message = format!("{public} is not https on port 443: Twitch delivers nothing there");
        Finding::warning("public_address_insecure", message, "Serve it behind a proxy with a certificate.")
    })
}

fn below(public: &Url, path: &str) -> Url {
    let base = public.as_str().trim_end_matches('/');
    format!("{base}/{path}").parse().unwrap_or_else(|_malformed| public.clone())
}

/// Text of what is wrong with a response.
fn problem(response: reqwest::Result<Response>, expected: StatusCode, url: &Url) -> Option<String> {
    match response {
        Ok(response) if response.status() == expected => None,
        Ok(response) => {
            Some(format!("{url} answers {} instead of {}", response.status().as_u16(), expected.as_u16()))
        }
        Err(error) if error.is_timeout() => Some(format!("{url} does not answer in time")),
        Err(error) => Some(format!("{url} cannot be reached: {}", error.without_url())),
    }
}
