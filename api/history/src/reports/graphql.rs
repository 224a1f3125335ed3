//! GraphQL fields of `reports`.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::StreamReportStatsQuery;
use crate::{StreamReport, StreamSample};

/// Query fields.
pub struct StreamReportQueries;
/// Mutation fields.
pub struct StreamReportMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl StreamReportQueries {
    async fn stream_report(ctx: &Cx, id: Uuid) -> Result<StreamReport> {
        super::stream_report(ctx, Ok(id)).await
    }

    async fn stream_report_stats(ctx: &Cx, id: Uuid, platform: Option<String>) -> Result<Vec<StreamSample>> {
        super::stream_report_stats(ctx, Ok(id), Ok(StreamReportStatsQuery { platform })).await?.all(ctx).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl StreamReportMutations {
    async fn delete_stream_report(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::delete_stream_report(ctx, Ok(id)).await.map(|()| true)
    }
}
