//! GraphQL fields of `shared_reports`.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{OpenedReport, Presented};
use crate::{StreamReport, StreamSample};

/// Query fields.
pub struct SharedReportQueries;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl SharedReportQueries {
    async fn shared_report(ctx: &Cx, token: String, password: Option<String>) -> Result<OpenedReport> {
        super::shared_report(ctx, Presented { token, password }).await
    }
}

/// Report that a shared link shows.
#[graphql_object(name = "SharedStreamReport", context = Cx, scalar = juniper::DefaultScalarValue)]
impl OpenedReport {
    /// Report without the platforms' ids and the pictures of chatters.
    fn report(&self) -> &StreamReport {
        &self.report
    }

    /// Samples, one for each minute and platform, by time.
    async fn samples(&self, ctx: &Cx) -> Result<Vec<StreamSample>> {
        self.samples.clone().all(ctx).await
    }

    /// True when the report can be exported through the link.
    fn allow_export(&self) -> bool {
        self.allow_export
    }
}
