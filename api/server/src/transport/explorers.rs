//! Documents and explorers, each only when it is enabled (reference/conventions.md#discovery-routes). They
//! load nothing from other hosts, except for GraphiQL in development when its files were not fetched.

use std::sync::Arc;

use actix_web::{
    Error, HttpRequest, HttpResponse, ResponseError,
    http::header,
    web::{self, Data, Path},
};
use api_core::{ApiError, State};
use serde_json::json;
use shared::config::ExplorersConfig;
use utoipa_swagger_ui::Config;

use super::{handbook, live, prepared};

/// Document of Swagger UI. It has its own, because the public ones may be disabled.
const SWAGGER_DOCUMENT: &str = "/v1/swagger-ui/openapi.json";

/// Adds the enabled routes, and that of the schema of the manifest. A disabled one does not exist.
pub fn routes(enabled: &ExplorersConfig) -> impl FnOnce(&mut web::ServiceConfig) + use<> {
    let enabled = enabled.clone();
    move |config| {
        config.route("/v1/schemas/lumio.config.json", web::get().to(manifest_schema));
        if enabled.openapi {
            config.route("/v1/openapi.json", web::get().to(document));
        }
        if enabled.asyncapi {
            config.route("/v1/asyncapi.json", web::get().to(asyncapi_document));
        }
        if enabled.live {
            live::routes(config);
        }
        if enabled.docs {
            handbook::routes(config);
        }
        if enabled.api_doc {
            config.route("/v1/api-doc/openapi.json", web::get().to(document));
        }
        if enabled.swagger_ui {
            // A browser takes a minute to unfold hundreds of operations at once.
            let swagger = Config::from(SWAGGER_DOCUMENT).doc_expansion("none").filter(true);
            config.app_data(Data::new(Arc::new(swagger.default_models_expand_depth(-1))));
            config.route(SWAGGER_DOCUMENT, web::get().to(document));
            config.service(web::redirect("/v1/swagger-ui", "/v1/swagger-ui/"));
            config.route("/v1/swagger-ui/{file:.*}", web::get().to(swagger_ui));
        }
        if enabled.graphiql {
            config.route("/v1/graphiql", web::get().to(graphiql));
            config.route("/v1/graphiql/assets/{file}", web::get().to(graphiql_asset));
        }
    }
}

async fn document(request: HttpRequest) -> HttpResponse {
    prepared::openapi_document().respond(&request)
}

async fn asyncapi_document(request: HttpRequest) -> HttpResponse {
    prepared::asyncapi_document().respond(&request)
}

/// Schema of the manifest of extensions (reference/extensions.md#schema-of-the-manifest).
async fn manifest_schema(request: HttpRequest) -> HttpResponse {
    prepared::manifest_schema().respond(&request)
}

async fn swagger_ui(file: Path<String>, config: Data<Arc<Config<'static>>>) -> HttpResponse {
    match utoipa_swagger_ui::serve(&file, Arc::clone(&config)) {
        Ok(Some(found)) => {
            let mut response = HttpResponse::Ok();
            if found.gzpipped {
                response.insert_header(header::ContentEncoding::Gzip);
            }
            response.content_type(found.content_type).body(found.bytes.into_owned())
        }
        Ok(None) => ApiError::not_found("There is no such file").error_response(),
        Err(error) => ApiError::internal(format_args!("Swagger UI: {error}")).error_response(),
    }
}

/// Files of the packages that `scripts/graphiql` fetches, with their types.
const GRAPHIQL_ASSETS: [(&str, &str); 4] = [
    ("react.production.min.js", "text/javascript; charset=utf-8"),
    ("react-dom.production.min.js", "text/javascript; charset=utf-8"),
    ("graphiql.min.js", "text/javascript; charset=utf-8"),
    ("graphiql.min.css", "text/css; charset=utf-8"),
];

/// GraphiQL from the files beside the server. Where they were not fetched, development uses the page of
/// juniper, which loads the same program over the internet. Other environments serve no third-party code.
async fn graphiql(state: Data<State>) -> Result<HttpResponse, Error> {
    let folder = std::path::Path::new(&state.config.explorers.graphiql_dir);
    let complete = GRAPHIQL_ASSETS.iter().all(|(file, _)| folder.join(file).is_file());
    if complete {
        return Ok(HttpResponse::Ok()
            .content_type("text/html; charset=utf-8")
            .body(include_str!("graphiql.html")));
    }
    if state.config.environment.is_deployment() {
        let body = json!({ "error": "SERVICE_UNAVAILABLE", "message": "GraphiQL is not installed: run scripts/graphiql" });
        return Ok(HttpResponse::ServiceUnavailable().json(body));
    }
    tracing::warn!(folder = %folder.display(), "GraphiQL is not installed: run scripts/graphiql");
    juniper_actix::graphiql_handler("/v1/gql", None).await
}

async fn graphiql_asset(file: Path<String>, state: Data<State>) -> Result<HttpResponse, ApiError> {
    let missing = || ApiError::not_found("There is no such file");
    // Only names from the list reach the file system.
    let (name, content_type) =
        GRAPHIQL_ASSETS.into_iter().find(|(name, _)| *name == *file).ok_or_else(missing)?;
    let path = std::path::Path::new(&state.config.explorers.graphiql_dir).join(name);
    let bytes = tokio::fs::read(&path).await.map_err(|_not_fetched| missing())?;
    Ok(HttpResponse::Ok()
        .content_type(content_type)
        .insert_header((header::CACHE_CONTROL, "public, max-age=86400"))
        .body(bytes))
}
