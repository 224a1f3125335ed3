//! The audit log over REST.

use actix_web::{HttpRequest, Responder, get};
use api_core::{
    Cx, Result,
    http::{Collection, QueryOf, ServiceConfig, paged_by_cursor},
};

use super::{AdminAuditFilter, AuditEntry, AuditLogFilter};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(audit_log);
    config.service(admin_audit);
}

#[utoipa::path(tag = "audit", operation_id = "auditLog", params(AuditLogFilter),
    responses((status = 200, body = Collection<AuditEntry>)))]
#[get("/v1/audit-log")]
async fn audit_log(cx: Cx, request: HttpRequest, filter: QueryOf<AuditLogFilter>) -> Result<impl Responder> {
    Ok(paged_by_cursor(&request, super::audit_log(&cx, filter.0).await?))
}

#[utoipa::path(tag = "audit", operation_id = "adminAudit", params(AdminAuditFilter),
    responses((status = 200, body = Collection<AuditEntry>)))]
#[get("/v1/admin/audit")]
async fn admin_audit(
    cx: Cx,
    request: HttpRequest,
    filter: QueryOf<AdminAuditFilter>,
) -> Result<impl Responder> {
    Ok(paged_by_cursor(&request, super::admin_audit(&cx, filter.0).await?))
}
