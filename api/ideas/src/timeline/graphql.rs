//! GraphQL fields of `timeline`.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{IdeaTimelineEntry, IdeaTimelineQuery};

/// Query fields.
pub struct IdeaTimelineQueries;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl IdeaTimelineQueries {
    async fn idea_timeline(
        ctx: &Cx,
        idea_id: Uuid,
        limit: Option<i32>,
        offset: Option<i32>,
    ) -> Result<Vec<IdeaTimelineEntry>> {
        let query = IdeaTimelineQuery { limit: limit.map(i64::from), offset: offset.map(i64::from) };
        super::idea_timeline(ctx, Ok(idea_id), Ok(query)).await
    }
}
