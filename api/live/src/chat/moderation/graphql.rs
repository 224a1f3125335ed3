//! Moderating chats over GraphQL.

use api_core::{Cx, Page, Result};
use juniper::{GraphQLObject, graphql_object};

use super::{GqlModerationResult, ModerationInput, ModerationLogEntry, ModerationLogQuery};

pub struct ModerationQueries;
pub struct ModerationMutations;

/// One page of a moderation log.
#[derive(GraphQLObject)]
pub struct ModerationLogPage {
    items: Vec<ModerationLogEntry>,
    total: i32,
    page: i32,
    limit: i32,
    pages: i32,
}

impl From<Page<ModerationLogEntry>> for ModerationLogPage {
    fn from(page: Page<ModerationLogEntry>) -> Self {
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
impl ModerationQueries {
    /// One page of the account's moderation log, newest first.
    async fn moderation_log(ctx: &Cx, page: Option<i32>, limit: Option<i32>) -> Result<ModerationLogPage> {
        Ok(super::moderation_log(ctx, Ok(ModerationLogQuery { page, limit })).await?.into())
    }
}

#[graphql_object(context = Cx)]
impl ModerationMutations {
    /// Ban a user, time them out, or remove a message. What the platform refuses is an answer with `success: false`.
    async fn moderate_chat(ctx: &Cx, input: ModerationInput) -> Result<GqlModerationResult> {
        super::moderate_chat(ctx, Ok(input)).await
    }
}
