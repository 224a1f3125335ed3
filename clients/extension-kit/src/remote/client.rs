//! Client of the API.

use std::{env, fs, time::Duration};

use anyhow::{Context, Result, bail};
use extension_bundle::FieldError;
use reqwest::{Method, RequestBuilder, Response, StatusCode, header::RETRY_AFTER};
use serde::Deserialize;
use serde_json::Value;
use url::{Host, Url};

use super::RemoteOptions;

/// Variable of the personal key.
const TOKEN: &str = "LUMIO_TOKEN";
/// Maximum length of an unexpected answer in an error, in characters.
const MAX_ANSWER_LENGTH: usize = 300;
/// Pause that a refusal without `Retry-After` asks for.
const DEFAULT_RETRY_DELAY: Duration = Duration::from_secs(5);

/// Client with the credential of a person.
pub(super) struct Client {
    http: reqwest::Client,
    options: RemoteOptions,
    token: String,
}

/// Refusal of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub status: StatusCode,
    pub message: String,
    /// Errors by field; empty when the refusal is not about fields.
    pub fields: Vec<FieldError>,
    /// Pause before another attempt, for 429.
    pub retry_after: Duration,
}

/// Error body: that of the developer API, or that of the main API.
#[derive(Deserialize)]
#[serde(untagged)]
enum ErrorBody {
    Developer { error: DeveloperError },
    Main { message: String },
}

#[derive(Deserialize)]
struct DeveloperError {
    message: String,
    #[serde(default)]
    fields: Vec<FieldError>,
}

impl Client {
    /// Returns a client with the key of `--token-file`, or of `LUMIO_TOKEN`.
    ///
    /// # Errors
    /// A key that is missing or cannot be read, and an address that would send it unencrypted over a network.
    pub fn new(options: &RemoteOptions) -> Result<Self> {
        if !is_confidential(&options.url) {
            bail!("{} must begin with https://, because the personal key is sent to it", options.url);
        }
        let token = match &options.token_file {
            Some(path) => {
                fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?
            }
            None => env::var(TOKEN).with_context(|| {
                format!("{TOKEN} must hold a personal key, or --token-file name a file of one")
            })?,
        };
        let token = token.trim().to_owned();
        if token.is_empty() {
            bail!("the personal key is empty");
        }
        Ok(Self { http: foundation::http::client()?, options: options.clone(), token })
    }

    /// Returns a request for a path of the API.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let base = self.options.url.as_str().trim_end_matches('/');
        let url = format!("{base}{path}");
        self.http.request(method, url).bearer_auth(&self.token)
    }

    /// Sends a request. The inner error is a refusal of the API.
    ///
    /// # Errors
    /// An API that cannot be reached, and an answer that is not of the API.
    pub async fn send(&self, request: RequestBuilder) -> Result<Result<Value, Refusal>> {
        let sent = request.send().await.with_context(|| format!("{} cannot be reached", self.options.url))?;
        if sent.status().is_success() {
            return Ok(Ok(sent.json().await.context("the answer is not of the API")?));
        }
        refusal(sent).await.map(Err)
    }
}

/// True when a request is encrypted, or does not leave this machine.
fn is_confidential(url: &Url) -> bool {
    let is_local = match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    url.scheme() == "https" || url.scheme() == "http" && is_local
}

async fn refusal(response: Response) -> Result<Refusal> {
    let status = response.status();
    let after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
    let retry_after = after.map_or(DEFAULT_RETRY_DELAY, Duration::from_secs);
    let text = response.text().await?;
    let (message, fields) = match serde_json::from_str(&text) {
        Ok(ErrorBody::Developer { error }) => (error.message, error.fields),
        Ok(ErrorBody::Main { message }) => (message, Vec::new()),
        Err(_) => {
            let answer: String = text.chars().take(MAX_ANSWER_LENGTH).collect();
            bail!("the answer is not of the API: {status} {answer}");
        }
    };
    Ok(Refusal { status, message, fields, retry_after })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_confidential_over_tls_and_on_this_machine_only() {
        let is = |url: &str| is_confidential(&url.parse().unwrap());
        for url in ["https://api.example", "http://localhost:8080", "http://127.0.0.1:1", "http://[::1]:1"] {
            assert!(is(url), "{url}");
        }
        for url in ["http://api.example", "http://10.0.0.1", "http://localhost.example", "ftp://localhost"] {
            assert!(!is(url), "{url}");
        }
    }
}
