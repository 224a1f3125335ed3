//! REST routes of `doctor`.

use actix_web::{HttpRequest, Responder, get};
use api_core::{
    Cx, Result,
    http::{Listed, ServiceConfig, listed},
};

use super::ConnectionDiagnosis;

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(connection_doctor);
}

#[utoipa::path(tag = "connections", operation_id = "connectionDoctor",
    responses((status = 200, body = Listed<ConnectionDiagnosis>)))]
#[get("/v1/connections/doctor")]
async fn connection_doctor(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::connection_doctor(&cx).await?))
}
