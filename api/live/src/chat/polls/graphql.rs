//! GraphQL fields of polls.

use api_core::{CursorRequest, Cx, Result, graphql_cursor_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{CreatePollInput, EndPollInput, Poll};

/// Queries of polls.
pub struct PollQueries;
/// Mutations of polls.
pub struct PollMutations;

graphql_cursor_page! {
    /// One page of polls.
    PollPage of Poll
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl PollQueries {
    async fn polls(
        ctx: &Cx,
        page: Option<i32>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<PollPage> {
        let page = CursorRequest::new(page, limit, cursor);
        Ok(super::polls(ctx, Ok(page)).await?.into())
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl PollMutations {
    async fn create_poll(ctx: &Cx, input: CreatePollInput) -> Result<Poll> {
        super::create_poll(ctx, Ok(input)).await
    }

    async fn end_poll(ctx: &Cx, id: Uuid, input: EndPollInput) -> Result<Poll> {
        super::end_poll(ctx, Ok(id), Ok(input)).await
    }
}
