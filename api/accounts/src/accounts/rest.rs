//! Accounts over REST.

use actix_web::{HttpRequest, HttpResponse, Responder, get, patch, post, put, web::Json};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, Success, created, listed, path_uuid, single},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    Account, CreateAccountInput, DissolveAccountInput, SetPrimaryLoginConnectionInput, UpdateAccountInput,
};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(accounts);
    config.service(create_account);
    // Registered before `/{id}`, which would match this path too.
    config.service(set_primary_login_connection);
    config.service(account);
    config.service(update_account);
    config.service(dissolve_account);
    config.service(leave_account);
}

/// A new account with a session token that acts in it.
#[derive(Serialize, ToSchema)]
struct CreatedAccount {
    #[serde(flatten)]
    account: Account,
    /// Session token that acts in the new account. Absent for a caller with an API key.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

#[utoipa::path(tag = "accounts", operation_id = "accounts", responses((status = 200, body = Listed<Account>)))]
#[get("/v1/accounts")]
async fn accounts(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::accounts(&cx).await?))
}

#[utoipa::path(tag = "accounts", operation_id = "createAccount", request_body = CreateAccountInput,
    responses((status = 201, body = Enveloped<CreatedAccount>), (status = 404)))]
#[post("/v1/accounts")]
async fn create_account(cx: Cx, input: JsonBody<CreateAccountInput>) -> Result<HttpResponse> {
    let result = super::create_account(&cx, input.0).await?;
    let address = format!("/v1/accounts/{}", result.account.id);
    Ok(created(address, CreatedAccount { account: result.account, token: result.token }))
}

#[utoipa::path(tag = "accounts", operation_id = "account", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<Account>)))]
#[get("/v1/accounts/{id}")]
async fn account(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::account(&cx, Some(id)).await?))
}

#[utoipa::path(tag = "accounts", operation_id = "updateAccount", params(("id" = uuid::Uuid, Path)),
    request_body = UpdateAccountInput, responses((status = 200, body = Enveloped<Account>)))]
#[patch("/v1/accounts/{id}")]
async fn update_account(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpdateAccountInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::update_account(&cx, Some(id), input.0).await?))
}

#[utoipa::path(tag = "accounts", operation_id = "dissolveAccount", params(("id" = uuid::Uuid, Path)),
    request_body = DissolveAccountInput, responses((status = 200, body = Success)))]
#[post("/v1/accounts/{id}/dissolve")]
async fn dissolve_account(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<DissolveAccountInput>,
) -> Result<impl Responder> {
    super::dissolve_account(&cx, path_uuid(&request, "id"), input.0).await?;
    Ok(Json(Success::DONE))
}

#[utoipa::path(tag = "accounts", operation_id = "leaveAccount", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Success)))]
#[post("/v1/accounts/{id}/leave")]
async fn leave_account(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    super::leave_account(&cx, path_uuid(&request, "id")).await?;
    Ok(Json(Success::DONE))
}

#[utoipa::path(tag = "accounts", operation_id = "setPrimaryLoginConnection",
    request_body = SetPrimaryLoginConnectionInput, responses((status = 200, body = Enveloped<Account>), (status = 404)))]
#[put("/v1/accounts/primary-connection")]
async fn set_primary_login_connection(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<SetPrimaryLoginConnectionInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::set_primary_login_connection(&cx, input.0).await?))
}
