//! REST routes of `system_connections`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, put};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, QueryOf, ServiceConfig, listed, single},
};

use super::{DeleteSystemConnectionQuery, SystemConnection, UpsertSystemConnectionInput};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(admin_system_connections);
    config.service(admin_upsert_system_connection);
    config.service(admin_delete_system_connection);
}

#[utoipa::path(tag = "system_connections", operation_id = "adminSystemConnections",
    responses((status = 200, body = Listed<SystemConnection>)))]
#[get("/v1/admin/system-connections")]
async fn admin_system_connections(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::admin_system_connections(&cx).await?))
}

#[utoipa::path(tag = "system_connections", operation_id = "adminUpsertSystemConnection",
    params(("platform" = String, Path)), request_body = UpsertSystemConnectionInput,
    responses((status = 200, body = Enveloped<SystemConnection>)))]
#[put("/v1/admin/system-connections/{platform}")]
async fn admin_upsert_system_connection(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpsertSystemConnectionInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::admin_upsert_system_connection(&cx, platform(&request), input.0).await?))
}

#[utoipa::path(tag = "system_connections", operation_id = "adminDeleteSystemConnection",
    params(("platform" = String, Path), DeleteSystemConnectionQuery), responses((status = 204)))]
#[delete("/v1/admin/system-connections/{platform}")]
async fn admin_delete_system_connection(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<DeleteSystemConnectionQuery>,
) -> Result<HttpResponse> {
    super::admin_delete_system_connection(&cx, platform(&request), query.0).await?;
    Ok(HttpResponse::NoContent().finish())
}

fn platform(request: &HttpRequest) -> &str {
    request.match_info().get("platform").unwrap_or_default()
}
