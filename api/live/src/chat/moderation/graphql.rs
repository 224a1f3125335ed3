//! GraphQL fields of moderation.

use api_core::{CursorRequest, Cx, Result, graphql_cursor_page};
use juniper::graphql_object;

use super::{GqlModerationResult, ModerationInput, ModerationLogEntry};

/// Queries of moderation.
pub struct ModerationQueries;
/// Mutations of moderation.
pub struct ModerationMutations;

graphql_cursor_page! {
    /// One page of a moderation log.
    ModerationLogPage of ModerationLogEntry
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl ModerationQueries {
    async fn moderation_log(
        ctx: &Cx,
        page: Option<i32>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<ModerationLogPage> {
        let query = CursorRequest::new(page, limit, cursor);
        Ok(super::moderation_log(ctx, Ok(query)).await?.into())
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl ModerationMutations {
    async fn moderate_chat(ctx: &Cx, input: ModerationInput) -> Result<GqlModerationResult> {
        super::moderate_chat(ctx, Ok(input)).await
    }
}
