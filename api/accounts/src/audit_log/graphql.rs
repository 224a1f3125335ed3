//! The audit trail over GraphQL.

use api_core::{Cx, Page, Result};
use juniper::{GraphQLObject, graphql_object};

use super::{AdminAuditFilter, AuditEntry, AuditLogFilter};

pub struct AuditQueries;

/// One page of an audit trail.
#[derive(GraphQLObject)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct AuditEntryPage {
    items: Vec<AuditEntry>,
    total: i32,
    page: i32,
    limit: i32,
    pages: i32,
}

impl From<Page<AuditEntry>> for AuditEntryPage {
    fn from(page: Page<AuditEntry>) -> Self {
        let number = |number: i64| i32::try_from(number).unwrap_or(i32::MAX);
        Self {
            total: number(page.total),
            page: number(page.window.page),
            limit: number(page.window.limit),
            pages: number(page.pages()),
            items: page.items,
        }
    }
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
