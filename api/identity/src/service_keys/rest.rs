//! Service keys over REST.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, KeyLinks, Listed, ServiceConfig, created_key, listed, path_uuid, single},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{AccountServiceKey, CreateAccountServiceKeyInput, UpdateAccountServiceKeyInput};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(account_service_keys);
    config.service(create_account_service_key);
    config.service(update_account_service_key);
    config.service(delete_account_service_key);
}

/// A new service key with its text.
#[derive(Serialize, ToSchema)]
struct CreatedAccountServiceKey {
    /// Text of the key. This answer alone contains it.
    key: String,
    #[serde(flatten)]
    service_key: AccountServiceKey,
}

#[utoipa::path(tag = "service_keys", operation_id = "accountServiceKeys",
    responses((status = 200, body = Listed<AccountServiceKey>)))]
#[get("/v1/service-keys")]
async fn account_service_keys(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::account_service_keys(&cx).await?))
}

#[utoipa::path(tag = "service_keys", operation_id = "createAccountServiceKey",
    request_body = CreateAccountServiceKeyInput,
    responses((status = 201, body = Enveloped<CreatedAccountServiceKey, KeyLinks>)))]
#[post("/v1/service-keys")]
async fn create_account_service_key(
    cx: Cx,
    input: JsonBody<CreateAccountServiceKeyInput>,
) -> Result<HttpResponse> {
    let created = super::create_account_service_key(&cx, input.0).await?;
    let address = format!("/v1/service-keys/{}", created.service_key.id);
    let key = created.key.expose().to_owned();
    let data = CreatedAccountServiceKey { key, service_key: created.service_key };
    Ok(created_key(address, data))
}

#[utoipa::path(tag = "service_keys", operation_id = "updateAccountServiceKey", params(("id" = uuid::Uuid, Path)),
    request_body = UpdateAccountServiceKeyInput, responses((status = 200, body = Enveloped<AccountServiceKey>)))]
#[patch("/v1/service-keys/{id}")]
async fn update_account_service_key(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpdateAccountServiceKeyInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::update_account_service_key(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "service_keys", operation_id = "deleteAccountServiceKey", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/service-keys/{id}")]
async fn delete_account_service_key(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_account_service_key(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}
