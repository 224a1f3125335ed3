//! Install logs over REST.

use actix_web::{HttpRequest, Responder, get};
use api_core::{
    Cx, Result,
    http::{Linked, Listed, PartLinks, QueryOf, ServiceConfig, listed, path_uuid},
};

use super::{DEFAULT_LIMIT, InstallLog, LogsQuery};

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
    let lines = super::extension_install_logs(&cx, id, query.0).await?;
    let links = PartLinks::before_last(&request, DEFAULT_LIMIT, &lines, |line| line.id);
    Ok(Linked { body: listed(&request, lines).0, links })
}
