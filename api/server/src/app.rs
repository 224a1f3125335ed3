//! The application: routes and the layers around them. The process and the tests start the same one.

use actix_cors::Cors;
use actix_web::{
    App, Error,
    body::MessageBody,
    dev::{ServiceFactory, ServiceRequest, ServiceResponse},
    http::header,
    middleware::{Compress, from_fn},
    web::{self, Data},
};
use api_core::{
    State,
    access::KnownOperations,
    http::{
        HttpMetrics, Routes, ServiceConfig, announce_deprecations, answer_conditionally, authenticate,
        body_deadline, idempotency, observe, problem_details,
    },
};
use foundation::db::Databases;
use realtime::Hub;
use shared::config::HttpConfig;

use crate::{
    layers, openapi, rest,
    transport::{self, Documents, ProbedDatabases, Probes},
};

/// State that the copies of the application, one a thread, share.
#[derive(Clone)]
pub struct Parts {
    state: State,
    hub: Data<Hub>,
    metrics: Data<HttpMetrics>,
    routes: Data<Routes>,
    documents: Data<Documents>,
    probes: Data<Probes>,
    databases: Data<ProbedDatabases>,
}

impl Parts {
    /// # Errors
    /// An error when the metrics of the state are registered already.
    pub fn new(state: State, databases: Databases, hub: Hub) -> shared::Result<Self> {
        let metrics = Data::new(HttpMetrics::new(&state.metrics)?);
        state.component(|_| KnownOperations::new(openapi::published));
        let documents = Data::new(Documents::new(state.config.explorers.graphiql));
        let (routes, probes) = (Data::new(openapi::routes()), Data::new(Probes::default()));
        let databases = Data::new(ProbedDatabases::new(databases));
        Ok(Self { state, hub: Data::new(hub), metrics, routes, documents, probes, databases })
    }

    /// The GraphQL documents of the process.
    #[must_use]
    pub fn documents(&self) -> Data<Documents> {
        self.documents.clone()
    }
}

/// Builds one copy. The last layer is the outermost.
pub fn build(
    parts: Parts,
) -> App<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<impl MessageBody>,
        Error = Error,
        InitError = (),
    >,
> {
    let config = &parts.state.config;
    App::new()
        .app_data(Data::new(parts.state.clone()))
        .app_data(parts.hub)
        .app_data(parts.metrics)
        .app_data(parts.routes)
        .app_data(parts.documents)
        .app_data(parts.probes)
        .app_data(parts.databases)
        .configure(documented(rest::bare))
        .configure(rest::undocumented_bare)
        .service(
            // Routes outside of groups are tried one after the other: what workers call for every line comes first.
            web::scope("")
                .configure(rest::undocumented)
                .configure(transport::explorers(&config.explorers))
                // Last: the router finds the pattern of no route behind a group, when it answers 405.
                .configure(grouped)
                .default_service(web::to(layers::no_such_route))
                .wrap(from_fn(idempotency))
                .wrap(from_fn(answer_conditionally))
                .wrap(from_fn(authenticate))
                .wrap(from_fn(announce_deprecations)),
        )
        .wrap(from_fn(layers::catch_panics))
        .wrap(from_fn(transport::graphql_shape))
        .wrap(from_fn(developers::developer_envelope))
        .wrap(from_fn(problem_details))
        .wrap(from_fn(body_deadline))
        .wrap(Compress::default())
        .wrap(cors(&config.http))
        .wrap(from_fn(layers::only_bundles_at_their_host))
        .wrap(from_fn(layers::answer_preflight))
        .wrap(from_fn(layers::finish_headers))
        .wrap(from_fn(layers::answer_head))
        .wrap(from_fn(observe))
}

/// Registers documented routes without collecting their documentation.
fn documented(routes: fn(&mut ServiceConfig<'_>)) -> impl FnOnce(&mut web::ServiceConfig) {
    move |config| routes(&mut ServiceConfig::new(config))
}

/// Registers the documented routes whose callers are authenticated, in groups.
fn grouped(config: &mut web::ServiceConfig) {
    let mut routes = ServiceConfig::grouped(config);
    rest::open(&mut routes);
    rest::guarded(&mut routes);
    routes.finish(|| web::to(layers::no_such_route));
}

/// CORS layer. Listed origins may call with credentials; others get no permission at all
/// (reference/conventions.md#cors).
fn cors(config: &HttpConfig) -> Cors {
    let cors = Cors::default()
        .allowed_methods(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
        .allowed_headers([
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            header::IF_MATCH,
            header::IF_NONE_MATCH,
        ])
        .allowed_header("idempotency-key")
        .allowed_header("traceparent")
        .allowed_header("tracestate")
        .allowed_header("x-request-id")
        .allowed_header("x-share-password")
        .expose_headers([
            "deprecation",
            "etag",
            "idempotency-replayed",
            "link",
            "location",
            "ratelimit",
            "ratelimit-policy",
            "sunset",
            "traceparent",
            "x-request-id",
            "x-ratelimit-limit",
            "x-ratelimit-remaining",
            "x-ratelimit-reset",
            "retry-after",
        ])
        .supports_credentials()
        .max_age(3600);
    config.allowed_origins.iter().fold(cors, |cors, origin| cors.allowed_origin(origin))
}
