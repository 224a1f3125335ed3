//! Bodies, queries and paths, with errors that name the field (reference/conventions.md#bodies).

use std::convert::Infallible;

use actix_web::{
    FromRequest, HttpMessage, HttpRequest,
    dev::Payload,
    http::header,
    web::{Bytes, BytesMut},
};
use futures::{StreamExt, future::LocalBoxFuture};
use serde::de::DeserializeOwned;
use shared::{json, parse_error::without_position};
use uuid::Uuid;

use super::{body_deadline::unreadable, media_type, parse_error, route_of};
use crate::{ApiError, Code, Cx, Result, validate};

/// Largest JSON body, in bytes.
pub const MAX_JSON_BYTES: usize = 1024 * 1024;

/// Bytes of memory for a body before any of it has arrived.
const INITIAL_CAPACITY_BYTES: usize = 64 * 1024;

/// Input of a request, or the error of an unusable one. The operation checks it after the rights, so that a
/// caller without the rights learns only that (reference/permissions.md#check-order). A GraphQL adapter
/// passes `Ok`.
pub type Input<T> = Result<T, ApiError>;

/// A JSON body. An empty one counts as `{}`, so that actions whose fields are all optional need none.
#[derive(Debug)]
pub struct JsonBody<T>(pub Input<T>);

impl<T: DeserializeOwned + 'static> FromRequest for JsonBody<T> {
    type Error = Infallible;
    type Future = LocalBoxFuture<'static, Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let declared = declared_length(request);
        let is_foreign = media_type::is_foreign(request.headers());
        // Routes without authentication have no context.
        let keyed = request.extensions().get::<Cx>().filter(|cx| cx.has_idempotency_key()).cloned();
        let mut payload = payload.take();
        Box::pin(async move {
            let body = read(&mut payload, declared, MAX_JSON_BYTES).await;
            if let Some(cx) = keyed {
                cx.record_body(body.as_deref().ok());
            }
            Ok(Self(body.and_then(|body| {
                // An empty body has no media type, whatever is declared.
                if is_foreign && !body.is_empty() { Err(unsupported_media_type()) } else { parse(&body) }
            })))
        })
    }
}

fn declared_length(request: &HttpRequest) -> Option<usize> {
    request.headers().get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Reads a body up to a limit.
///
/// # Errors
/// 400 `Request body too large`, or when the client stops sending; 408 when it takes too long.
pub async fn read(payload: &mut Payload, declared: Option<usize>, limit: usize) -> Result<Bytes> {
    let too_large = || ApiError::bad_request("Request body too large");
    if declared.is_some_and(|length| length > limit) {
        return Err(too_large());
    }
    // The declared length may never arrive.
    let mut body = BytesMut::with_capacity(declared.unwrap_or(0).min(limit).min(INITIAL_CAPACITY_BYTES));
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|error| unreadable(&error))?;
        if body.len() + chunk.len() > limit {
            return Err(too_large());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

fn unsupported_media_type() -> ApiError {
    ApiError::new(Code::UnsupportedMediaType, "Content-Type must be application/json")
}

/// Parses a JSON text.
///
/// # Errors
/// 400 `BAD_REQUEST` for malformed JSON, 400 `VALIDATION_ERROR` that names the field for a wrong value.
pub fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T> {
    let body = if body.is_empty() { b"{}" } else { body };
    if std::str::from_utf8(body).is_err() {
        return Err(ApiError::bad_request("Request body is not valid UTF-8"));
    }
    json::check(body).map_err(|reason| ApiError::bad_request(format!("Malformed JSON: {reason}")))?;
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| refusal(&error))?;
    deserializer.end().map_err(|error| ApiError::bad_request(format!("Malformed JSON: {error}")))?;
    Ok(value)
}

fn refusal(error: &serde_path_to_error::Error<serde_json::Error>) -> ApiError {
    use serde_json::error::Category;
    match error.inner().classify() {
        Category::Data => {
            let reason = error.inner().to_string();
            parse_error::refusal(&error.path().to_string(), without_position(&reason), "body")
        }
        Category::Syntax | Category::Eof | Category::Io => {
            ApiError::bad_request(format!("Malformed JSON: {}", error.inner()))
        }
    }
}

/// Query string. Parameters that the route does not document are refused by name
/// (reference/conventions.md#queries).
#[derive(Debug)]
pub struct QueryOf<T>(pub Input<T>);

impl<T: DeserializeOwned> FromRequest for QueryOf<T> {
    type Error = Infallible;
    type Future = std::future::Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        std::future::ready(Ok(Self(check_parameters(request).and_then(|()| parsed_query(request)))))
    }
}

/// Query string that may hold further parameters, which platforms add to their callbacks.
#[derive(Debug)]
pub struct LenientQuery<T>(pub Input<T>);

impl<T: DeserializeOwned> FromRequest for LenientQuery<T> {
    type Error = Infallible;
    type Future = std::future::Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        std::future::ready(Ok(Self(parsed_query(request))))
    }
}

/// Parameter with the credential of a popout or surface, which any address may carry
/// (reference/credentials.md#transports).
const TOKEN: &str = "token";
/// Unknown parameters that an error names.
const MAX_LISTED_PARAMETERS: usize = 10;

fn check_parameters(request: &HttpRequest) -> Result<()> {
    let route = route_of(request);
    let documented = route.as_ref().and_then(|route| route.query_of(request.method()));
    let Some(documented) = documented else { return Ok(()) };
    let pairs = url::form_urlencoded::parse(request.query_string().as_bytes());
    let is_unknown = |name: &str| name != TOKEN && !documented.iter().any(|known| known == name);
    let unknown: Vec<_> =
        pairs.map(|(name, _)| name).filter(|name| is_unknown(name)).take(MAX_LISTED_PARAMETERS).collect();
    let Some(first) = unknown.first() else { return Ok(()) };
    let allowed = documented.join(", ");
    let message = |name: &str| format!("Unknown query parameter: {}. Allowed: {allowed}", shown(name));
    let fields: Vec<_> = unknown
        .iter()
        .map(|name| serde_json::json!({ "field": shown(name), "message": message(name) }))
        .collect();
    Err(ApiError::invalid(message(first)).with_details(serde_json::json!({ "fields": fields })))
}

/// Name as shown in a message.
fn shown(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(64).collect()
}

fn parsed_query<T: DeserializeOwned>(request: &HttpRequest) -> Result<T> {
    let pairs = url::form_urlencoded::parse(request.query_string().as_bytes());
    serde_path_to_error::deserialize(serde_urlencoded::Deserializer::new(pairs))
        .map_err(|error| parse_error::refusal(&error.path().to_string(), &error.inner().to_string(), "query"))
}

/// Parses a UUID of the path.
///
/// # Errors
/// 400 `Invalid UUID: {field}`.
pub fn path_uuid(request: &HttpRequest, field: &str) -> Input<Uuid> {
    validate::uuid(field, request.match_info().get(field).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Input {
        label: String,
        #[serde(default)]
        ids: Vec<Uuid>,
        #[serde(default)]
        kind: Option<Kind>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        Personal,
        Service,
    }

    fn error(body: &str) -> String {
        parse::<Input>(body.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn body_errors_name_the_field_and_the_allowed_values() {
        assert_eq!(error(r#"{"label":1}"#), "VALIDATION_ERROR: Invalid label: must be a string");
        assert_eq!(error("{}"), "VALIDATION_ERROR: Missing field: label");
        assert_eq!(error(r#"{"label":"x","ids":["zz"]}"#), "VALIDATION_ERROR: Invalid UUID: ids[0]");
        assert_eq!(
            error(r#"{"label":"x","kind":"other"}"#),
            "VALIDATION_ERROR: Invalid kind: must be personal or service"
        );
        assert!(error(r#"{"label":"#).starts_with("BAD_REQUEST: Malformed JSON"));
        assert!(error(r#"{"label":"x"} more"#).starts_with("BAD_REQUEST: Malformed JSON"));
        let deep = format!("{{\"label\":{}}}", "[".repeat(json::MAX_DEPTH));
        assert!(
            error(&deep).starts_with("BAD_REQUEST: Malformed JSON: more than 100 arrays"),
            "{}",
            error(&deep)
        );
    }

    #[test]
    fn body_of_invalid_utf8_is_a_bad_request() {
        let error = parse::<Input>(b"{\"label\":\"\xff\"}").unwrap_err();
        assert_eq!(error.code, crate::Code::BadRequest);
    }

    #[test]
    fn body_may_hold_unknown_fields() {
        assert!(parse::<Input>(br#"{"label":"x","more":1}"#).is_ok());
    }
}
