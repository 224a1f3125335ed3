//! One bounded call, and the meaning of its response (reference/platforms.md#common-rules).

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use chrono::{DateTime, Utc};
use reqwest::{
    RequestBuilder, Response, StatusCode,
    header::{HeaderMap, HeaderValue, RETRY_AFTER},
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{PlatformError, Result, inspection::observe};
use foundation::http::TOTAL_TIMEOUT;
use shared::secret::Secret;
use shared::{config::platforms::PlatformConfig, platform::Platform};

/// Longest response that is read.
const MAX_BODY_BYTES: usize = 1024 * 1024;
/// Longest message of a platform that is passed on, in characters.
const MAX_MESSAGE_CHARS: usize = 300;
/// Longest wait that is accepted. Spotify has been seen to request a day (reference/platforms.md#spotify).
const MAX_RETRY_AFTER: Duration = Duration::from_secs(86_400);

/// HTTP side of the client of one platform.
#[derive(Debug, Clone)]
pub(super) struct Http {
    platform: Platform,
    client: reqwest::Client,
}

/// Whole response, read within its limits.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Http {
    pub(super) fn new(platform: Platform, client: reqwest::Client) -> Self {
        Self { platform, client }
    }

    pub(super) fn get(&self, url: url::Url) -> RequestBuilder {
        self.client.get(url)
    }

    pub(super) fn delete(&self, url: url::Url) -> RequestBuilder {
        self.client.delete(url)
    }

    pub(super) fn post(&self, url: url::Url) -> RequestBuilder {
        self.client.post(url)
    }

    pub(super) fn put(&self, url: url::Url) -> RequestBuilder {
        self.client.put(url)
    }

    pub(super) fn patch(&self, url: url::Url) -> RequestBuilder {
        self.client.patch(url)
    }

    /// Sends the request and reads the response. It does not check the status.
    pub(super) async fn send(&self, call: &'static str, request: RequestBuilder) -> Result<Answer> {
        let started = Instant::now();
        let outcome = match request.timeout(TOTAL_TIMEOUT).send().await {
            Ok(response) => Answer::read(response).await,
            Err(error) => Err(transport_error(&error)),
        };
        let elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        match &outcome {
            Ok(answer) => {
                let status = answer.status.as_u16();
                tracing::debug!(platform = %self.platform, call, status, elapsed_ms, "platform called");
            }
            Err(error) => {
                tracing::debug!(platform = %self.platform, call, %error, elapsed_ms, "platform call failed");
            }
        }
        outcome
    }
}

impl Answer {
    async fn read(mut response: Response) -> Result<Self> {
        let status = response.status();
        let headers = std::mem::take(response.headers_mut());
        observe(&headers);
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| transport_error(&error))? {
            if body.len() + chunk.len() > MAX_BODY_BYTES {
                return Err(PlatformError::invalid("longer than 1 MiB"));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Self { status, headers, body })
    }

    /// Returns the response of a success, else the error that the status means. `message` extracts the
    /// platform's text from an error body.
    pub(super) fn success(self, message: fn(&Value) -> Option<&str>) -> Result<Self> {
        if self.status.is_success() { Ok(self) } else { Err(self.refusal(message)) }
    }

    pub(super) fn json<T: DeserializeOwned>(&self) -> Result<T> {
        parsed(&self.body)
    }

    /// True for a 403.
    pub(super) fn is_forbidden(&self) -> bool {
        self.status == StatusCode::FORBIDDEN
    }

    /// Body as JSON, or null. Error bodies are read for their message only.
    pub(super) fn error_body(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    pub(super) fn refusal(&self, message: fn(&Value) -> Option<&str>) -> PlatformError {
        let status = self.status;
        if status == StatusCode::UNAUTHORIZED {
            return PlatformError::Unauthorized;
        }
        if status == StatusCode::TOO_MANY_REQUESTS {
            return self.rate_limited();
        }
        if status == StatusCode::REQUEST_TIMEOUT || status.is_server_error() {
            return PlatformError::Transient { detail: format!("status {}", status.as_u16()) };
        }
        if !status.is_client_error() {
            return PlatformError::invalid(format!("status {}", status.as_u16()));
        }
        let body = self.error_body();
        let message = clip(message(&body).unwrap_or_else(|| status.canonical_reason().unwrap_or("refused")));
        if status == StatusCode::CONFLICT {
            return PlatformError::Conflict { message };
        }
        PlatformError::Rejected { message }
    }

    pub(super) fn rate_limited(&self) -> PlatformError {
        let now = SystemTime::now();
        let stated = retry_after(&self.headers, now)
            .or_else(|| Duration::try_from_secs_f64(self.error_body()["retry_after"].as_f64()?).ok());
        PlatformError::RateLimited { retry_after: stated.map(|wait| wait.min(MAX_RETRY_AFTER)) }
    }
}

/// Body as JSON of a form.
pub(super) fn parsed<T: DeserializeOwned>(body: &[u8]) -> Result<T> {
    serde_json::from_slice(body).map_err(|error| {
        // Only the kind and the place: the text of the error may repeat a value, and values may be tokens.
        PlatformError::invalid(format!(
            "not the documented JSON ({:?} at line {} column {})",
            error.classify(),
            error.line(),
            error.column()
        ))
    })
}

/// Authorization header that is never printed. A token that is no valid header value is no token.
pub(super) fn authorization(scheme: &str, token: &Secret) -> Result<HeaderValue> {
    let mut value = HeaderValue::from_str(&format!("{scheme} {}", token.expose()))
        .map_err(|_error| PlatformError::Unauthorized)?;
    value.set_sensitive(true);
    Ok(value)
}

/// Client id of the configured application, or the error that names the missing variable.
pub(super) fn client_id(platform: Platform, config: &PlatformConfig) -> Result<&str> {
    config.client_id.as_deref().ok_or_else(|| not_configured(platform, "CLIENT_ID"))
}

/// Client secret of the configured application, or the error that names the missing variable.
pub(super) fn client_secret(platform: Platform, config: &PlatformConfig) -> Result<&Secret> {
    config.client_secret.as_ref().ok_or_else(|| not_configured(platform, "CLIENT_SECRET"))
}

/// Text of a platform, cut to a length that fits into a response.
pub(super) fn clip(message: &str) -> String {
    message.chars().take(MAX_MESSAGE_CHARS).collect()
}

fn not_configured(platform: Platform, suffix: &str) -> PlatformError {
    PlatformError::NotConfigured { variable: format!("LUMIO_{}_{suffix}", platform.slug().to_uppercase()) }
}

/// Error without its URL, which may carry a token in its query.
fn transport_error(error: &reqwest::Error) -> PlatformError {
    if error.is_builder() {
        return PlatformError::rejected("the request could not be built");
    }
    let detail = if error.is_timeout() {
        "no answer in time"
    } else if error.is_connect() {
        "no connection"
    } else {
        "the connection broke"
    };
    PlatformError::Transient { detail: detail.into() }
}

/// Time to wait: `Retry-After` first, then the headers that state the time at which the bucket is full again.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    text(RETRY_AFTER.as_str())
        .and_then(|value| seconds(value).or_else(|| until_http_date(value, now)))
        .or_else(|| text("x-ratelimit-reset-after").and_then(seconds))
        .or_else(|| text("ratelimit-reset").and_then(|value| until_reset(value, now)))
        .or_else(|| text("x-ratelimit-reset").and_then(|value| until_reset(value, now)))
}

fn seconds(text: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(text.trim().parse().ok()?).ok()
}

fn until_http_date(text: &str, now: SystemTime) -> Option<Duration> {
    let at = DateTime::parse_from_rfc2822(text.trim()).ok()?;
    Some((at.to_utc() - DateTime::<Utc>::from(now)).to_std().unwrap_or(Duration::ZERO))
}

/// A reset header holds seconds since 1970 on Twitch and Discord. A small number can only be a distance.
fn until_reset(text: &str, now: SystemTime) -> Option<Duration> {
    let stated = seconds(text)?;
    if stated <= MAX_RETRY_AFTER {
        return Some(stated);
    }
    let since_epoch = now.duration_since(UNIX_EPOCH).ok()?;
    Some(stated.saturating_sub(since_epoch))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, headers: &[(&'static str, &str)], body: &str) -> Answer {
        let headers = headers
            .iter()
            .map(|(name, value)| ((*name).try_into().unwrap(), HeaderValue::from_str(value).unwrap()))
            .collect();
        Answer { status: StatusCode::from_u16(status).unwrap(), headers, body: body.into() }
    }

    fn message(body: &Value) -> Option<&str> {
        body["message"].as_str()
    }

    fn wait(headers: &[(&'static str, &str)]) -> Option<Duration> {
        let now = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        retry_after(&answer(429, headers, "").headers, now)
    }

    #[test]
    fn refusal_of_a_status_is_the_same_on_every_platform() {
        let refusal = |status, body| answer(status, &[], body).refusal(message);
        assert_eq!(refusal(401, ""), PlatformError::Unauthorized);
        assert_eq!(refusal(400, r#"{"message":"no"}"#), PlatformError::rejected("no"));
        assert_eq!(refusal(403, "<html>"), PlatformError::rejected("Forbidden"));
        assert_eq!(
            refusal(409, r#"{"message":"twice"}"#),
            PlatformError::Conflict { message: "twice".into() }
        );
        assert!(matches!(refusal(503, ""), PlatformError::Transient { .. }));
        assert!(matches!(refusal(302, ""), PlatformError::InvalidResponse { .. }));
        let long = format!(r#"{{"message":"{}"}}"#, "x".repeat(5000));
        assert!(matches!(refusal(400, &long), PlatformError::Rejected { message } if message.len() == 300));
    }

    #[test]
    fn retry_after_is_read_from_any_header_or_body() {
        assert_eq!(
            wait(&[("retry-after", "7"), ("ratelimit-reset", "1700000060")]),
            Some(Duration::from_secs(7))
        );
        assert_eq!(wait(&[("retry-after", "Tue, 14 Nov 2023 22:13:50 GMT")]), Some(Duration::from_secs(30)));
        assert_eq!(wait(&[("ratelimit-reset", "1700000060")]), Some(Duration::from_secs(60)));
        assert_eq!(wait(&[("ratelimit-reset", "1600000000")]), Some(Duration::ZERO));
        assert_eq!(wait(&[("x-ratelimit-reset-after", "0.5")]), Some(Duration::from_millis(500)));
        assert_eq!(wait(&[("retry-after", "-1")]), None);
        assert_eq!(wait(&[]), None);
        let in_body = answer(429, &[], r#"{"retry_after":1.25}"#).refusal(message);
        assert_eq!(in_body, PlatformError::RateLimited { retry_after: Some(Duration::from_millis(1250)) });
        let too_long = answer(429, &[("retry-after", "999999999")], "").refusal(message);
        assert_eq!(too_long, PlatformError::RateLimited { retry_after: Some(MAX_RETRY_AFTER) });
    }

    #[test]
    fn authorization_headers_are_sensitive_and_odd_tokens_are_refused() {
        let header = authorization("Bearer", &Secret::new("abc")).unwrap();
        assert!(header.is_sensitive());
        assert_eq!(authorization("Bearer", &Secret::new("a\nb")).unwrap_err(), PlatformError::Unauthorized);
    }
}
