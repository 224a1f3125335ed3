//! Error body of the developer API: `{ error: { code, message, status, fields? } }`
//! (reference/developers.md#error-body).

use actix_web::{
    Error, HttpResponse, ResponseError,
    body::{BoxBody, MessageBody, to_bytes_limited},
    dev::{ServiceRequest, ServiceResponse},
    http::{StatusCode, header},
    middleware::Next,
};
use api_core::{ApiError, Code};
use extension_bundle::FieldError;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// Base path of the developer API.
pub const BASE: &str = "/developer/v1";

/// Maximum size of an error body that is translated; bodies without a translation may be larger.
const MAX_BODY_BYTES: usize = 64 * 1024;

/// A refusal of the developer API.
#[derive(Debug, Clone, PartialEq)]
pub struct DeveloperError {
    /// Code of the developer API.
    pub code: &'static str,
    /// Message.
    pub message: String,
    /// Errors by field; empty when the error is not about fields.
    pub fields: Vec<FieldError>,
    /// Status of the response.
    pub status: StatusCode,
    /// Code of the same refusal on the main API.
    pub main: Code,
    /// Seconds, for `Retry-After`.
    pub retry_after: Option<u64>,
}

/// Body of every error of the developer API.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeveloperErrorBody {
    error: DeveloperErrorDetail,
}

/// Content of an error.
#[derive(Debug, Serialize, ToSchema)]
struct DeveloperErrorDetail {
    code: String,
    message: String,
    status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    fields: Option<Vec<FieldError>>,
}

/// Result with [`DeveloperError`].
pub type Result<T, E = DeveloperError> = std::result::Result<T, E>;

impl DeveloperError {
    fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        let main = match status {
            StatusCode::NOT_FOUND => Code::NotFound,
            StatusCode::UNAUTHORIZED => Code::Unauthorized,
            StatusCode::FORBIDDEN => Code::Forbidden,
            StatusCode::TOO_MANY_REQUESTS => Code::RateLimitExceeded,
            status if status.is_server_error() => Code::InternalServerError,
            _ => Code::ValidationError,
        };
        Self { code, message: message.into(), fields: Vec::new(), status, main, retry_after: None }
    }

    /// Same refusal with another code on the main API, which distinguishes states and limits from invalid
    /// fields.
    pub(crate) fn on_main(mut self, main: Code) -> Self {
        self.main = main;
        self
    }

    /// 422 `validation_error`.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "validation_error", message)
    }

    /// 422 `validation_error` with an error for each field. Its message is that of the first.
    pub fn fields(fields: Vec<FieldError>) -> Self {
        let message = fields.first().map_or_else(String::new, |first| first.message.clone());
        Self { fields, ..Self::invalid(message) }
    }

    /// 404 `{resource}_not_found`.
    pub fn not_found(code: &'static str, message: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, message)
    }

    fn body(&self) -> DeveloperErrorBody {
        DeveloperErrorBody {
            error: DeveloperErrorDetail {
                code: self.code.to_owned(),
                message: self.message.clone(),
                status: self.status.as_u16(),
                fields: (self.status == StatusCode::UNPROCESSABLE_ENTITY).then(|| self.fields.clone()),
            },
        }
    }
}

impl std::fmt::Display for DeveloperError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for DeveloperError {}

impl From<ApiError> for DeveloperError {
    fn from(error: ApiError) -> Self {
        let (status, code) = match error.code {
            Code::BadRequest | Code::ValidationError => {
                (StatusCode::UNPROCESSABLE_ENTITY, "validation_error")
            }
            code => (code.status(), code_of(code.status())),
        };
        let fields = error.details.as_ref().and_then(|details| details.get("fields"));
        let fields = fields.and_then(|fields| Vec::deserialize(fields).ok()).unwrap_or_default();
        let (retry_after, main) = (error.retry_after, error.code);
        Self { retry_after, main, fields, ..Self::new(status, code, error.message) }
    }
}

impl From<DeveloperError> for ApiError {
    fn from(error: DeveloperError) -> Self {
        let retry_after = error.retry_after;
        let mut main = Self { retry_after, ..Self::new(error.main, error.message) };
        if !error.fields.is_empty() {
            main.details = Some(serde_json::json!({ "fields": error.fields }));
        }
        main
    }
}

impl From<shared::Error> for DeveloperError {
    fn from(error: shared::Error) -> Self {
        ApiError::from(error).into()
    }
}

impl From<diesel::result::Error> for DeveloperError {
    fn from(error: diesel::result::Error) -> Self {
        ApiError::from(error).into()
    }
}

impl ResponseError for DeveloperError {
    fn status_code(&self) -> StatusCode {
        self.status
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status);
        if let Some(seconds) = self.retry_after {
            response.insert_header((header::RETRY_AFTER, seconds.to_string()));
        }
        response.json(self.body())
    }
}

/// Gives errors that arise before a handler of the developer API runs (no credential, too many requests, no
/// such route) the developer API's body. It is a layer of the whole application; other paths are passed
/// through.
///
/// # Errors
/// Errors of the inner layers.
pub async fn developer_envelope(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    if !request.path().starts_with(BASE) {
        return Ok(next.call(request).await?.map_into_boxed_body());
    }
    let response = next.call(request).await.map_err(translated)?.map_into_boxed_body();
    if response.status().is_client_error() || response.status().is_server_error() {
        return Ok(rewritten(response).await);
    }
    Ok(response)
}

fn translated(error: Error) -> Error {
    match error.as_error::<ApiError>() {
        Some(known) => DeveloperError::from(known.clone()).into(),
        None => error,
    }
}

async fn rewritten(response: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
    if response.response().error().is_some_and(|error| error.as_error::<DeveloperError>().is_some()) {
        return response;
    }
    let (request, response) = response.into_parts();
    let (head, body) = response.into_parts();
    let body = match to_bytes_limited(body, MAX_BODY_BYTES).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) | Err(_) => Default::default(),
    };
    let parsed: Value = serde_json::from_slice(&body).unwrap_or_default();
    if parsed["error"].is_object() {
        return ServiceResponse::new(request, head.set_body(body).map_into_boxed_body());
    }
    let message = parsed["message"].as_str().unwrap_or("Request failed");
    let error = match parsed["error"].as_str() {
        Some("BAD_REQUEST" | "VALIDATION_ERROR") if head.status() == StatusCode::BAD_REQUEST => {
            DeveloperError::invalid(message)
        }
        _ => DeveloperError::new(head.status(), code_of(head.status()), message),
    };
    let mut answer = error.error_response();
    for (name, value) in head.headers() {
        if name != header::CONTENT_LENGTH && name != header::CONTENT_TYPE {
            answer.headers_mut().append(name.clone(), value.clone());
        }
    }
    ServiceResponse::new(request, answer)
}

/// Code of a status.
fn code_of(status: StatusCode) -> &'static str {
    match status.as_u16() {
        401 => "unauthorized",
        403 => "forbidden",
        404 => "not_found",
        429 => "rate_limited",
        400..=499 => "validation_error",
        _ => "internal_error",
    }
}
