//! The public error of both protocols (specification A §7, C §12).

use actix_web::{HttpResponse, ResponseError, http::StatusCode};
use juniper::{FieldError, IntoFieldError, ScalarValue};
use serde_json::{Value, json};

/// Result with [`ApiError`].
pub type Result<T, E = ApiError> = std::result::Result<T, E>;

/// Error codes and the HTTP status of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    BadRequest,
    /// A body that took too long: 408 under the code of a bad request (specification E, 7).
    RequestTimeout,
    ValidationError,
    Unauthorized,
    Forbidden,
    PlanLimitReached,
    FeatureDisabled,
    NotFound,
    Conflict,
    RateLimitExceeded,
    DatabaseError,
    RedisError,
    InternalServerError,
    /// GraphQL's code where REST has a body of its own (A §4.3, §7).
    AccountCreationDisabled,
    CredentialDecryptionFailed,
    RefreshCooldown,
    /// GraphQL documents that do not execute (C §12).
    GraphqlParseFailed,
    GraphqlValidationFailed,
    QueryTooComplex,
}

impl Code {
    /// Every code.
    pub const ALL: [Self; 19] = [
        Self::BadRequest,
        Self::RequestTimeout,
        Self::ValidationError,
        Self::Unauthorized,
        Self::Forbidden,
        Self::PlanLimitReached,
        Self::FeatureDisabled,
        Self::NotFound,
        Self::Conflict,
        Self::RateLimitExceeded,
        Self::DatabaseError,
        Self::RedisError,
        Self::InternalServerError,
        Self::AccountCreationDisabled,
        Self::CredentialDecryptionFailed,
        Self::RefreshCooldown,
        Self::GraphqlParseFailed,
        Self::GraphqlValidationFailed,
        Self::QueryTooComplex,
    ];

    /// The text in `error` and in `extensions.code`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BadRequest | Self::RequestTimeout => "BAD_REQUEST",
            Self::ValidationError => "VALIDATION_ERROR",
            Self::Unauthorized => "UNAUTHORIZED",
            Self::Forbidden => "FORBIDDEN",
            Self::PlanLimitReached => "PLAN_LIMIT_REACHED",
            Self::FeatureDisabled => "FEATURE_DISABLED",
            Self::NotFound => "NOT_FOUND",
            Self::Conflict => "CONFLICT",
            Self::RateLimitExceeded => "RATE_LIMIT_EXCEEDED",
            Self::DatabaseError => "DATABASE_ERROR",
            Self::RedisError => "REDIS_ERROR",
            Self::InternalServerError => "INTERNAL_SERVER_ERROR",
            Self::AccountCreationDisabled => "ACCOUNT_CREATION_DISABLED",
            Self::CredentialDecryptionFailed => "CREDENTIAL_DECRYPTION_FAILED",
            Self::RefreshCooldown => "REFRESH_COOLDOWN",
            Self::GraphqlParseFailed => "GRAPHQL_PARSE_FAILED",
            Self::GraphqlValidationFailed => "GRAPHQL_VALIDATION_FAILED",
            Self::QueryTooComplex => "QUERY_TOO_COMPLEX",
        }
    }

    /// The HTTP status.
    #[must_use]
    pub const fn status(self) -> StatusCode {
        match self {
            Self::BadRequest
            | Self::ValidationError
            | Self::GraphqlParseFailed
            | Self::GraphqlValidationFailed
            | Self::QueryTooComplex => StatusCode::BAD_REQUEST,
            Self::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::Forbidden
            | Self::PlanLimitReached
            | Self::FeatureDisabled
            | Self::AccountCreationDisabled => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Conflict | Self::CredentialDecryptionFailed => StatusCode::CONFLICT,
            Self::RateLimitExceeded | Self::RefreshCooldown => StatusCode::TOO_MANY_REQUESTS,
            Self::DatabaseError | Self::RedisError | Self::InternalServerError => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
        }
    }

    /// The text that replaces the message of a server failure (A §7).
    const fn generic_message(self) -> Option<&'static str> {
        match self {
            Self::DatabaseError => Some("Internal database error"),
            Self::RedisError => Some("Internal cache error"),
            Self::InternalServerError => Some("Internal server error"),
            _ => None,
        }
    }
}

/// An error as callers see it. The message of a 5xx is always one of three generic texts: the cause is logged where
/// the error is made and kept out of the value.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiError {
    pub code: Code,
    pub message: String,
    pub details: Option<Value>,
    /// Seconds, for `Retry-After`.
    pub retry_after: Option<u64>,
}

impl ApiError {
    /// A client's mistake. For server failures use [`ApiError::internal`].
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let message = code.generic_message().map_or_else(|| message.into(), str::to_owned);
        Self { code, message, details: None, retry_after: None }
    }

    /// 400 `VALIDATION_ERROR`. A message that names its field as messages do (`label must not be empty`,
    /// `Invalid UUID: user_id`, `Missing field: label`) gives `details.fields` too, for programs.
    pub fn invalid(message: impl Into<String>) -> Self {
        let message = message.into();
        let details =
            named_field(&message).map(|field| json!({ "fields": [{ "field": field, "message": message }] }));
        Self { details, ..Self::new(Code::ValidationError, message) }
    }

    /// 400 `BAD_REQUEST`.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(Code::BadRequest, message)
    }

    /// 401.
    pub fn unauthorized(message: impl Into<String>) -> Self {
        Self::new(Code::Unauthorized, message)
    }

    /// 403 `FORBIDDEN`.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(Code::Forbidden, message)
    }

    /// 404: missing, or not visible to the caller.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(Code::NotFound, message)
    }

    /// 409.
    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(Code::Conflict, message)
    }

    /// 500: logs the cause once and answers the generic text.
    pub fn internal(cause: impl std::fmt::Display) -> Self {
        tracing::error!(error = %cause, "internal error");
        Self::new(Code::InternalServerError, "")
    }

    /// Adds details.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    /// Adds the time after which another try may succeed.
    #[must_use]
    pub const fn with_retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// The body of a REST answer: `{ error, message, details? }`.
    #[must_use]
    pub fn body(&self) -> Value {
        if self.code == Code::AccountCreationDisabled {
            return json!({ "error": self.message, "error_code": "account_creation_disabled" });
        }
        let mut body = json!({ "error": self.code.as_str(), "message": self.message });
        if let Some(details) = &self.details {
            body["details"] = details.clone();
        }
        if let Some(seconds) = self.cooldown() {
            body["details"]["retry_after_seconds"] = seconds.into();
        }
        body
    }

    /// The `extensions` of a GraphQL error: `{ code, details? }`.
    #[must_use]
    pub fn extensions(&self) -> Value {
        let mut extensions = json!({ "code": self.code.as_str() });
        if let Some(details) = &self.details {
            extensions["details"] = details.clone();
        }
        if let Some(seconds) = self.cooldown() {
            extensions["retry_after_seconds"] = seconds.into();
        }
        extensions
    }

    /// Seconds that are left of a cooldown, which both protocols name (B §4.7 rule 4; specification E, 26).
    const fn cooldown(&self) -> Option<u64> {
        match self.code {
            Code::RefreshCooldown => self.retry_after,
            _ => None,
        }
    }
}

/// The field that a message is about.
fn named_field(message: &str) -> Option<&str> {
    let after = |start: &str| message.strip_prefix(start);
    let field = after("Invalid UUID: ")
        .or_else(|| after("Missing field: "))
        .or_else(|| after("Invalid ").and_then(|rest| Some(rest.split_once(": ")?.0)))
        .or_else(|| Some(message.split_once(" must ")?.0))?;
    let is_name = field.starts_with(|c: char| c.is_ascii_lowercase())
        && field.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '[' | ']'));
    (is_name && !matches!(field, "body" | "query")).then_some(field)
}

impl std::fmt::Display for ApiError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.message)
    }
}

impl std::error::Error for ApiError {}

impl From<shared::Error> for ApiError {
    fn from(error: shared::Error) -> Self {
        use shared::Error as E;
        let code = match &error {
            E::Busy => return busy(),
            E::Database(_) | E::Pool(_) => Code::DatabaseError,
            E::Redis(_) | E::Queue(_) => Code::RedisError,
            E::Storage(_) | E::Json(_) | E::Decryption(_) | E::InvalidJob(_) | E::Internal(_) => {
                Code::InternalServerError
            }
        };
        tracing::error!(%error, code = code.as_str(), "request failed");
        Self::new(code, "")
    }
}

/// 429 for whoever has more under way than its share of the database bears.
fn busy() -> ApiError {
    tracing::info!("a caller waited too long for its share of the database");
    ApiError::new(Code::RateLimitExceeded, "Too many requests at once").with_retry_after(1)
}

impl From<diesel::result::Error> for ApiError {
    fn from(error: diesel::result::Error) -> Self {
        shared::Error::from(error).into()
    }
}

impl From<redis::RedisError> for ApiError {
    fn from(error: redis::RedisError) -> Self {
        shared::Error::from(error).into()
    }
}

impl From<serde_json::Error> for ApiError {
    fn from(error: serde_json::Error) -> Self {
        shared::Error::from(error).into()
    }
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        self.code.status()
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status_code());
        if let Some(seconds) = self.retry_after {
            response.insert_header(("Retry-After", seconds.to_string()));
        }
        response.json(self.body())
    }
}

impl<S: ScalarValue> IntoFieldError<S> for ApiError {
    fn into_field_error(self) -> FieldError<S> {
        let extensions = crate::graphql::json_value(&self.extensions());
        FieldError::new(self.message, extensions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waited_too_long_for_its_share_is_told_when_to_come_back() {
        let refusal = ApiError::from(shared::Error::Busy);
        assert_eq!(refusal.status_code(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(refusal.to_string(), "RATE_LIMIT_EXCEEDED: Too many requests at once");
        assert_eq!(refusal.error_response().headers().get("retry-after").unwrap(), "1");
    }

    #[test]
    fn a_message_that_names_its_field_names_it_for_programs_too() {
        let field = |message: &str| {
            let body = ApiError::invalid(message).body();
            body["details"]["fields"][0]["field"].as_str().map(str::to_owned)
        };
        for (message, expected) in [
            ("label must not be empty", "label"),
            ("rules[0].op must be one of eq, ne", "rules[0].op"),
            ("Invalid UUID: active_account_id", "active_account_id"),
            ("Missing field: label", "label"),
            ("Invalid locale: must be en or de", "locale"),
        ] {
            assert_eq!(field(message).as_deref(), Some(expected), "{message}");
        }
        for message in
            ["Price cannot be negative", "A batch must hold at least one operation", "Invalid body: x"]
        {
            assert_eq!(field(message), None, "{message}");
        }
    }
}
