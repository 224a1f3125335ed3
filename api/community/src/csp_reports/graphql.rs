//! GraphQL field of `csp_reports`.

use api_core::{Cx, Result, graphql_page};
use juniper::graphql_object;

use super::{CspReport, CspReportsQuery};

/// Query fields.
pub struct CspReportQueries;

graphql_page! {
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
    ) -> Result<CspReportPage> {
        let query = CspReportsQuery { directive, page: page.map(i64::from), limit: limit.map(i64::from) };
        Ok(super::admin_csp_reports(ctx, Ok(query)).await?.into())
    }
}
