//! Layer around operations of requests with an `Idempotency-Key` (reference/conventions.md#idempotency).

use std::sync::Arc;

use actix_web::{
    Error, HttpMessage, ResponseError,
    body::{self, BodySize, BoxBody, EitherBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    http::{Method, StatusCode, header::HeaderMap},
    middleware::Next,
};

use super::{caught, presented};
use crate::{
    Cx,
    access::idempotency::{Given, KEY_HEADER, Keyed},
};

/// Ends the protocol of a request with a key: it commits or rolls back what the operation wrote, stores the answer, or
/// replaces it by the stored one. Other requests pass.
///
/// Operation and end run on a task of their own, so that a client that disconnects separates no effect from its record.
///
/// # Errors
/// The error of the inner layers; 500 when what the operation wrote is not committed, or may not be.
pub async fn idempotency<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<EitherBody<B>>, Error> {
    if request.method() != Method::POST || !request.headers().contains_key(KEY_HEADER) {
        return Ok(next.call(request).await?.map_into_left_body());
    }
    let cx = request.extensions().get::<Cx>().cloned();
    let Some(cx) = cx else { return Ok(next.call(request).await?.map_into_left_body()) };
    let credential = presented(request.request(), false).map(|credential| credential.text);
    let keyed = cx.arm(Keyed::of(request.request(), credential));
    // Boxed, so that other requests pay nothing for the size of the future.
    let executed = Box::pin(executed(cx.clone(), keyed, request, next));
    Box::pin(cx.detached(executed)).await
}

async fn executed<B: MessageBody + 'static>(
    cx: Cx,
    keyed: Arc<Keyed>,
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<EitherBody<B>>, Error> {
    match caught(next.call(request)).await {
        Ok(Ok(response)) => end(&cx, &keyed, response).await,
        Ok(Err(error)) => {
            abandon(&cx, &keyed).await;
            Err(error)
        }
        Err(panicked) => {
            abandon(&cx, &keyed).await;
            Err(panicked.into())
        }
    }
}

async fn end<B: MessageBody + 'static>(
    cx: &Cx,
    keyed: &Keyed,
    response: ServiceResponse<B>,
) -> Result<ServiceResponse<EitherBody<B>>, Error> {
    let (request, response) = response.into_parts();
    let (head, body) = response.into_parts();
    // Answers that are made while they are sent are not stored.
    let is_without = matches!(body.size(), BodySize::None);
    let (whole, body) = match body.try_into_bytes() {
        Ok(whole) if is_without => (Some(whole), EitherBody::right(BoxBody::new(body::None::new()))),
        Ok(whole) => (Some(whole.clone()), EitherBody::right(BoxBody::new(whole))),
        Err(body) => (None, EitherBody::left(body)),
    };
    let given = Given { status: head.status(), headers: head.headers(), body: whole.as_ref() };
    match keyed.end(cx, &given).await {
        Ok(None) => Ok(ServiceResponse::new(request, head.set_body(body))),
        Ok(Some(replaced)) => Ok(ServiceResponse::new(request, replaced.map_into_right_body())),
        Err(error) => Ok(ServiceResponse::new(request, error.error_response().map_into_right_body())),
    }
}

/// Ends the protocol of a request without an answer.
async fn abandon(cx: &Cx, keyed: &Keyed) {
    let headers = HeaderMap::new();
    let given = Given { status: StatusCode::INTERNAL_SERVER_ERROR, headers: &headers, body: None };
    if let Err(error) = keyed.end(cx, &given).await {
        tracing::warn!(%error, "a request that failed could not be rolled back");
    }
}
