//! Refusals before execution in the shape of GraphQL (reference/graphql.md#refusals-before-execution). Layers
//! return them in the form of REST.

use actix_web::{
    Error, HttpResponse,
    body::{BoxBody, EitherBody, MessageBody, to_bytes_limited},
    dev::{ServiceRequest, ServiceResponse},
    http::{
        Method,
        header::{self, HeaderMap},
    },
    middleware::Next,
};
use api_core::ApiError;
use serde_json::Value;

use super::{
    PATH,
    answer::{Answer, Refusal, Shaped},
    media_type::MediaType,
};

/// Longest body of a layer's refusal, in bytes.
const MAX_BODY: usize = 64 * 1024;

/// Converts refusals of the inner layers to the shape of GraphQL for requests to GraphQL.
///
/// # Errors
/// The error of the inner layers.
pub async fn graphql_shape<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<EitherBody<B>>, Error> {
    if request.path() != PATH || request.method() != Method::POST {
        return Ok(next.call(request).await?.map_into_left_body());
    }
    let media_type = MediaType::accepted(request.headers());
    match next.call(request).await {
        Ok(response) if is_shaped(&response) => Ok(response.map_into_left_body()),
        Ok(response) => Ok(shaped(response, media_type).await.map_into_right_body()),
        Err(mut error) => {
            if let Some(refusal) = error.as_error::<ApiError>().cloned() {
                error.add_response_mapper(move |response| {
                    let refusal = Refusal::from(refusal.clone());
                    with_headers(Answer::from(refusal).respond(media_type), response.headers())
                });
            }
            Err(error)
        }
    }
}

fn is_shaped<B>(response: &ServiceResponse<B>) -> bool {
    response.status().is_success() || response.response().extensions().get::<Shaped>().is_some()
}

async fn shaped<B: MessageBody>(
    response: ServiceResponse<B>,
    media_type: MediaType,
) -> ServiceResponse<BoxBody> {
    let status = response.status();
    let (request, response) = response.into_parts();
    let (head, body) = response.into_parts();
    let body = to_bytes_limited(body, MAX_BODY).await;
    let body = body.ok().and_then(Result::ok).and_then(|body| serde_json::from_slice::<Value>(&body).ok());
    let refusal = match body.filter(|body| body["error"].is_string()) {
        Some(body) => Refusal::of_rest(status, &body),
        None => Refusal::from(ApiError::internal(format_args!("a layer answered {status} without an error"))),
    };
    ServiceResponse::new(request, with_headers(Answer::from(refusal).respond(media_type), head.headers()))
}

/// Adds the other headers of the layer: the state of the limit, cookies.
fn with_headers(mut response: HttpResponse, others: &HeaderMap) -> HttpResponse {
    let headers = response.headers_mut();
    for (name, value) in others {
        if name == header::SET_COOKIE || !headers.contains_key(name) {
            headers.append(name.clone(), value.clone());
        }
    }
    response
}
