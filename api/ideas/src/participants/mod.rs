//! People of an idea: its author, and those who have voted or commented (reference/ideas.md#people).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    Cx, Input, Operation, Result,
    access::{AnyOperation, Authenticated, Grants},
    validate,
};
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

use crate::{people::IdeaAuthor, stored};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&IDEA_PARTICIPANTS];

/// People of a list (reference/ideas.md#people).
const MAX_PEOPLE: i64 = 50;
/// Latest votes, and latest comments, whose people are listed (reference/ideas.md#people).
const MAX_RECENT: i64 = 1000;
/// Length of a search, in characters (reference/ideas.md#people).
const MAX_SEARCH_LENGTH: usize = 100;

/// Query of the list.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct IdeaParticipantsQuery {
    /// Beginning of the display name or username, in any case; at most 100 characters.
    #[param(max_length = 100)]
    pub search: Option<String>,
}

pub static IDEA_PARTICIPANTS: Operation<Authenticated> =
    Operation::authenticated("ideaParticipants", Grants::Nothing);

/// Lists the first 50 people of an idea: its author, then those who have voted or commented, by name.
///
/// Of an idea with many, the people of the latest 1,000 votes and 1,000 comments count.
///
/// # Errors
/// Refusals of the access rule; 400 for a search of more than 100 characters; 404 when there is no such idea.
#[api_core::operation]
pub async fn idea_participants(
    cx: &Cx,
    id: Input<Uuid>,
    query: Input<IdeaParticipantsQuery>,
) -> Result<Vec<IdeaAuthor>> {
    let caller = cx.authorize(&IDEA_PARTICIPANTS).await?;
    let (id, query) = (id?, query?);
    let search = validate::text("search", &query.search.unwrap_or_default(), 0, MAX_SEARCH_LENGTH)?;
    let mut connection = caller.db().await?;
    stored::find(&mut connection, id).await?;
    db::list(&mut connection, id, &search).await
}
