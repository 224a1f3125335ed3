//! Comments on ideas and replies to them (reference/ideas.md#comments).

mod create;
mod db;
pub mod graphql;
mod objects;
pub mod rest;
mod votes;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AnyOperation, Grants, Participant, Visitor},
    page,
};
use diesel_async::AsyncConnection;
use foundation::audit::{self, Entry};
use serde_json::json;
use shared::catalogue::{Feature, UserPermission};
use uuid::Uuid;

pub use create::{CREATE_IDEA_COMMENT, create_idea_comment};
pub use objects::{
    CreateIdeaCommentInput, IdeaComment, IdeaCommentChange, IdeaCommentSort, IdeaCommentsQuery,
    NewIdeaComment,
};
pub use votes::{REMOVE_IDEA_COMMENT_VOTE, VOTE_IDEA_COMMENT, remove_idea_comment_vote, vote_idea_comment};

use crate::{
    html::Html,
    limits::Limit,
    mentions::{self, Text},
    notifications::Subject,
    people::{self, viewer},
    rights::{Part, Rights, entry},
    stored,
    timeline::{self, IdeaTimelineAction},
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &IDEA_COMMENTS,
    &CREATE_IDEA_COMMENT,
    &UPDATE_IDEA_COMMENT,
    &DELETE_IDEA_COMMENT,
    &VOTE_IDEA_COMMENT,
    &REMOVE_IDEA_COMMENT_VOTE,
];

/// Comments of a list when no limit is given (reference/ideas.md#comments).
const DEFAULT_LIMIT: i64 = 20;
/// Comments of a list, replies not counted (reference/ideas.md#comments).
const MAX_LIMIT: i64 = 100;
/// Replies to a comment (reference/ideas.md#comments).
const MAX_REPLIES: i64 = 100;
/// Replies in a list of comments: as many of each comment as fit (reference/ideas.md#comments).
const MAX_LISTED_REPLIES: i64 = 400;
/// Length of the longest comment, in characters of its HTML (reference/ideas.md#comments).
const MAX_BODY_LENGTH: usize = 5000;

pub static IDEA_COMMENTS: Operation<Visitor> = Operation::public("ideaComments", Grants::Nothing).polled();

/// Lists the comments on an idea that reply to none, each with its replies.
///
/// A page has at most 400 replies: with more, each comment has its first ones.
///
/// # Errors
/// 400 for an unknown order, and a limit or offset out of bounds; 404 when there is no such idea.
#[api_core::operation]
pub async fn idea_comments(
    cx: &Cx,
    idea: Input<Uuid>,
    query: Input<IdeaCommentsQuery>,
) -> Result<Vec<IdeaComment>> {
    let visitor = cx.authorize(&IDEA_COMMENTS).await?;
    let (idea, query) = (idea?, query?);
    let limit = page::checked_limit(query.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    let offset = page::checked_offset(query.offset)?;
    let mut connection = visitor.db().await?;
    stored::find(&mut connection, idea).await?;
    db::list(&mut connection, idea, query.sort.unwrap_or_default(), (limit, offset), viewer(cx)).await
}

pub static UPDATE_IDEA_COMMENT: Operation<Participant> =
    Operation::user("updateIdeaComment", UserPermission::IdeasCommentEdit, Grants::Nothing)
        .feature(Feature::IdeasHub);

/// Changes an own comment.
///
/// An equal text changes nothing. People whom the comment did not mention before are notified.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid text, and for a mention of a person who does not exist; 403 for the
/// comment of another person; 404 when there is no such comment; 429 beyond 30 changes of own ideas and comments an
/// hour.
#[api_core::operation]
pub async fn update_idea_comment(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<IdeaCommentChange>,
) -> Result<IdeaComment> {
    let caller = cx.authorize(&UPDATE_IDEA_COMMENT).await?;
    let (id, body) = (id?, checked_body(&input?.body)?);
    let (user, now) = (caller.user, cx.state().clock.now());
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let before = db::stored(connection, id).await?.ok_or_else(not_found)?;
            if before.author != user {
                return Err(ApiError::forbidden("Only the author can change a comment"));
            }
            mentions::require(connection, "body", &body.mentions).await?;
            if before.body == body.text {
                return db::find(connection, id, Some(user)).await?.ok_or_else(not_found);
            }
            people::lock_key_share(cx, connection, user, &[]).await?;
            Limit::Edits.take(cx, user).await?;
            if !db::lock(connection, id).await? {
                return Err(not_found());
            }
            db::update(connection, id, &body.text, now).await?;
            let mentioned = mentions::add(connection, Text::Comment(id), &body.mentions).await?;
            let (title, _) = stored::texts(connection, before.idea).await?;
            let subject = Subject { idea: before.idea, title: &title, actor: user, now };
            subject.mention(connection, Some(id), &mentioned).await?;
            let metadata = json!({ "idea_id": before.idea });
            let entry = entry(cx, "idea_comment:updated", "idea_comment", id, Part::Author);
            audit::record(connection, Entry { metadata, ..entry }).await?;
            db::find(connection, id, Some(user)).await?.ok_or_else(not_found)
        })
        .await
}

pub static DELETE_IDEA_COMMENT: Operation<Participant> = Operation::user_or_admin(
    "deleteIdeaComment",
    &[UserPermission::IdeasCommentDelete, UserPermission::IdeasModerateComment],
    Grants::Nothing,
)
.feature(Feature::IdeasHub);

/// Deletes a comment with its replies.
///
/// Authors delete their own comments, moderators every comment. The author of the idea deletes an own comment while no
/// one else has replied to it. The timeline of the idea gets an entry.
///
/// # Errors
/// Refusals of the access rule; 403 for the comment of another person without the permission of moderators; 404 when
/// there is no such comment; 409 when others have replied to the own comment on the own idea.
#[api_core::operation]
pub async fn delete_idea_comment(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_IDEA_COMMENT).await?;
    let id = id?;
    let (own, moderate) = (UserPermission::IdeasCommentDelete, UserPermission::IdeasModerateComment);
    let rights = Rights::of(cx, own, moderate).await?;
    let (user, now) = (caller.user, cx.state().clock.now());
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let comment = db::stored(connection, id).await?.ok_or_else(not_found)?;
            let mut part = rights.over(comment.author == user)?;
            people::lock_key_share(cx, connection, user, &[]).await?;
            let idea = stored::lock(connection, comment.idea).await?;
            // The author of the idea may not remove the comments of others that keep it from being deleted.
            if part == Part::Author
                && idea.author == user
                && db::has_foreign_reply(connection, (comment.idea, id), user).await?
            {
                let refusal = || ApiError::conflict("Comment has replies of others");
                part = rights.moderator().ok_or_else(refusal)?;
            }
            if !db::delete(connection, id).await? {
                return Err(not_found());
            }
            let action = IdeaTimelineAction::CommentDeleted;
            let deleted = timeline::Entry { action, old: Some(id.to_string()), new: None };
            timeline::add(connection, comment.idea, user, &[deleted], now).await?;
            let metadata = json!({ "idea_id": comment.idea, "author_id": comment.author });
            let entry = entry(cx, "idea_comment:deleted", "idea_comment", id, part);
            audit::record(connection, Entry { metadata, ..entry }).await?;
            Ok(())
        })
        .await
}

fn checked_body(text: &str) -> Result<Html> {
    Html::sanitized("body", text, 1, MAX_BODY_LENGTH)
}

fn not_found() -> ApiError {
    ApiError::not_found("Comment not found")
}
