//! GraphQL requests: one operation, or several where batches are enabled.

use actix_web::{
    HttpRequest,
    http::header,
    web::{Bytes, Payload},
};
use api_core::{
    ApiError, Cx, Result,
    graphql::{Bound, limits::check_values},
    http::{MAX_JSON_BYTES, Tier, declares_json, parse, rate_key_of, read},
};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// One operation as it arrives.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraphqlRequest {
    /// A document in the GraphQL language.
    pub query: String,
    /// Name of the operation to execute; required when the document has several.
    #[serde(default)]
    pub operation_name: Option<String>,
    /// Values of the variables by name; any JSON where the schema says `JSON`.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub variables: Option<Map<String, Value>>,
}

/// Operations of a request.
pub enum Requested {
    /// A request of its own.
    One(GraphqlRequest),
    /// A batch.
    Batch(Vec<GraphqlRequest>),
}

/// Reads the body.
///
/// # Errors
/// 400 for a body that is no request or too large; 429 when the operations of a batch exceed the caller's
/// limit.
pub async fn requested(cx: &Cx, request: &HttpRequest, body: Payload) -> Result<Requested> {
    // A form of another site cannot send this type without a preflight (CORS), so it cannot use the popout's
    // cookie.
    if !declares_json(request.headers()) {
        return Err(ApiError::bad_request("Content-Type must be application/json"));
    }
    let declared =
        request.headers().get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    let body = read(&mut body.into_inner(), declared, MAX_JSON_BYTES).await;
    cx.record_body(body.as_deref().ok());
    let body: Bytes = body?;
    check_values(&body)?;
    if body.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'[') {
        return parse(&body).map(Requested::One);
    }
    if cx.state().config.environment.is_deployment() {
        return Err(ApiError::bad_request("Batches are answered in development only: send one operation"));
    }
    let operations: Vec<GraphqlRequest> = parse(&body)?;
    if operations.is_empty() {
        return Err(ApiError::bad_request("A batch must hold at least one operation"));
    }
    Bound::Batch.check(operations.len() as u64)?;
    count(cx, operations.len() as u64 - 1).await?;
    Ok(Requested::Batch(operations))
}

/// Counts what a request does beyond one request against the caller's limit: the further operations of a batch,
/// and a large introspection response.
///
/// # Errors
/// 429 when it exceeds the limit.
pub async fn count(cx: &Cx, further: u64) -> Result<()> {
    let (state, principal) = (cx.state(), cx.principal());
    let Some(tier) = Tier::of(principal) else { return Ok(()) };
    let key = rate_key_of(principal, cx.request().ip);
    let mut last = None;
    for _ in 0..further {
        let verdict = state.limiter.check(tier, &key, tier.limit(&state.config.rate_limits)).await;
        cx.refuse_over(&verdict)?;
        last = Some(verdict);
    }
    if let Some(verdict) = last {
        cx.report_limit(&verdict);
    }
    Ok(())
}
