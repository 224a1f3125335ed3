//! Polls over GraphQL.

use api_core::{Cx, Page, PageRequest, Result};
use juniper::{GraphQLObject, graphql_object};
use uuid::Uuid;

use super::{CreatePollInput, EndPollInput, Poll};

pub struct PollQueries;
pub struct PollMutations;

/// One page of polls.
#[derive(GraphQLObject)]
pub struct PollPage {
    items: Vec<Poll>,
    total: i32,
    page: i32,
    limit: i32,
    pages: i32,
}

impl From<Page<Poll>> for PollPage {
    fn from(page: Page<Poll>) -> Self {
        let number = |number: i64| i32::try_from(number).unwrap_or(i32::MAX);
        Self {
            total: number(page.total),
            page: number(page.window.page),
            limit: number(page.window.limit),
            pages: number(page.pages()),
            items: page.items,
        }
    }
}

#[graphql_object(context = Cx)]
impl PollQueries {
    /// One page of the account's polls, newest first.
    async fn polls(ctx: &Cx, page: Option<i32>, limit: Option<i32>) -> Result<PollPage> {
        let page = PageRequest { page: page.map(i64::from), limit: limit.map(i64::from) };
        Ok(super::polls(ctx, Ok(page)).await?.into())
    }
}

#[graphql_object(context = Cx)]
impl PollMutations {
    /// Begin a poll on the account's channel.
    async fn create_poll(ctx: &Cx, input: CreatePollInput) -> Result<Poll> {
        super::create_poll(ctx, Ok(input)).await
    }

    /// End a poll before its time.
    async fn end_poll(ctx: &Cx, id: Uuid, input: EndPollInput) -> Result<Poll> {
        super::end_poll(ctx, Ok(id), Ok(input)).await
    }
}
