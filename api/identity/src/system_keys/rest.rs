//! System keys over REST.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, KeyLinks, Listed, ServiceConfig, created_key, listed, path_uuid},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{AdminCreateSystemKeyInput, AdminSystemKey};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(admin_system_keys);
    config.service(admin_create_system_key);
    config.service(admin_delete_system_key);
}

/// A new system key with its text.
#[derive(Serialize, ToSchema)]
struct CreatedSystemKey {
    /// Text of the key. This answer alone contains it.
    key: String,
    #[serde(flatten)]
    system_key: AdminSystemKey,
}

#[utoipa::path(tag = "system_keys", operation_id = "adminSystemKeys",
    responses((status = 200, body = Listed<AdminSystemKey>)))]
#[get("/v1/admin/system-keys")]
async fn admin_system_keys(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::admin_system_keys(&cx).await?))
}

#[utoipa::path(tag = "system_keys", operation_id = "adminCreateSystemKey", request_body = AdminCreateSystemKeyInput,
    responses((status = 201, body = Enveloped<CreatedSystemKey, KeyLinks>)))]
#[post("/v1/admin/system-keys")]
async fn admin_create_system_key(cx: Cx, input: JsonBody<AdminCreateSystemKeyInput>) -> Result<HttpResponse> {
    let created = super::admin_create_system_key(&cx, input.0).await?;
    let address = format!("/v1/admin/system-keys/{}", created.system_key.id);
    let data = CreatedSystemKey { key: created.key.expose().to_owned(), system_key: created.system_key };
    Ok(created_key(address, data))
}

#[utoipa::path(tag = "system_keys", operation_id = "adminDeleteSystemKey", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/admin/system-keys/{id}")]
async fn admin_delete_system_key(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::admin_delete_system_key(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}
