//! GraphQL field of `csp_reports`.

use api_core::{Cx, Result, graphql_cursor_page};
use juniper::graphql_object;

use super::{CspReport, CspReportsQuery};

/// Query fields.
pub struct CspReportQueries;

graphql_cursor_page! {
    /// Page of reports.
    CspReportPage of CspReport
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl CspReportQueries {
    async fn admin_csp_reports(
        ctx: &Cx,
        directive: Option<String>,
        page: Option<i32>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<CspReportPage> {
        let (page, limit) = (page.map(i64::from), limit.map(i64::from));
        let query = CspReportsQuery { directive, page, limit, cursor };
        Ok(super::admin_csp_reports(ctx, Ok(query)).await?.into())
    }
}
