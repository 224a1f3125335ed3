//! GraphQL field of `explain`.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{AccessExplanation, ExplainAccessQuery};

/// Query fields.
pub struct ExplainQueries;

#[graphql_object(context = Cx)]
impl ExplainQueries {
    async fn explain_access(
        ctx: &Cx,
        operation: String,
        subject: Option<String>,
    ) -> Result<AccessExplanation> {
        super::explain_access(ctx, Ok(ExplainAccessQuery { operation, subject })).await
    }
}
