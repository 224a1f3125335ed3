//! REST routes of `control`.

use actix_web::{HttpRequest, Responder, get, post, web::Json};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, ServiceConfig, single},
};

use super::{
    ObsCommandResult, ObsRemoteStatus, ObsStatus, ObsTestResult, SetObsSceneInput, SetObsSourceInput,
};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(obs_status);
    config.service(obs_remote_status);
    config.service(test_obs_connection);
    config.service(start_obs_stream);
    config.service(stop_obs_stream);
    config.service(start_obs_record);
    config.service(stop_obs_record);
    config.service(set_obs_scene);
    config.service(set_obs_source);
}

#[utoipa::path(tag = "obs", operation_id = "obsStatus",
    responses((status = 200, body = Enveloped<ObsStatus>)))]
#[get("/v1/integrations/obs/status")]
async fn obs_status(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::obs_status(&cx).await?))
}

#[utoipa::path(tag = "obs", operation_id = "obsRemoteStatus",
    responses((status = 200, body = Enveloped<ObsRemoteStatus>)))]
#[get("/v1/integrations/obs/remote-status")]
async fn obs_remote_status(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::obs_remote_status(&cx).await?))
}

#[utoipa::path(tag = "obs", operation_id = "testObsConnection",
    responses((status = 200, body = ObsTestResult)))]
#[post("/v1/integrations/obs/test")]
async fn test_obs_connection(cx: Cx) -> Result<impl Responder> {
    Ok(Json(super::test_obs_connection(&cx).await?))
}

#[utoipa::path(tag = "obs", operation_id = "startObsStream",
    responses((status = 200, body = ObsCommandResult), (status = 400), (status = 409)))]
#[post("/v1/integrations/obs/stream/start")]
async fn start_obs_stream(cx: Cx) -> Result<impl Responder> {
    Ok(Json(super::start_obs_stream(&cx).await?))
}

#[utoipa::path(tag = "obs", operation_id = "stopObsStream",
    responses((status = 200, body = ObsCommandResult), (status = 400), (status = 409)))]
#[post("/v1/integrations/obs/stream/stop")]
async fn stop_obs_stream(cx: Cx) -> Result<impl Responder> {
    Ok(Json(super::stop_obs_stream(&cx).await?))
}

#[utoipa::path(tag = "obs", operation_id = "startObsRecord",
    responses((status = 200, body = ObsCommandResult), (status = 400), (status = 409)))]
#[post("/v1/integrations/obs/record/start")]
async fn start_obs_record(cx: Cx) -> Result<impl Responder> {
    Ok(Json(super::start_obs_record(&cx).await?))
}

#[utoipa::path(tag = "obs", operation_id = "stopObsRecord",
    responses((status = 200, body = ObsCommandResult), (status = 400), (status = 409)))]
#[post("/v1/integrations/obs/record/stop")]
async fn stop_obs_record(cx: Cx) -> Result<impl Responder> {
    Ok(Json(super::stop_obs_record(&cx).await?))
}

#[utoipa::path(tag = "obs", operation_id = "setObsScene", request_body = SetObsSceneInput,
    responses((status = 200, body = ObsCommandResult), (status = 409)))]
#[post("/v1/integrations/obs/scene")]
async fn set_obs_scene(cx: Cx, input: JsonBody<SetObsSceneInput>) -> Result<impl Responder> {
    Ok(Json(super::set_obs_scene(&cx, input.0).await?))
}

#[utoipa::path(tag = "obs", operation_id = "setObsSource", request_body = SetObsSourceInput,
    responses((status = 200, body = ObsCommandResult), (status = 409)))]
#[post("/v1/integrations/obs/source")]
async fn set_obs_source(cx: Cx, input: JsonBody<SetObsSourceInput>) -> Result<impl Responder> {
    Ok(Json(super::set_obs_source(&cx, input.0).await?))
}
