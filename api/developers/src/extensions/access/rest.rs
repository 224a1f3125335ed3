//! Access grants over REST.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, created, listed, path_uuid},
};

use super::{ExtensionAccessGrant, GrantExtensionAccessInput};

/// Registers the routes that require a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(extension_access_grants);
    config.service(grant_extension_access);
    config.service(revoke_extension_access);
}

#[utoipa::path(tag = "extensions", operation_id = "extensionAccessGrants", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Listed<ExtensionAccessGrant>)))]
#[get("/v1/developer/extensions/{id}/access")]
async fn extension_access_grants(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::extension_access_grants(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "extensions", operation_id = "grantExtensionAccess", params(("id" = uuid::Uuid, Path)),
    request_body = GrantExtensionAccessInput, responses((status = 201, body = Enveloped<ExtensionAccessGrant>)))]
#[post("/v1/developer/extensions/{id}/access")]
async fn grant_extension_access(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<GrantExtensionAccessInput>,
) -> Result<HttpResponse> {
    let grant = super::grant_extension_access(&cx, path_uuid(&request, "id"), input.0).await?;
    Ok(created(format!("{}/{}", request.path(), grant.account_id), grant))
}

#[utoipa::path(tag = "extensions", operation_id = "revokeExtensionAccess",
    params(("id" = uuid::Uuid, Path), ("account_id" = uuid::Uuid, Path)), responses((status = 204)))]
#[delete("/v1/developer/extensions/{id}/access/{account_id}")]
async fn revoke_extension_access(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    let (id, account_id) = (path_uuid(&request, "id"), path_uuid(&request, "account_id"));
    super::revoke_extension_access(&cx, id, account_id).await?;
    Ok(HttpResponse::NoContent().finish())
}
