//! One bounded call without a credential.

use std::time::Duration;

use reqwest::{Client, StatusCode};
use serde::de::DeserializeOwned;
use url::Url;

use crate::{PlatformError, Result};

/// Longest wait. A chat waits for emotes, so it is better without some than late.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Longest response. A set of a thousand emotes with all their pictures has about two MiB.
const MAX_BODY_BYTES: usize = 8 * 1024 * 1024;

/// Returns the parsed response; `None` when the requested object does not exist.
pub(super) async fn fetch<T: DeserializeOwned>(client: &Client, url: Url) -> Result<Option<T>> {
    let mut response = client.get(url).timeout(TIMEOUT).send().await.map_err(|error| transient(&error))?;
    let status = response.status();
    if status == StatusCode::NOT_FOUND {
        return Ok(None);
    }
    if status == StatusCode::TOO_MANY_REQUESTS {
        return Err(PlatformError::RateLimited { retry_after: None });
    }
    if !status.is_success() {
        return Err(PlatformError::Transient { detail: format!("status {}", status.as_u16()) });
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| transient(&error))? {
        if body.len() + chunk.len() > MAX_BODY_BYTES {
            return Err(PlatformError::InvalidResponse { detail: "longer than 8 MiB".into() });
        }
        body.extend_from_slice(&chunk);
    }
    serde_json::from_slice(&body).map(Some).map_err(|error| PlatformError::InvalidResponse {
        detail: format!("not the documented JSON ({:?} at line {})", error.classify(), error.line()),
    })
}

fn transient(error: &reqwest::Error) -> PlatformError {
    let detail = if error.is_timeout() { "no answer in time" } else { "no connection" };
    PlatformError::Transient { detail: detail.into() }
}
