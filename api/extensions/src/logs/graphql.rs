//! Install logs over GraphQL.

use api_core::{Cx, Result, graphql::Int64};
use juniper::graphql_object;
use uuid::Uuid;

use super::{InstallLog, InstallLogLevel, LogsQuery};

pub struct LogQueries;

#[graphql_object(context = Cx)]
impl LogQueries {
    /// What the handlers of an install logged, newest first.
    async fn extension_install_logs(
        ctx: &Cx,
        id: Uuid,
        limit: Option<Int64>,
        offset: Option<Int64>,
        level: Option<InstallLogLevel>,
    ) -> Result<Vec<InstallLog>> {
        let query = LogsQuery { limit: limit.map(|n| n.0), offset: offset.map(|n| n.0), level };
        super::extension_install_logs(ctx, Ok(id), Ok(query)).await
    }
}
