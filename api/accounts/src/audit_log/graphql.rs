//! The audit log over GraphQL.

use api_core::{Cx, Result, graphql_cursor_page};
use juniper::graphql_object;

use super::{AdminAuditFilter, AuditEntry, AuditLogFilter};

/// Queries of the audit log.
pub struct AuditQueries;

graphql_cursor_page! {
    /// One page of an audit log.
    AuditEntryPage of AuditEntry
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl AuditQueries {
    async fn audit_log(ctx: &Cx, filter: Option<AuditLogFilter>) -> Result<AuditEntryPage> {
        Ok(super::audit_log(ctx, Ok(filter.unwrap_or_default())).await?.into())
    }

    async fn admin_audit(ctx: &Cx, filter: Option<AdminAuditFilter>) -> Result<AuditEntryPage> {
        Ok(super::admin_audit(ctx, Ok(filter.unwrap_or_default())).await?.into())
    }
}
