//! Install logs over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{InstallLog, InstallLogLevel, LogsQuery};

/// Queries of logs.
pub struct LogQueries;

#[graphql_object(context = Cx)]
impl LogQueries {
    async fn extension_install_logs(
        ctx: &Cx,
        id: Uuid,
        limit: Option<i32>,
        offset: Option<i32>,
        level: Option<InstallLogLevel>,
        before: Option<Uuid>,
    ) -> Result<Vec<InstallLog>> {
        let query = LogsQuery { limit: limit.map(i64::from), offset: offset.map(i64::from), level, before };
        super::extension_install_logs(ctx, Ok(id), Ok(query)).await
    }
}
