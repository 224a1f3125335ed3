//! New comments and replies (reference/ideas.md#comments).

use api_core::{
    ApiError, Code, Cx, Input, Operation, Result,
    access::{Grants, Participant},
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::audit::{self, Entry};
use serde_json::json;
use shared::{
    catalogue::{Feature, UserPermission},
    id::{self, UserId},
};
use uuid::Uuid;

use super::{IdeaComment, MAX_REPLIES, NewIdeaComment, checked_body, db, not_found};
use crate::{
    limits::Limit,
    mentions::{self, Text},
    notifications::Subject,
    people,
    rights::{Part, entry},
    stored,
};

pub static CREATE_IDEA_COMMENT: Operation<Participant> =
    Operation::user("createIdeaComment", UserPermission::IdeasCommentCreate, Grants::Nothing)
        .feature(Feature::IdeasHub)
        .idempotent();

/// Comments on an idea, or replies to a comment on it.
///
/// Ideas of every status take comments. The authors of the idea and of the comment that is replied to are
/// notified, and the people who are mentioned; each person once.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid text, for a mention of a person who does not exist, and for a reply to
/// a reply or to a comment on another idea; 403 `PLAN_LIMIT_REACHED` beyond 100 replies to a comment; 404 when there is
/// no such idea; 429 beyond 30 comments an hour.
#[api_core::operation]
pub async fn create_idea_comment(
    cx: &Cx,
    idea: Input<Uuid>,
    input: Input<NewIdeaComment>,
) -> Result<IdeaComment> {
    let caller = cx.authorize(&CREATE_IDEA_COMMENT).await?;
    let (idea, input) = (idea?, input?);
    let body = checked_body(&input.body)?;
    let (user, now) = (caller.user, cx.state().clock.now());
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let idea_author = stored::find(connection, idea).await?.author;
            let parent_author = require_parent(connection, idea, input.parent_id).await?;
            let authors: Vec<UserId> = std::iter::once(idea_author).chain(parent_author).collect();
            people::lock_key_share(cx, connection, user, &authors).await?;
            mentions::require(connection, "body", &body.mentions).await?;
            Limit::Comments.take(cx, user).await?;
            stored::lock(connection, idea).await?;
            require_parent(connection, idea, input.parent_id).await?;
            let id = id::new();
            let new = db::NewComment {
                id,
                idea_id: idea,
                parent_id: input.parent_id,
                author_id: user.0,
                body: &body.text,
                created_at: now,
                updated_at: now,
            };
            db::insert(connection, &new).await?;
            let (title, _) = stored::texts(connection, idea).await?;
            let subject = Subject { idea, title: &title, actor: user, now };
            let mentioned = mentions::add(connection, Text::Comment(id), &body.mentions).await?;
            subject.mention(connection, Some(id), &mentioned).await?;
            let unmentioned: Vec<UserId> =
                authors.into_iter().filter(|author| !mentioned.contains(author)).collect();
            subject.comment(connection, id, &unmentioned).await?;
            let metadata = json!({ "idea_id": idea, "parent_id": input.parent_id });
            let entry = entry(cx, "idea_comment:created", "idea_comment", id, Part::Author);
            audit::record(connection, Entry { metadata, ..entry }).await?;
            db::find(connection, id, Some(user)).await?.ok_or_else(not_found)
        })
        .await
}

/// Author of the comment that a new one replies to; `None` without one.
///
/// # Errors
/// 400 for a comment that is a reply itself, or on another idea; 403 when it has all replies that it may have.
async fn require_parent(
    connection: &mut AsyncPgConnection,
    idea: Uuid,
    parent: Option<Uuid>,
) -> Result<Option<UserId>> {
    let Some(parent) = parent else { return Ok(None) };
    let found = db::stored(connection, parent).await?;
    let Some(comment) = found.filter(|comment| comment.idea == idea && comment.parent.is_none()) else {
        return Err(ApiError::invalid("parent_id must be a comment on the idea that replies to none"));
    };
    if i64::from(comment.reply_count) >= MAX_REPLIES {
        let refusal = ApiError::new(Code::PlanLimitReached, "Reply limit reached");
        return Err(refusal.with_details(json!({ "limit": MAX_REPLIES })));
    }
    Ok(Some(comment.author))
}
