//! The layers between the listener and the routes that the server itself brings.

use std::{
    convert::Infallible,
    panic::AssertUnwindSafe,
    pin::Pin,
    task::{Context, Poll},
};

use actix_web::{
    Error, HttpMessage, HttpRequest, HttpResponse, ResponseError,
    body::{BodySize, BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    http::{
        Method, StatusCode,
        header::{self, HeaderMap, HeaderValue},
    },
    middleware::Next,
    web::{Bytes, Data},
};
use api_core::{ApiError, Cx, State, http::Routes};
use futures::FutureExt;
use shared::config::Environment;

/// A panic of a handler is the generic 500, not a dropped connection.
///
/// # Errors
/// What the handler answers, or 500.
pub async fn catch_panics(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    caught(next.call(request)).await?
}

/// Awaits something that may panic.
///
/// # Errors
/// 500 when it panicked.
pub async fn caught<T>(work: impl Future<Output = T>) -> api_core::Result<T> {
    // What is left behind by a panic is a request's own; what requests share is built of atomics and unpoisoned locks.
    let outcome = AssertUnwindSafe(work).catch_unwind().await;
    outcome.map_err(|panic| ApiError::internal(format_args!("panicked: {}", panic_text(&*panic))))
}

/// What a panic says, if it says it in words.
fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("without a message")
}

/// Without a credential a guarded route ends here, before its body is looked at, so that a stranger learns nothing
/// about the shape of what it takes (C §1, check order).
///
/// # Errors
/// What the route answers.
pub async fn demand_credential(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    match refusal(&request) {
        Some(refusal) => Ok(request.into_response(refusal.error_response())),
        None => Ok(next.call(request).await?.map_into_boxed_body()),
    }
}

fn refusal(request: &ServiceRequest) -> Option<ApiError> {
    let routes = request.app_data::<Data<Routes>>()?;
    if !routes.find(request.path())?.guarded.contains(request.method()) {
        return None;
    }
    let extensions = request.extensions();
    let cx = extensions.get::<Cx>()?;
    cx.principal().is_anonymous().then(|| cx.unauthorized())
}

/// Answers HEAD wherever GET is answered, without the body (specification E, 10).
///
/// # Errors
/// What the inner layers answer.
pub async fn answer_head(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    // Sockets are opened with GET only.
    let is_head = request.method() == Method::HEAD && !request.headers().contains_key(header::UPGRADE);
    if !is_head {
        return Ok(next.call(request).await?.map_into_boxed_body());
    }
    request.head_mut().method = Method::GET;
    let response = next.call(request).await?;
    Ok(response.map_body(|_, body| BoxBody::new(Omitted(body.size()))))
}

/// The body of an answer to HEAD: the size of the one that GET would bring, and nothing else.
struct Omitted(BodySize);

impl MessageBody for Omitted {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        self.0
    }

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        Poll::Ready(None)
    }
}

/// Answers a preflight that asks for too much as browsers expect it: without a permission, instead of with an error of
/// the layer below.
///
/// # Errors
/// What the inner layers answer.
pub async fn answer_preflight(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let headers = request.headers();
    let is_preflight = request.method() == Method::OPTIONS
        && headers.contains_key(header::ORIGIN)
        && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let response = next.call(request).await?.map_into_boxed_body();
    if !is_preflight || !response.status().is_client_error() {
        return Ok(response);
    }
    let (request, _) = response.into_parts();
    let refused = HttpResponse::NoContent().insert_header((header::VARY, "Origin")).finish();
    Ok(ServiceResponse::new(request, refused))
}

/// The host of published files serves nothing else: no call and no page of ours is at home there (specification E, 20).
///
/// # Errors
/// What the inner layers answer.
pub async fn only_bundles_at_their_host(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    const BUNDLES: &str = "/v1/extension-bundles/";
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    let http = request.app_data::<Data<State>>().map(|state| &state.config.http);
    let is_at_bundle_host = http.zip(host).is_some_and(|(http, host)| http.is_bundle_host(host));
    if is_at_bundle_host && !request.path().starts_with(BUNDLES) {
        return Ok(request.into_response(ApiError::not_found("There is no such route").error_response()));
    }
    Ok(next.call(request).await?.map_into_boxed_body())
}

/// The headers of every answer, also of one that a layer or a panic gives (C §1).
///
/// # Errors
/// What the inner layers answer.
pub async fn finish_headers(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let state = request.app_data::<Data<State>>();
    let secure = state.is_some_and(|state| state.config.environment != Environment::Development);
    match next.call(request).await {
        Ok(mut response) => {
            finish(response.headers_mut(), secure);
            Ok(response)
        }
        Err(mut error) => {
            error.add_response_mapper(move |mut response| {
                finish(response.headers_mut(), secure);
                response
            });
            Err(error)
        }
    }
}

fn finish(headers: &mut HeaderMap, secure: bool) {
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    // Most answers are somebody's (specification E, 18); whatever others may keep says so itself.
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    }
    if secure {
        let year = HeaderValue::from_static("max-age=31536000; includeSubDomains");
        headers.insert(header::STRICT_TRANSPORT_SECURITY, year);
    }
    // Listed origins load published files as everybody does.
    if extensions::is_open_to_all(headers) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        headers.remove(header::ACCESS_CONTROL_ALLOW_CREDENTIALS);
    }
    // Credentials are for listed origins only: to whom the answer itself is not shown, nothing more is permitted.
    if !headers.contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN) {
        headers.remove(header::ACCESS_CONTROL_ALLOW_CREDENTIALS);
        headers.remove(header::ACCESS_CONTROL_EXPOSE_HEADERS);
    }
}

/// What answers where no route does: 405 when the path exists with other methods, else 404.
pub async fn no_such_route(request: HttpRequest, routes: Data<Routes>) -> HttpResponse {
    let known = routes.find(request.path());
    if known.is_none() && request.match_pattern().is_none() {
        return ApiError::not_found("There is no such route").error_response();
    }
    let error = ApiError::bad_request(format!("Method {} is not allowed here", request.method()));
    let mut response = HttpResponse::build(StatusCode::METHOD_NOT_ALLOWED);
    if let Some(route) = known {
        let mut methods: Vec<&str> = route.methods().map(Method::as_str).collect();
        if methods.contains(&Method::GET.as_str()) {
            methods.push(Method::HEAD.as_str());
        }
        response.insert_header((header::ALLOW, methods.join(", ")));
    }
    response.json(error.body())
}

#[cfg(test)]
mod tests {
    use actix_web::{App, middleware::from_fn, test, web};
    use serde_json::{Value, json};

    use super::*;

    async fn panics() -> HttpResponse {
        panic!("a secret cause")
    }

    #[actix_web::test]
    async fn a_panic_is_the_generic_500_and_the_next_request_is_served() {
        let routes = web::scope("")
            .route("/panics", web::get().to(panics))
            .route("/works", web::get().to(async || HttpResponse::NoContent().finish()));
        let app =
            App::new().service(routes).wrap(from_fn(catch_panics)).wrap(from_fn(api_core::http::observe));
        let app = test::init_service(app).await;
        let request =
            test::TestRequest::get().uri("/panics").insert_header(("x-request-id", "r-1")).to_request();
        let error = test::try_call_service(&app, request).await.err().expect("the panic arrives as an error");
        let response = error.error_response();
        assert_eq!(response.status(), 500);
        assert_eq!(response.headers().get("x-request-id").unwrap(), "r-1");
        let body = actix_web::body::to_bytes(response.into_body()).await.unwrap();
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body, json!({ "error": "INTERNAL_SERVER_ERROR", "message": "Internal server error" }));
        let again = test::call_service(&app, test::TestRequest::get().uri("/works").to_request()).await;
        assert_eq!(again.status(), 204);
    }
}
