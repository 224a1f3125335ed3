//! Ideas (reference/ideas.md#ideas).

mod changes;
mod db;
pub mod graphql;
mod input;
mod list;
mod objects;
pub mod rest;
mod row;
mod status;
mod trending;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AnyOperation, Grants, Participant, Visitor},
};
use diesel_async::AsyncConnection;
use foundation::audit::{self, Entry};
use serde_json::json;
use shared::{
    catalogue::{Feature, UserPermission},
    id,
};
use uuid::Uuid;

pub use changes::{UPDATE_IDEA, update_idea};
pub use input::{CreateIdeaInput, UpdateIdeaInput};
pub use list::{IdeaFilterInput, IdeaSort, IdeasRequest};
pub use objects::{GqlIdea, GqlIdeaConnection};
pub(crate) use row::find;
pub use status::{NewIdeaStatus, UPDATE_IDEA_STATUS, update_idea_status};

use crate::{
    categories,
    limits::Limit,
    mentions::{self, Text},
    notifications::Subject,
    people::{self, viewer},
    rights::{Part, Rights, entry},
    stored, tags,
    timeline::{self, IdeaTimelineAction},
};
use list::Selection;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&IDEAS, &IDEA, &CREATE_IDEA, &UPDATE_IDEA, &DELETE_IDEA, &UPDATE_IDEA_STATUS];

pub static IDEAS: Operation<Visitor> = Operation::public("ideas", Grants::Nothing).polled();

/// Lists ideas in the requested order with the number of all that the filter admits.
///
/// A search finds ideas with all of its words in title or description; the last one may be the beginning of
/// a word. It finds the newest 1,000 at most. A search without a letter or digit finds nothing. The order by
/// trend ends after 500 ideas.
///
/// # Errors
/// 400 for an invalid filter, order, limit or offset; 401 for the own ideas or votes of a caller without a credential,
/// and 403 with one that has no person.
#[api_core::operation]
pub async fn ideas(cx: &Cx, request: Input<IdeasRequest>) -> Result<GqlIdeaConnection> {
    let visitor = cx.authorize(&IDEAS).await?;
    let selection = Selection::of(cx, request?)?;
    list::list(&mut *visitor.db().await?, &selection, cx.state().clock.now()).await
}

pub static IDEA: Operation<Visitor> = Operation::public("idea", Grants::Nothing).polled();

/// Returns an idea.
///
/// # Errors
/// 404 when there is no such idea.
#[api_core::operation]
pub async fn idea(cx: &Cx, id: Input<Uuid>) -> Result<GqlIdea> {
    let visitor = cx.authorize(&IDEA).await?;
    row::find(&mut *visitor.db().await?, id?, viewer(cx)).await
}

pub static CREATE_IDEA: Operation<Participant> =
    Operation::user("createIdea", UserPermission::IdeasCreate, Grants::Nothing)
        .feature(Feature::IdeasHub)
        .idempotent();

/// Creates an idea.
///
/// Its description is sanitised. People whom it mentions are notified.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid field, and for a mention of a person who does not exist; 404 for an
/// unknown category or tag; 429 beyond 5 ideas an hour.
#[api_core::operation]
pub async fn create_idea(cx: &Cx, input: Input<CreateIdeaInput>) -> Result<GqlIdea> {
    let caller = cx.authorize(&CREATE_IDEA).await?;
    let new = input?.check()?;
    let (user, now) = (caller.user, cx.state().clock.now());
    caller
        .db()
        .await?
        .transaction(async |connection| {
            people::lock_key_share(cx, connection, user, &[]).await?;
            categories::lock_key_share(connection, new.category).await?;
            tags::lock_key_share(connection, &new.tags).await?;
            mentions::require(connection, "description", &new.description.mentions).await?;
            Limit::Ideas.take(cx, user).await?;
            let id = id::new();
            db::insert(connection, id, user, &new, now).await?;
            let created = timeline::Entry { action: IdeaTimelineAction::Created, old: None, new: None };
            timeline::add(connection, id, user, &[created], now).await?;
            let text = Text::Description(id);
            let mentioned = mentions::add(connection, text, &new.description.mentions).await?;
            let subject = Subject { idea: id, title: &new.title, actor: user, now };
            subject.mention(connection, None, &mentioned).await?;
            audit::record(connection, entry(cx, "idea:created", "idea", id, Part::Author)).await?;
            row::find(connection, id, Some(user)).await
        })
        .await
}

pub static DELETE_IDEA: Operation<Participant> = Operation::user_or_admin(
    "deleteIdea",
    &[UserPermission::IdeasDelete, UserPermission::IdeasModerateDelete],
    Grants::Nothing,
)
.feature(Feature::IdeasHub);

/// Deletes an idea with its votes, comments and timeline.
///
/// Authors delete their own idea while no one else has commented on it. Moderators delete every idea.
///
/// # Errors
/// Refusals of the access rule; 403 for the idea of another person without the permission of moderators; 404 when there
/// is no such idea; 409 when others have commented on the own idea.
#[api_core::operation]
pub async fn delete_idea(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_IDEA).await?;
    let id = id?;
    let rights = Rights::of(cx, UserPermission::IdeasDelete, UserPermission::IdeasModerateDelete).await?;
    let user = caller.user;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let idea = stored::lock(connection, id).await?;
            let mut part = rights.over(idea.author == user)?;
            if part == Part::Author && db::has_foreign_comment(connection, id, user).await? {
                let refusal = || ApiError::conflict("Idea has comments of others");
                part = rights.moderator().ok_or_else(refusal)?;
            }
            db::delete(connection, id).await?;
            let metadata = json!({ "author_id": idea.author });
            let entry = entry(cx, "idea:deleted", "idea", id, part);
            audit::record(connection, Entry { metadata, ..entry }).await?;
            Ok(())
        })
        .await
}
