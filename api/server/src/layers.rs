//! Layers between the listener and the routes that belong to the server itself.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use actix_web::{
    Error, HttpRequest, HttpResponse, ResponseError,
    body::{BodySize, BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    http::{
        Method, StatusCode,
        header::{self, HeaderMap, HeaderValue},
    },
    middleware::Next,
    web::{Bytes, Data},
};
use api_core::{
    ApiError, State,
    http::{caught, is_open_to_all, refused, route_of},
};
use shared::config::Environment;

/// Turns a panic of a handler into the generic 500 instead of a dropped connection.
///
/// # Errors
/// The error of the handler, or 500.
pub async fn catch_panics(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    caught(next.call(request)).await?
}

/// Serves HEAD wherever GET is served, without the body (reference/conventions.md#methods-and-paths).
///
/// # Errors
/// The error of the inner layers.
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

/// Body of a response to HEAD: only the size of the body that GET would return.
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

/// Responds to a preflight that asks for too much in the way that browsers expect: without a permission,
/// instead of with an error of the layer below (reference/conventions.md#cors).
///
/// # Errors
/// The error of the inner layers.
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

/// Serves only published files at the host of bundles. The API and its pages are not available at that origin
/// (reference/extensions.md#bundle-origin).
///
/// # Errors
/// The error of the inner layers.
pub async fn only_bundles_at_their_host(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    const BUNDLES: &str = "/v1/extension-bundles/";
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    let http = request.app_data::<Data<State>>().map(|state| &state.config.http);
    let is_at_bundle_host = http.zip(host).is_some_and(|(http, host)| http.is_bundle_host(host));
    if is_at_bundle_host && !request.path().starts_with(BUNDLES) {
        let refusal = refused(request.request(), &ApiError::not_found("There is no such route"));
        return Ok(request.into_response(refusal));
    }
    Ok(next.call(request).await?.map_into_boxed_body())
}

/// Sets the headers that every response has, also one of a layer or after a panic
/// (reference/conventions.md#response-headers).
///
/// # Errors
/// The error of the inner layers.
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
    // Most responses belong to one caller (reference/conventions.md#cache-control). A route that allows
    // caching sets the header itself.
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    }
    if secure {
        let year = HeaderValue::from_static("max-age=31536000; includeSubDomains");
        headers.insert(header::STRICT_TRANSPORT_SECURITY, year);
    }
    // Listed origins load published files like every other origin.
    if is_open_to_all(headers) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        headers.remove(header::ACCESS_CONTROL_ALLOW_CREDENTIALS);
    }
    // Credentials are for listed origins only. An origin that may not read the response gets no further
    // permission.
    if !headers.contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN) {
        headers.remove(header::ACCESS_CONTROL_ALLOW_CREDENTIALS);
        headers.remove(header::ACCESS_CONTROL_EXPOSE_HEADERS);
    }
}

/// Response where no route matches: 405 when the path exists with other methods, else 404.
pub async fn no_such_route(request: HttpRequest) -> HttpResponse {
    let known = route_of(&request);
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
    async fn catch_panics_returns_the_generic_500_and_serves_the_next_request() {
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
