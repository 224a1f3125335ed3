//! Testers over REST.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, created, listed, path_uuid},
};

use super::{ExtensionTester, InviteExtensionTesterInput};

/// Registers the routes that require a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(extension_testers);
    config.service(invite_extension_tester);
    config.service(remove_extension_tester);
}

#[utoipa::path(tag = "extensions", operation_id = "extensionTesters", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Listed<ExtensionTester>)))]
#[get("/v1/developer/extensions/{id}/testers")]
async fn extension_testers(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::extension_testers(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "extensions", operation_id = "inviteExtensionTester", params(("id" = uuid::Uuid, Path)),
    request_body = InviteExtensionTesterInput, responses((status = 201, body = Enveloped<ExtensionTester>)))]
#[post("/v1/developer/extensions/{id}/testers")]
async fn invite_extension_tester(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<InviteExtensionTesterInput>,
) -> Result<HttpResponse> {
    let tester = super::invite_extension_tester(&cx, path_uuid(&request, "id"), input.0).await?;
    Ok(created(format!("{}/{}", request.path(), tester.user_id), tester))
}

#[utoipa::path(tag = "extensions", operation_id = "removeExtensionTester",
    params(("id" = uuid::Uuid, Path), ("user_id" = uuid::Uuid, Path)), responses((status = 204)))]
#[delete("/v1/developer/extensions/{id}/testers/{user_id}")]
async fn remove_extension_tester(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::remove_extension_tester(&cx, path_uuid(&request, "id"), path_uuid(&request, "user_id")).await?;
    Ok(HttpResponse::NoContent().finish())
}
