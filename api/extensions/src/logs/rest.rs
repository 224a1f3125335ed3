//! Install logs over REST.

use actix_web::{HttpRequest, Responder, get};
use api_core::{
    Cx, Result,
    http::{Listed, QueryOf, listed, path_uuid},
};
use utoipa_actix_web::service_config::ServiceConfig;

use super::{InstallLog, LogsQuery};

/// Registers the routes that require a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(extension_install_logs);
}

#[utoipa::path(tag = "extension_installs", operation_id = "extensionInstallLogs",
    params(("id" = uuid::Uuid, Path), LogsQuery), responses((status = 200, body = Listed<InstallLog>)))]
#[get("/v1/extension-installs/{id}/logs")]
async fn extension_install_logs(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<LogsQuery>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(listed(&request, super::extension_install_logs(&cx, id, query.0).await?))
}
