//! Errors and metrics over GraphQL.

use api_core::{Cx, Result, Timestamp};
use juniper::graphql_object;
use uuid::Uuid;

use super::{ErrorsQuery, ExtensionError, ExtensionMetrics, MetricsQuery};

/// Queries of telemetry.
pub struct TelemetryQueries;

#[graphql_object(context = Cx)]
impl TelemetryQueries {
    async fn extension_errors(
        ctx: &Cx,
        id: Uuid,
        limit: Option<i32>,
        offset: Option<i32>,
        since: Option<Timestamp>,
        before: Option<Uuid>,
    ) -> Result<Vec<ExtensionError>> {
        let query = ErrorsQuery { limit: limit.map(i64::from), offset: offset.map(i64::from), since, before };
        super::extension_errors(ctx, Ok(id), Ok(query)).await
    }

    async fn extension_metrics(ctx: &Cx, id: Uuid, since: Option<Timestamp>) -> Result<ExtensionMetrics> {
        super::extension_metrics(ctx, Ok(id), Ok(MetricsQuery { since })).await
    }
}
