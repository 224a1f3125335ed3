//! Public error of both protocols (reference/errors.md#error-body).

use actix_web::{HttpResponse, ResponseError, http::StatusCode};
use juniper::{FieldError, IntoFieldError, ScalarValue};
use serde_json::{Value, json};

/// Result with [`ApiError`].
pub type Result<T, E = ApiError> = std::result::Result<T, E>;

/// Error codes and the HTTP status of each (reference/errors.md#codes).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// The request is malformed or too large.
    BadRequest,
    /// A body took too long: 408 under the code of a bad request (reference/conventions.md#body-time).
    RequestTimeout,
    /// A body has another media type than JSON: 415 under the code of a bad request
    /// (reference/conventions.md#media-types).
    UnsupportedMediaType,
    /// A value is not allowed.
    ValidationError,
    /// A value is not allowed where the operation states 422 for it: 422 under the code of such a value
    /// (reference/errors.md#codes).
    Unprocessable,
    /// The credential is missing or not valid.
    Unauthorized,
    /// The kind of credential is wrong, or a permission is missing.
    Forbidden,
    /// A limit of the plan, or the highest number of something, is reached.
    PlanLimitReached,
    /// A feature flag is off.
    FeatureDisabled,
    /// The object is missing, or not visible to the caller.
    NotFound,
    /// The present state forbids the operation.
    Conflict,
    /// There were too many requests.
    RateLimitExceeded,
    /// A database failed or gave no connection in time.
    DatabaseError,
    /// Redis failed, or the queue takes no job.
    RedisError,
    /// The server failed otherwise.
    InternalServerError,
    /// Account creation is off. The code of GraphQL; REST has its own body
    /// (reference/errors.md#account-creation).
    AccountCreationDisabled,
    /// Stored application credentials cannot be decrypted.
    CredentialDecryptionFailed,
    /// A refresh came too early (reference/errors.md#cooldowns).
    RefreshCooldown,
    /// A GraphQL document cannot be parsed (reference/graphql.md#document-errors).
    GraphqlParseFailed,
    /// A GraphQL document does not fit the schema.
    GraphqlValidationFailed,
    /// A GraphQL document exceeds a bound.
    QueryTooComplex,
}

impl Code {
    /// Every code.
    pub const ALL: [Self; 21] = [
        Self::BadRequest,
        Self::RequestTimeout,
        Self::UnsupportedMediaType,
        Self::ValidationError,
        Self::Unprocessable,
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

    /// Text in `error` and in `extensions.code`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BadRequest | Self::RequestTimeout | Self::UnsupportedMediaType => "BAD_REQUEST",
            Self::ValidationError | Self::Unprocessable => "VALIDATION_ERROR",
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

    /// HTTP status.
    #[must_use]
    pub const fn status(self) -> StatusCode {
        match self {
            Self::BadRequest
            | Self::ValidationError
            | Self::GraphqlParseFailed
            | Self::GraphqlValidationFailed
            | Self::QueryTooComplex => StatusCode::BAD_REQUEST,
            Self::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Unprocessable => StatusCode::UNPROCESSABLE_ENTITY,
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

    /// Text that replaces the message of a server failure (reference/errors.md#server-failures).
    const fn generic_message(self) -> Option<&'static str> {
        match self {
            Self::DatabaseError => Some("Internal database error"),
            Self::RedisError => Some("Internal cache error"),
            Self::InternalServerError => Some("Internal server error"),
            _ => None,
        }
    }
}

/// Error as callers see it. The message of a 5xx is one of three generic texts: the cause is logged where the
/// error is created and left out of the value.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiError {
    /// Code and status.
    pub code: Code,
    /// Text for people.
    pub message: String,
    /// Object for programs; `None` without details.
    pub details: Option<Value>,
    /// Seconds of `Retry-After`; `None` without that header.
    pub retry_after: Option<u64>,
}

impl ApiError {
    /// Error of the client. For server failures use [`ApiError::internal`].
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let message = code.generic_message().map_or_else(|| message.into(), str::to_owned);
        Self { code, message, details: None, retry_after: None }
    }

    /// 400 `VALIDATION_ERROR`. A message that names its field (`label must not be empty`, `Invalid UUID:
    /// user_id`, `Missing field: label`) adds `details.fields` for programs
    /// (reference/errors.md#field-errors).
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

    /// 500: logs the cause once and returns the generic text.
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

    /// Adds the seconds after which a retry may succeed.
    #[must_use]
    pub const fn with_retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// Body of a REST response: `{ error, message, details? }`.
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

    /// `extensions` of a GraphQL error: `{ code, details? }`.
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

    /// Seconds that are left of a cooldown, for both protocols (reference/errors.md#cooldowns).
    const fn cooldown(&self) -> Option<u64> {
        match self.code {
            Code::RefreshCooldown => self.retry_after,
            _ => None,
        }
    }
}

/// Field that a message names.
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

/// 429 for a caller that waited too long for its share of the database
/// (reference/limits.md#shares-of-one-caller).
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
    fn api_error_of_an_exhausted_share_states_when_to_retry() {
        let refusal = ApiError::from(shared::Error::Busy);
        assert_eq!(refusal.status_code(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(refusal.to_string(), "RATE_LIMIT_EXCEEDED: Too many requests at once");
        assert_eq!(refusal.error_response().headers().get("retry-after").unwrap(), "1");
    }

    #[test]
    fn api_error_details_name_the_field_of_the_message() {
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
