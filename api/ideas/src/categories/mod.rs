//! Categories of ideas, which staff keeps (reference/ideas.md#categories).

mod db;
pub mod graphql;
mod input;
pub mod rest;

use api_core::{
    ApiError, Code, Cx, Input, Operation, Result, Timestamp,
    access::{Admin, AnyOperation, Grants, Visitor},
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::audit::{self, Entry};
use juniper::GraphQLObject;
use serde::Serialize;
use serde_json::json;
use shared::catalogue::{AdminPermission, Feature};
use utoipa::ToSchema;
use uuid::Uuid;

pub use input::{CreateIdeaCategoryInput, UpdateIdeaCategoryInput};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&IDEA_CATEGORIES, &CREATE_IDEA_CATEGORY, &UPDATE_IDEA_CATEGORY, &DELETE_IDEA_CATEGORY];

/// Number of categories (reference/ideas.md#categories).
const MAX_CATEGORIES: i64 = 100;

/// Category of ideas.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct IdeaCategory {
    /// Identifier.
    pub id: Uuid,
    /// Slug.
    pub name: String,
    /// Displayed name.
    pub label: String,
    /// Color: `#` and six hexadecimal digits.
    pub color: String,
    /// Place in the list, from 0. Categories of the same place are ordered by name.
    pub sort_order: i32,
    /// Time of creation.
    pub created_at: Timestamp,
}

pub static IDEA_CATEGORIES: Operation<Visitor> = Operation::public("ideaCategories", Grants::Nothing);

/// Lists the categories of ideas in their order.
///
/// # Errors
/// None but those of every operation.
#[api_core::operation]
pub async fn idea_categories(cx: &Cx) -> Result<Vec<IdeaCategory>> {
    let visitor = cx.authorize(&IDEA_CATEGORIES).await?;
    db::list(&mut *visitor.db().await?).await
}

pub static CREATE_IDEA_CATEGORY: Operation<Admin> =
    Operation::admin("createIdeaCategory", AdminPermission::IdeasModerateEdit, Grants::Nothing)
        .feature(Feature::IdeasHub)
        .idempotent();

/// Creates a category of ideas.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid field; 403 `PLAN_LIMIT_REACHED` beyond 100 categories; 409
/// when another category has the name.
#[api_core::operation]
pub async fn create_idea_category(cx: &Cx, input: Input<CreateIdeaCategoryInput>) -> Result<IdeaCategory> {
    let admin = cx.authorize(&CREATE_IDEA_CATEGORY).await?;
    let new = input?.check(cx.state().clock.now())?;
    admin
        .db()
        .await?
        .transaction(async |connection| {
            db::lock_list(connection).await?;
            if db::count(connection).await? >= MAX_CATEGORIES {
                let refusal = ApiError::new(Code::PlanLimitReached, "Category limit reached");
                return Err(refusal.with_details(json!({ "limit": MAX_CATEGORIES })));
            }
            require_free(connection, &new.name, new.id).await?;
            let category = db::insert(connection, &new).await?;
            let metadata = json!({ "name": category.name });
            let entry = cx.audit_system("idea_category:created", "idea_category", category.id);
            audit::record(connection, Entry { metadata, ..entry }).await?;
            Ok(category)
        })
        .await
}

pub static UPDATE_IDEA_CATEGORY: Operation<Admin> =
    Operation::admin("updateIdeaCategory", AdminPermission::IdeasModerateEdit, Grants::Nothing)
        .feature(Feature::IdeasHub);

/// Changes a category of ideas. Absent fields stay; without a field nothing changes.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid field; 404 when there is no such category; 409 when another
/// category has the name.
#[api_core::operation]
pub async fn update_idea_category(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<UpdateIdeaCategoryInput>,
) -> Result<IdeaCategory> {
    let admin = cx.authorize(&UPDATE_IDEA_CATEGORY).await?;
    let (id, changes) = (id?, input?.check()?);
    admin
        .db()
        .await?
        .transaction(async |connection| {
            db::lock_list(connection).await?;
            let before = db::find(connection, id).await?.ok_or_else(not_found)?;
            if changes.is_empty() {
                return Ok(before);
            }
            if let Some(name) = &changes.name {
                require_free(connection, name, id).await?;
            }
            let category = db::update(connection, id, &changes).await?;
            let metadata = json!({ "name": category.name, "former_name": before.name });
            let entry = cx.audit_system("idea_category:updated", "idea_category", id);
            audit::record(connection, Entry { metadata, ..entry }).await?;
            Ok(category)
        })
        .await
}

pub static DELETE_IDEA_CATEGORY: Operation<Admin> =
    Operation::admin("deleteIdeaCategory", AdminPermission::IdeasModerateDelete, Grants::Nothing)
        .feature(Feature::IdeasHub);

/// Deletes a category that no idea has.
///
/// # Errors
/// Refusals of the access rule; 404 when there is no such category; 409 when an idea has it.
#[api_core::operation]
pub async fn delete_idea_category(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let admin = cx.authorize(&DELETE_IDEA_CATEGORY).await?;
    let id = id?;
    admin
        .db()
        .await?
        .transaction(async |connection| {
            // New ideas wait for the lock, and then find no category.
            let category = db::lock(connection, id).await?.ok_or_else(not_found)?;
            if db::is_used(connection, id).await? {
                return Err(ApiError::conflict("Category has ideas"));
            }
            db::delete(connection, id).await?;
            let metadata = json!({ "name": category.name });
            let entry = cx.audit_system("idea_category:deleted", "idea_category", id);
            audit::record(connection, Entry { metadata, ..entry }).await?;
            Ok(())
        })
        .await
}

/// Name of the category of an idea, which stays until the transaction ends.
///
/// # Errors
/// 404 `Category not found`.
pub(crate) async fn lock_key_share(connection: &mut AsyncPgConnection, id: Uuid) -> Result<String> {
    db::lock_key_share(connection, id).await?.ok_or_else(not_found)
}

async fn require_free(connection: &mut AsyncPgConnection, name: &str, of: Uuid) -> Result<()> {
    if db::is_taken(connection, name, of).await? {
        return Err(ApiError::conflict("Category name is taken"));
    }
    Ok(())
}

fn not_found() -> ApiError {
    ApiError::not_found("Category not found")
}
