//! Accounts over REST.

use actix_web::{HttpRequest, HttpResponse, Responder, get, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, created, listed},
};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_actix_web::service_config::ServiceConfig;

use super::{Account, CreateAccountInput};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(accounts);
    config.service(create_account);
}

/// A new account with a session token that acts in it.
#[derive(Serialize, ToSchema)]
struct CreatedAccount {
    #[serde(flatten)]
    account: Account,
    /// Absent for a caller with an API key.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

/// The accounts that the caller belongs to.
#[utoipa::path(tag = "accounts", operation_id = "accounts", responses((status = 200, body = Listed<Account>)))]
#[get("/v1/accounts")]
async fn accounts(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::accounts(&cx).await?))
}

/// Create an account. The answer brings a session token that acts in it.
#[utoipa::path(tag = "accounts", operation_id = "createAccount", request_body = CreateAccountInput,
    responses((status = 201, body = Enveloped<CreatedAccount>)))]
#[post("/v1/accounts")]
async fn create_account(cx: Cx, input: JsonBody<CreateAccountInput>) -> Result<HttpResponse> {
    let result = super::create_account(&cx, input.0).await?;
    let address = format!("/v1/accounts/{}", result.account.id);
    Ok(created(address, CreatedAccount { account: result.account, token: result.token }))
}
