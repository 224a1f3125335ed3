//! REST routes of `configs`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, put};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, ServiceConfig, single},
};

use super::{ObsConfig, SaveObsConfigInput};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(obs_config);
    config.service(save_obs_config);
    config.service(delete_obs_config);
}

#[utoipa::path(tag = "obs", operation_id = "obsConfig",
    responses((status = 200, body = Enveloped<ObsConfig>)))]
#[get("/v1/integrations/obs")]
async fn obs_config(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::obs_config(&cx).await?))
}

#[utoipa::path(tag = "obs", operation_id = "saveObsConfig", request_body = SaveObsConfigInput,
    responses((status = 200, body = Enveloped<ObsConfig>)))]
#[put("/v1/integrations/obs")]
async fn save_obs_config(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<SaveObsConfigInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::save_obs_config(&cx, input.0).await?))
}

#[utoipa::path(tag = "obs", operation_id = "deleteObsConfig", responses((status = 204), (status = 404)))]
#[delete("/v1/integrations/obs")]
async fn delete_obs_config(cx: Cx) -> Result<HttpResponse> {
    super::delete_obs_config(&cx).await?;
    Ok(HttpResponse::NoContent().finish())
}
