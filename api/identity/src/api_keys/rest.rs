//! Personal API keys over REST.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch, post};
use api_core::{
    Cx, Result,
    http::{
        Enveloped, JsonBody, KeyLinks, Listed, QueryOf, ServiceConfig, created_key, listed, path_uuid, single,
    },
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{ApiKeyPermission, AssignableQuery, CreateUserApiKeyInput, UpdateUserApiKeyInput, UserApiKey};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    // Registered before `/{id}`, which would match this path too.
    config.service(api_key_assignable_permissions);
    config.service(user_api_keys);
    config.service(create_user_api_key);
    config.service(update_user_api_key);
    config.service(delete_user_api_key);
}

/// A new key with its text.
#[derive(Serialize, ToSchema)]
struct CreatedUserApiKey {
    /// Text of the key. This answer alone contains it.
    key: String,
    #[serde(flatten)]
    api_key: UserApiKey,
}

#[utoipa::path(tag = "api_keys", operation_id = "apiKeyAssignablePermissions", params(AssignableQuery),
    responses((status = 200, body = Listed<ApiKeyPermission>)))]
#[get("/v1/api-keys/permissions")]
async fn api_key_assignable_permissions(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<AssignableQuery>,
) -> Result<impl Responder> {
    Ok(listed(&request, super::api_key_assignable_permissions(&cx, query.0).await?))
}

#[utoipa::path(tag = "api_keys", operation_id = "userApiKeys", responses((status = 200, body = Listed<UserApiKey>)))]
#[get("/v1/api-keys")]
async fn user_api_keys(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::user_api_keys(&cx).await?))
}

#[utoipa::path(tag = "api_keys", operation_id = "createUserApiKey", request_body = CreateUserApiKeyInput,
    responses((status = 201, body = Enveloped<CreatedUserApiKey, KeyLinks>)))]
#[post("/v1/api-keys")]
async fn create_user_api_key(cx: Cx, input: JsonBody<CreateUserApiKeyInput>) -> Result<HttpResponse> {
    let created = super::create_user_api_key(&cx, input.0).await?;
    let address = format!("/v1/api-keys/{}", created.api_key.id);
    let data = CreatedUserApiKey { key: created.key.expose().to_owned(), api_key: created.api_key };
    Ok(created_key(address, data))
}

#[utoipa::path(tag = "api_keys", operation_id = "updateUserApiKey", params(("id" = uuid::Uuid, Path)),
    request_body = UpdateUserApiKeyInput, responses((status = 200, body = Enveloped<UserApiKey>)))]
#[patch("/v1/api-keys/{id}")]
async fn update_user_api_key(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpdateUserApiKeyInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::update_user_api_key(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "api_keys", operation_id = "deleteUserApiKey", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/api-keys/{id}")]
async fn delete_user_api_key(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_user_api_key(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}
