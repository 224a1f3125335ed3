//! `GET /v1/live`: a page that shows what is told on a channel. It loads nothing from elsewhere, may run nothing but
//! its own script and connect to nothing but this server, and is only served when it is enabled.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header,
    web::{self, Data, ServiceConfig},
};
use api_core::{ApiError, State};

/// Nothing is allowed but the page's own script and style, and sockets and requests to this server. `'self'` covers
/// sockets of the same host and port.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

pub fn routes(config: &mut ServiceConfig) {
    config.route("/v1/live", web::get().to(page));
    config.route("/v1/live/live.js", web::get().to(script));
    config.route("/v1/live/live.css", web::get().to(style));
    config.route("/v1/live/check", web::post().to(check));
}

/// Tells the page why its socket was refused, by the rules of the upgrade itself. A POST, because browsers send the
/// origin with one.
async fn check(request: HttpRequest, state: Data<State>) -> Result<HttpResponse, ApiError> {
    realtime::check_upgrade(&request, &state).await?;
    Ok(HttpResponse::NoContent().finish())
}

async fn page() -> HttpResponse {
    serve("text/html; charset=utf-8", include_str!("live/live.html"))
}

async fn script() -> HttpResponse {
    serve("text/javascript; charset=utf-8", include_str!("live/live.js"))
}

async fn style() -> HttpResponse {
    serve("text/css; charset=utf-8", include_str!("live/live.css"))
}

fn serve(content_type: &'static str, body: &'static str) -> HttpResponse {
    HttpResponse::Ok()
        .content_type(content_type)
        .insert_header((header::CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .body(body)
}
