//! Tags of ideas (reference/ideas.md#tags).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{Admin, AnyOperation, Grants, Participant, Visitor},
    validate,
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::audit::{self, Entry};
use juniper::GraphQLObject;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::catalogue::{AdminPermission, Feature, UserPermission};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::{
    limits::Limit,
    names::{self, MAX_NAME_LENGTH},
    rights::{Part, entry},
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&IDEA_TAGS, &CREATE_IDEA_TAG, &DELETE_IDEA_TAG];

/// Tags of a list (reference/ideas.md#tags).
const MAX_LISTED_TAGS: i64 = 100;

/// Tag of ideas.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct IdeaTag {
    /// Identifier.
    pub id: Uuid,
    /// Name: letters in lower case, digits and hyphens.
    pub name: String,
    /// Person who made it. Null: the person is deleted.
    pub created_by: Option<Uuid>,
    /// Time of creation.
    pub created_at: Timestamp,
}

/// Query of the list.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct IdeaTagsQuery {
    /// Beginning of the name, in any case; at most 30 characters.
    #[param(max_length = 30)]
    pub search: Option<String>,
}

/// New tag.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({ "name": "chat-bot" }))]
pub struct NewIdeaTag {
    /// 2 to 30 letters, digits and hyphens; stored in lower case.
    #[schema(extensions(("maxLength" = json!(MAX_NAME_LENGTH))))]
    pub name: String,
}

/// Result of creating a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Created {
    /// Tag.
    pub tag: IdeaTag,
    /// True when there was no tag of the name before.
    pub is_new: bool,
}

pub static IDEA_TAGS: Operation<Visitor> = Operation::public("ideaTags", Grants::Nothing);

/// Lists tags of ideas by name, the first 100.
///
/// # Errors
/// 400 for a search of more than 30 characters.
#[api_core::operation]
pub async fn idea_tags(cx: &Cx, query: Input<IdeaTagsQuery>) -> Result<Vec<IdeaTag>> {
    let visitor = cx.authorize(&IDEA_TAGS).await?;
    let search = query?.search.unwrap_or_default().to_lowercase();
    let search = validate::text("search", &search, 0, MAX_NAME_LENGTH)?;
    db::list(&mut *visitor.db().await?, &search).await
}

pub static CREATE_IDEA_TAG: Operation<Participant> =
    Operation::user("createIdeaTag", UserPermission::IdeasCreate, Grants::Nothing)
        .feature(Feature::IdeasHub)
        .idempotent();

/// Creates a tag of ideas, or returns the one that has the name.
///
/// REST returns 201 for a new tag and 200 for one that there was before.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid name; 429 beyond 20 new tags an hour.
#[api_core::operation]
pub async fn create_idea_tag(cx: &Cx, input: Input<NewIdeaTag>) -> Result<Created> {
    let caller = cx.authorize(&CREATE_IDEA_TAG).await?;
    let name = names::checked(&input?.name)?;
    let (user, now) = (caller.user, cx.state().clock.now());
    caller
        .db()
        .await?
        .transaction(async |connection| {
            if let Some(tag) = db::of_name(connection, &name).await? {
                return Ok(Created { tag, is_new: false });
            }
            Limit::Tags.take(cx, user).await?;
            let Some(tag) = db::insert(connection, &name, user, now).await? else {
                // Another request made it meanwhile.
                let tag = db::of_name(connection, &name).await?.ok_or_else(not_found)?;
                return Ok(Created { tag, is_new: false });
            };
            let metadata = json!({ "name": name });
            let entry = entry(cx, "idea_tag:created", "idea_tag", tag.id, Part::Author);
            audit::record(connection, Entry { metadata, ..entry }).await?;
            Ok(Created { tag, is_new: true })
        })
        .await
}

pub static DELETE_IDEA_TAG: Operation<Admin> =
    Operation::admin("deleteIdeaTag", AdminPermission::IdeasModerateDelete, Grants::Nothing)
        .feature(Feature::IdeasHub);

/// Deletes a tag. The ideas that have it stay, without it.
///
/// # Errors
/// Refusals of the access rule; 404 when there is no such tag.
#[api_core::operation]
pub async fn delete_idea_tag(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let admin = cx.authorize(&DELETE_IDEA_TAG).await?;
    let id = id?;
    admin
        .db()
        .await?
        .transaction(async |connection| {
            let name = db::delete(connection, id).await?.ok_or_else(not_found)?;
            let metadata = json!({ "name": name });
            let entry = cx.audit_system("idea_tag:deleted", "idea_tag", id);
            audit::record(connection, Entry { metadata, ..entry }).await?;
            Ok(())
        })
        .await
}

/// Names of the tags of an idea, which stay until the transaction ends.
///
/// # Errors
/// 404 `Tag not found`.
pub(crate) async fn lock_key_share(connection: &mut AsyncPgConnection, ids: &[Uuid]) -> Result<Vec<String>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let names = db::lock_key_share(connection, ids).await?;
    if names.len() < ids.len() { Err(not_found()) } else { Ok(names) }
}

fn not_found() -> ApiError {
    ApiError::not_found("Tag not found")
}
