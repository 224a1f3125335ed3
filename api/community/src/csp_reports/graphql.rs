//! Reports of browsers over GraphQL.

use api_core::{Cx, Result, graphql_page};
use juniper::graphql_object;

use super::{CspReport, CspReportsQuery};

pub struct CspReportQueries;

graphql_page! {
    /// One page of reports.
    CspReportPage of CspReport
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl CspReportQueries {
    /// The reports of browsers, newest first.
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
