//! Settings over REST.

use actix_web::{HttpRequest, Responder, get, patch};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, ServiceConfig, single},
};

use super::{AccountSettings, UpdateAccountSettingsInput};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(account_settings);
    config.service(update_account_settings);
}

#[utoipa::path(tag = "settings", operation_id = "accountSettings",
    responses((status = 200, body = Enveloped<AccountSettings>)))]
#[get("/v1/settings")]
async fn account_settings(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::account_settings(&cx).await?))
}

#[utoipa::path(tag = "settings", operation_id = "updateAccountSettings",
    request_body = UpdateAccountSettingsInput, responses((status = 200, body = Enveloped<AccountSettings>), (status = 404)))]
#[patch("/v1/settings")]
async fn update_account_settings(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpdateAccountSettingsInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::update_account_settings(&cx, input.0).await?))
}
