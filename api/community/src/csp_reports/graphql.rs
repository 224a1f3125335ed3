//! Reports of browsers over GraphQL.

use api_core::{Cx, Page, Result, graphql::Int64};
use juniper::{GraphQLObject, graphql_object};

use super::{CspReport, CspReportsQuery};

pub struct CspReportQueries;

/// One page of reports.
#[derive(GraphQLObject)]
pub struct CspReportPage {
    items: Vec<CspReport>,
    total: Int64,
    page: Int64,
    limit: Int64,
    pages: Int64,
}

impl From<Page<CspReport>> for CspReportPage {
    fn from(page: Page<CspReport>) -> Self {
        let pages = Int64(page.pages());
        let (number, limit) = (Int64(page.window.page), Int64(page.window.limit));
        Self { total: Int64(page.total), page: number, limit, pages, items: page.items }
    }
}

#[graphql_object(context = Cx)]
impl CspReportQueries {
    /// The reports of browsers, newest first.
    async fn admin_csp_reports(
        ctx: &Cx,
        directive: Option<String>,
        page: Option<Int64>,
        limit: Option<Int64>,
    ) -> Result<CspReportPage> {
        let query = CspReportsQuery { directive, page: page.map(|n| n.0), limit: limit.map(|n| n.0) };
        Ok(super::admin_csp_reports(ctx, Ok(query)).await?.into())
    }
}
