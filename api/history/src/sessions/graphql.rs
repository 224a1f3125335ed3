//! GraphQL fields of `sessions`.

use api_core::{Cx, Result, graphql_cursor_page};
use juniper::graphql_object;

use super::{StreamHistoryFilter, StreamHistoryFilterOptions};
use crate::StreamSession;

/// Query fields.
pub struct StreamHistoryQueries;

graphql_cursor_page! {
    /// Page of stream sessions.
    StreamSessionPage of StreamSession
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl StreamHistoryQueries {
    async fn stream_history(ctx: &Cx, filter: Option<StreamHistoryFilter>) -> Result<StreamSessionPage> {
        Ok(super::stream_history(ctx, Ok(filter.unwrap_or_default())).await?.into())
    }

    async fn stream_history_filter_options(ctx: &Cx) -> Result<StreamHistoryFilterOptions> {
        super::stream_history_filter_options(ctx).await
    }
}
