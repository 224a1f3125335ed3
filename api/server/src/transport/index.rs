//! `GET /` and, for browsers, `GET /v1`: the list of documents. HTML for browsers, JSON for programs.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{self, Accept, Header},
    web::{self, Data, ServiceConfig},
};
use api_core::State;
use serde::Serialize;
use shared::config::ExplorersConfig;
use utoipa::ToSchema;

/// Content security policy: only the page's own style and icon are allowed.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// A document or an endpoint that this deployment serves.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub struct Link {
    /// Name for people.
    pub name: &'static str,
    /// Path on this host.
    pub path: &'static str,
    /// One sentence for people.
    pub description: &'static str,
}

#[derive(Serialize)]
struct Index {
    name: &'static str,
    version: &'static str,
    links: Vec<Link>,
}

/// Registers the index with its style, and the icon that browsers request at every page.
pub fn routes(config: &mut ServiceConfig) {
    config.route("/", web::get().to(index));
    config.route("/index.css", web::get().to(style));
    config.route("/favicon.ico", web::get().to(icon));
}

/// Documents and endpoints that this deployment serves.
#[must_use]
pub fn links(enabled: &ExplorersConfig) -> Vec<Link> {
    let all = [
        (enabled.docs, "docs", "/docs/", "Handbook: start, extend, integrate, operate"),
        (true, "health", "/v1/health", "State of the API and of its stores"),
        (enabled.swagger_ui, "swagger_ui", "/v1/swagger-ui/", "REST interface, to read and to try"),
        (enabled.openapi, "openapi", "/v1/openapi.json", "REST interface as an OpenAPI 3.1 document"),
        (enabled.graphiql, "graphiql", "/v1/graphiql", "GraphQL interface, to read and to try"),
        (true, "graphql", "/v1/gql", "GraphQL endpoint: POST a query"),
        (true, "graphql_schema", "/v1/schema", "GraphQL interface as a schema document"),
        (true, "websocket", "/v1/ws", "WebSocket endpoint"),
        (enabled.asyncapi, "asyncapi", "/v1/asyncapi.json", "WebSocket protocol as an AsyncAPI 3 document"),
        (enabled.live, "live", "/v1/live", "A channel's events, live in the browser"),
        (true, "manifest_schema", "/v1/schemas/lumio.config.json", "Manifest of extensions as a JSON Schema"),
        (true, "security_txt", "/.well-known/security.txt", "Contact for reports of weaknesses"),
    ];
    let served = all.into_iter().filter(|(is_served, ..)| *is_served);
    served.map(|(_, name, path, description)| Link { name, path, description }).collect()
}

/// True for a request of a browser: it names HTML before anything that JSON would satisfy.
#[must_use]
pub fn is_browser(request: &HttpRequest) -> bool {
    let ranked = Accept::parse(request).map(|accept| accept.ranked()).unwrap_or_default();
    let wanted = ranked.iter().find(|kind| {
        matches!((kind.type_().as_str(), kind.subtype().as_str()), ("text", "html") | ("application", "json"))
    });
    wanted.is_some_and(|kind| kind.subtype() == "html")
}

/// The index as a page.
#[must_use]
pub fn page(state: &State) -> HttpResponse {
    let rows = links(&state.config.explorers).into_iter().map(row).collect::<String>();
    let version = crate::VERSION;
    HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .insert_header((header::CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .insert_header((header::VARY, "accept"))
        .body(format!(
            "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width\"><title>Lumio API</title>\
             <link rel=\"stylesheet\" href=\"/index.css\"></head><body><main><h1>Lumio API</h1><p>Version {version}</p>\
             <dl>{rows}</dl></main></body></html>"
        ))
}

fn row(link: Link) -> String {
    let Link { path, description, .. } = link;
    // Endpoints that a browser cannot open have no link.
    if matches!(path, "/v1/gql" | "/v1/ws") {
        return format!("<dt><code>{path}</code></dt><dd>{description}</dd>");
    }
    format!("<dt><a href=\"{path}\">{path}</a></dt><dd>{description}</dd>")
}

async fn index(request: HttpRequest, state: Data<State>) -> HttpResponse {
    if is_browser(&request) {
        return page(&state);
    }
    let links = links(&state.config.explorers);
    HttpResponse::Ok().insert_header((header::VARY, "accept")).json(Index {
        name: "Lumio API",
        version: crate::VERSION,
        links,
    })
}

async fn style() -> HttpResponse {
    file("text/css; charset=utf-8", include_str!("index/index.css"))
}

async fn icon() -> HttpResponse {
    file("image/svg+xml", include_str!("index/icon.svg"))
}

fn file(content_type: &'static str, body: &'static str) -> HttpResponse {
    HttpResponse::Ok()
        .content_type(content_type)
        .insert_header((header::CACHE_CONTROL, "public, max-age=86400"))
        .insert_header((header::CONTENT_SECURITY_POLICY, "default-src 'none'"))
        .body(body)
}
