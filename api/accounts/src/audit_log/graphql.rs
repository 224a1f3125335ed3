//! The audit trail over GraphQL.

use api_core::{Cx, Result, graphql_page};
use juniper::graphql_object;

use super::{AdminAuditFilter, AuditEntry, AuditLogFilter};

pub struct AuditQueries;

graphql_page! {
    /// One page of an audit trail.
    AuditEntryPage of AuditEntry
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl AuditQueries {
    /// One page of the account's audit trail, newest first.
    async fn audit_log(ctx: &Cx, filter: Option<AuditLogFilter>) -> Result<AuditEntryPage> {
        Ok(super::audit_log(ctx, Ok(filter.unwrap_or_default())).await?.into())
    }

    /// One page of an audit trail, newest first.
    async fn admin_audit(ctx: &Cx, filter: Option<AdminAuditFilter>) -> Result<AuditEntryPage> {
        Ok(super::admin_audit(ctx, Ok(filter.unwrap_or_default())).await?.into())
    }
}
