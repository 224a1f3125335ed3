//! Votes on comments (reference/ideas.md#votes).

use api_core::{
    Cx, Input, Operation, Result,
    access::{Grants, Participant},
};
use diesel_async::AsyncConnection;
use shared::catalogue::{Feature, UserPermission};
use uuid::Uuid;

use super::{IdeaComment, db, not_found};
use crate::{limits::Limit, people, votes::NewIdeaVote};

pub static VOTE_IDEA_COMMENT: Operation<Participant> =
    Operation::user("voteIdeaComment", UserPermission::IdeasCommentVote, Grants::Nothing)
        .feature(Feature::IdeasHub);

/// Votes on a comment, or changes the caller's vote.
///
/// An equal vote changes nothing. Comments take votes whatever the status of the idea is.
///
/// # Errors
/// Refusals of the access rule; 400 for an unknown kind of vote; 404 when there is no such comment; 429 beyond 120 votes
/// an hour, votes on ideas among them.
#[api_core::operation]
pub async fn vote_idea_comment(cx: &Cx, id: Input<Uuid>, input: Input<NewIdeaVote>) -> Result<IdeaComment> {
    let caller = cx.authorize(&VOTE_IDEA_COMMENT).await?;
    let (id, vote, user) = (id?, input?.vote_type, caller.user);
    let now = cx.state().clock.now();
    caller
        .db()
        .await?
        .transaction(async |connection| {
            db::stored(connection, id).await?.ok_or_else(not_found)?;
            if db::vote_of(connection, id, user).await? != Some(vote) {
                people::lock_key_share(cx, connection, user, &[]).await?;
                Limit::Votes.take(cx, user).await?;
                // Voters of a comment follow each other from here.
                if !db::lock(connection, id).await? {
                    return Err(not_found());
                }
                db::put_vote(connection, id, user, vote, now).await?;
            }
            db::find(connection, id, Some(user)).await?.ok_or_else(not_found)
        })
        .await
}

pub static REMOVE_IDEA_COMMENT_VOTE: Operation<Participant> =
    Operation::user("removeIdeaCommentVote", UserPermission::IdeasCommentVote, Grants::Nothing)
        .feature(Feature::IdeasHub);

/// Removes the caller's vote on a comment. Without a vote nothing changes.
///
/// # Errors
/// Refusals of the access rule; 404 when there is no such comment.
#[api_core::operation]
pub async fn remove_idea_comment_vote(cx: &Cx, id: Input<Uuid>) -> Result<IdeaComment> {
    let caller = cx.authorize(&REMOVE_IDEA_COMMENT_VOTE).await?;
    let (id, user) = (id?, caller.user);
    caller
        .db()
        .await?
        .transaction(async |connection| {
            if !db::lock(connection, id).await? {
                return Err(not_found());
            }
            db::remove_vote(connection, id, user).await?;
            db::find(connection, id, Some(user)).await?.ok_or_else(not_found)
        })
        .await
}
