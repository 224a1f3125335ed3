//! Headers of deprecated operations (reference/conventions.md#deprecated-operations).

use actix_web::{
    Error,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    middleware::Next,
    web::Data,
};

use super::route_of;
use crate::State;

/// Adds `Deprecation`, `Sunset` and `Link` to every answer of a deprecated operation, also to its refusals.
///
/// # Errors
/// The error of the inner layers.
pub async fn announce_deprecations(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let route = route_of(request.request());
    let deprecation = route.and_then(|route| route.documented(request.method())?.deprecation);
    let state = request.app_data::<Data<State>>();
    let has_handbook = state.is_some_and(|state| state.config.explorers.docs);
    let mut response = next.call(request).await?;
    if let Some(deprecation) = deprecation {
        deprecation.write(response.headers_mut(), has_handbook);
    }
    Ok(response)
}

#[cfg(test)]
mod tests {
    use actix_web::{
        App, HttpResponse,
        http::Method,
        middleware::from_fn,
        test::{TestRequest, call_service, init_service},
        web::{get, post},
    };

    use super::*;
    use crate::{
        deprecations::Deprecation,
        http::{Access, Documented, Routes},
    };

    static OLD: Deprecation =
        Deprecation { operation: "old", since: "2023-06-30", sunset: Some("2024-06-30"), reason: "Use new." };

    #[actix_web::test]
    async fn announce_deprecations_marks_answers_and_refusals_of_the_deprecated_method_only() {
        let mut routes = Routes::default();
        let documented = Documented { deprecation: Some(&OLD), ..Documented::default() };
        routes.add("/v1/old/{id}", Method::GET, Access::Open, Vec::new(), documented);
        routes.add("/v1/old/{id}", Method::POST, Access::Open, Vec::new(), Documented::default());
        let app = App::new()
            .app_data(Data::new(routes))
            .route("/v1/old/1", get().to(async || HttpResponse::Ok().finish()))
            .route("/v1/old/2", get().to(async || HttpResponse::Forbidden().finish()))
            .route("/v1/old/1", post().to(async || HttpResponse::Ok().finish()))
            .wrap(from_fn(announce_deprecations));
        let app = init_service(app).await;
        for (request, is_deprecated) in [
            (TestRequest::get().uri("/v1/old/1"), true),
            (TestRequest::get().uri("/v1/old/2"), true),
            (TestRequest::post().uri("/v1/old/1"), false),
        ] {
            let response = call_service(&app, request.to_request()).await;
            let headers = response.headers();
            assert_eq!(headers.contains_key("deprecation"), is_deprecated);
            assert_eq!(headers.contains_key("sunset"), is_deprecated);
        }
    }
}
