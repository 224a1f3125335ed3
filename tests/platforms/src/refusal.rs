//! An error response in a platform's own format.

use std::fmt;

use actix_web::{HttpResponse, ResponseError, http::StatusCode};
use serde_json::{Value, json};

use crate::Platform;

/// Error response of a platform.
#[derive(Debug, Clone)]
pub struct Refusal {
    status: StatusCode,
    body: Value,
    headers: Vec<(&'static str, String)>,
}

impl Refusal {
    /// Response with a body of the handler's own.
    pub fn new(status: u16, body: Value) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self { status, body, headers: Vec::new() }
    }

    /// An API error in the envelope of the platform.
    pub fn of(platform: Platform, status: u16, message: &str) -> Self {
        Self::new(status, envelope(platform, status, message))
    }

    pub fn with_header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub fn response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status);
        for (name, value) in &self.headers {
            response.insert_header((*name, value.as_str()));
        }
        response.json(&self.body)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.status, self.body)
    }
}

impl ResponseError for Refusal {
    fn status_code(&self) -> StatusCode {
        self.status
    }

    fn error_response(&self) -> HttpResponse {
        self.response()
    }
}

fn envelope(platform: Platform, status: u16, message: &str) -> Value {
    let reason =
        StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason()).unwrap_or("Error");
    match platform {
        Platform::Twitch => json!({ "error": reason, "status": status, "message": message }),
        Platform::Youtube => json!({
            "error": {
                "code": status,
                "message": message,
                "errors": [{ "message": message, "domain": "youtube.liveChat", "reason": google_reason(status) }],
            }
        }),
        Platform::Kick => json!({ "data": {}, "message": message }),
        Platform::Trovo => json!({ "status": trovo_code(status), "error": reason, "message": message }),
        Platform::Spotify => json!({ "error": { "status": status, "message": message } }),
        Platform::Discord => json!({ "message": message, "code": 0 }),
    }
}

fn google_reason(status: u16) -> &'static str {
    match status {
        400 => "badRequest",
        401 => "authError",
        403 => "forbidden",
        404 => "liveChatNotFound",
        429 => "rateLimitExceeded",
        _ => "backendError",
    }
}

fn trovo_code(status: u16) -> i64 {
    match status {
        401 => 11704,
        403 => 11730,
        429 => 11706,
        500.. => -1000,
        _ => 1002,
    }
}
