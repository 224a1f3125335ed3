//! Errors and metrics over REST.

use actix_web::{HttpRequest, Responder, get};
use api_core::{
    Cx, Result,
    http::{Enveloped, Linked, Listed, PartLinks, QueryOf, ServiceConfig, listed, path_uuid, single},
};

use super::{DEFAULT_LIMIT, ErrorsQuery, ExtensionError, ExtensionMetrics, MetricsQuery};

/// Registers the routes that require a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(extension_errors);
    config.service(extension_metrics);
}

#[utoipa::path(tag = "developer", operation_id = "extensionErrors", params(("id" = uuid::Uuid, Path), ErrorsQuery),
    responses((status = 200, body = Listed<ExtensionError>)))]
#[get("/v1/developer/extensions/{id}/errors")]
async fn extension_errors(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<ErrorsQuery>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    let errors = super::extension_errors(&cx, id, query.0).await?;
    let links = PartLinks::before_last(&request, DEFAULT_LIMIT, &errors, |error| error.id);
    Ok(Linked { body: listed(&request, errors).0, links })
}

#[utoipa::path(tag = "developer", operation_id = "extensionMetrics", params(("id" = uuid::Uuid, Path), MetricsQuery),
    responses((status = 200, body = Enveloped<ExtensionMetrics>)))]
#[get("/v1/developer/extensions/{id}/metrics")]
async fn extension_metrics(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<MetricsQuery>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::extension_metrics(&cx, id, query.0).await?))
}
