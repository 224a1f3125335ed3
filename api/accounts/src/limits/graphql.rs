//! Limits over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::PresentLimit;

/// Queries of limits.
pub struct LimitQueries;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl LimitQueries {
    async fn limits(ctx: &Cx) -> Result<Vec<PresentLimit>> {
        super::limits(ctx).await
    }
}
