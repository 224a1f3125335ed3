//! Votes on ideas (reference/ideas.md#votes). The counters of an idea follow its votes in the statement that
//! changes them.

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AnyOperation, Grants, Participant, Visitor},
    page,
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use juniper::GraphQLObject;
use serde::{Deserialize, Serialize};
use shared::{
    catalogue::{Feature, UserPermission},
    id::UserId,
};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::{
    ideas::{self, GqlIdea},
    kinds::{IdeaStatus, IdeaVoteType},
    limits::Limit,
    people, stored,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&VOTE_IDEA, &REMOVE_VOTE, &IDEA_VOTERS];

/// Voters of a list (reference/ideas.md#votes).
const MAX_LIMIT: i64 = 100;

/// Vote of the caller.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[schema(example = json!({ "vote_type": "up" }))]
pub struct NewIdeaVote {
    /// Kind of the vote.
    pub vote_type: IdeaVoteType,
}

/// Person who has voted on an idea.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct IdeaVoter {
    /// Person.
    pub user_id: Uuid,
    /// Kind of the vote.
    pub vote_type: IdeaVoteType,
    /// Display name.
    pub display_name: String,
    /// Address of the avatar. Null: none.
    pub avatar_url: Option<String>,
}

/// Query of the voters.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct IdeaVotersQuery {
    /// Kind of the vote; both when absent.
    #[param(inline)]
    pub vote_type: Option<IdeaVoteType>,
    /// 1 to 100; 100 when absent.
    #[param(minimum = 1, maximum = 100)]
    pub limit: Option<i64>,
    /// 0 or more; 0 when absent.
    #[param(minimum = 0)]
    pub offset: Option<i64>,
}

pub static VOTE_IDEA: Operation<Participant> =
    Operation::user("voteIdea", UserPermission::IdeasVote, Grants::Nothing).feature(Feature::IdeasHub);

/// Votes on an idea, or changes the caller's vote.
///
/// An equal vote changes nothing. People may vote on their own ideas.
///
/// # Errors
/// Refusals of the access rule; 400 for an unknown kind of vote; 404 when there is no such idea; 409 for a new or other
/// vote on an idea that is done or declined; 429 beyond 120 votes an hour.
#[api_core::operation]
pub async fn vote_idea(cx: &Cx, id: Input<Uuid>, input: Input<NewIdeaVote>) -> Result<GqlIdea> {
    let caller = cx.authorize(&VOTE_IDEA).await?;
    let (id, vote, user) = (id?, input?.vote_type, caller.user);
    let now = cx.state().clock.now();
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let idea = stored::find(connection, id).await?;
            if is_new(connection, &Vote { idea: id, status: idea.status, user, vote }).await? {
                people::lock_key_share(cx, connection, user, &[]).await?;
                Limit::Votes.take(cx, user).await?;
                // Voters of an idea follow each other from here.
                let status = stored::lock(connection, id).await?.status;
                if is_new(connection, &Vote { idea: id, status, user, vote }).await? {
                    db::put(connection, id, user, vote, now).await?;
                }
            }
            ideas::find(connection, id, Some(user)).await
        })
        .await
}

pub static REMOVE_VOTE: Operation<Participant> =
    Operation::user("removeVote", UserPermission::IdeasVote, Grants::Nothing).feature(Feature::IdeasHub);

/// Removes the caller's vote on an idea, also on one that is done or declined. Without a vote nothing
/// changes.
///
/// # Errors
/// Refusals of the access rule; 404 when there is no such idea.
#[api_core::operation]
pub async fn remove_vote(cx: &Cx, id: Input<Uuid>) -> Result<GqlIdea> {
    let caller = cx.authorize(&REMOVE_VOTE).await?;
    let (id, user) = (id?, caller.user);
    caller
        .db()
        .await?
        .transaction(async |connection| {
            stored::lock(connection, id).await?;
            db::remove(connection, id, user).await?;
            ideas::find(connection, id, Some(user)).await
        })
        .await
}

pub static IDEA_VOTERS: Operation<Visitor> = Operation::public("ideaVoters", Grants::Nothing);

/// Lists the people who have voted on an idea, latest first vote first.
///
/// # Errors
/// 400 for an unknown kind of vote, and a limit or offset out of bounds; 404 when there is no such idea.
#[api_core::operation]
pub async fn idea_voters(cx: &Cx, id: Input<Uuid>, query: Input<IdeaVotersQuery>) -> Result<Vec<IdeaVoter>> {
    let visitor = cx.authorize(&IDEA_VOTERS).await?;
    let (id, query) = (id?, query?);
    let limit = page::checked_limit(query.limit, MAX_LIMIT, MAX_LIMIT)?;
    let offset = page::checked_offset(query.offset)?;
    let mut connection = visitor.db().await?;
    stored::find(&mut connection, id).await?;
    db::voters(&mut connection, id, query.vote_type, limit, offset).await
}

/// Vote to be cast on an idea of a status.
struct Vote {
    idea: Uuid,
    status: IdeaStatus,
    user: UserId,
    vote: IdeaVoteType,
}

/// True when a vote differs from the one that the person has.
///
/// # Errors
/// 409 when the idea takes no new votes.
async fn is_new(connection: &mut AsyncPgConnection, cast: &Vote) -> Result<bool> {
    if db::of_user(connection, cast.idea, cast.user).await? == Some(cast.vote) {
        return Ok(false);
    }
    if cast.status.is_closed() {
        return Err(ApiError::conflict("Idea takes no new votes"));
    }
    Ok(true)
}
