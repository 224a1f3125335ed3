//! GraphQL fields of `shared_reports`.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{Presented, SharedStreamReport};

/// Query fields.
pub struct SharedReportQueries;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl SharedReportQueries {
    async fn shared_report(ctx: &Cx, token: String, password: Option<String>) -> Result<SharedStreamReport> {
        super::shared_report(ctx, Presented { token, password }).await
    }
}
