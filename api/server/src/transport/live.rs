//! `GET /v1/live`: a page that shows the frames of a channel, and executes commands to the OBS of its machine
//! (reference/obs.md#local-mode). It loads nothing from other hosts, may run only its own scripts and connect only to
//! this server and to the loopback address. It is served only when it is enabled.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header,
    web::{self, Data, ServiceConfig},
};
use api_core::{ApiError, State};

/// Content security policy: only the page's own scripts and style, sockets and requests to this server, and sockets to
/// programs of the same machine are allowed. `'self'` covers sockets of the same host and port.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    connect-src 'self' ws://127.0.0.1:*; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'";

/// Registers the page with its scripts and style.
pub fn routes(config: &mut ServiceConfig) {
    config.route("/v1/live", web::get().to(page));
    config.route("/v1/live/live.js", web::get().to(script));
    config.route("/v1/live/obs.js", web::get().to(obs_script));
    config.route("/v1/live/live.css", web::get().to(style));
    config.route("/v1/live/check", web::post().to(check));
}

/// Reports to the page the reason why its socket was refused, by the rules of the upgrade itself. It is a
/// POST, because browsers send the origin with one.
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

async fn obs_script() -> HttpResponse {
    serve("text/javascript; charset=utf-8", include_str!("live/obs.js"))
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
