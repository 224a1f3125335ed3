//! Queries over `idea_categories`.

use api_core::{Result, Timestamp};
use diesel::{dsl::exists, insert_into, prelude::*, select, sql_query};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::schema::{
    idea_categories::{self, dsl},
    ideas,
};
use uuid::Uuid;

use super::{
    IdeaCategory, MAX_CATEGORIES,
    input::{Changes, NewCategory},
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = idea_categories)]
struct Row {
    id: Uuid,
    name: String,
    label: String,
    color: String,
    sort_order: i32,
    created_at: Timestamp,
}

impl From<Row> for IdeaCategory {
    fn from(row: Row) -> Self {
        let Row { id, name, label, color, sort_order, created_at } = row;
        Self { id, name, label, color, sort_order, created_at }
    }
}

/// Every category in order.
pub(super) async fn list(connection: &mut AsyncPgConnection) -> Result<Vec<IdeaCategory>> {
    let rows: Vec<Row> = dsl::idea_categories
        .order((dsl::sort_order, dsl::name))
        .limit(MAX_CATEGORIES)
        .select(Row::as_select())
        .load(connection)
        .await?;
    Ok(rows.into_iter().map(IdeaCategory::from).collect())
}

/// Category of an id.
pub(super) async fn find(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<IdeaCategory>> {
    let found = dsl::idea_categories.find(id).select(Row::as_select());
    Ok(found.first(connection).await.optional()?.map(IdeaCategory::from))
}

/// Category of an id, locked until the transaction ends: no idea gets it.
pub(super) async fn lock(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<IdeaCategory>> {
    let found = dsl::idea_categories.find(id).select(Row::as_select()).for_update();
    Ok(found.first(connection).await.optional()?.map(IdeaCategory::from))
}

/// Name of a category, which is not deleted until the transaction ends.
pub(super) async fn lock_key_share(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<String>> {
    let found = dsl::idea_categories.find(id).select(dsl::name).for_key_share();
    Ok(found.first(connection).await.optional()?)
}

/// Serialises changes of the list until the transaction ends, so that its size and its names are checked for
/// each.
pub(super) async fn lock_list(connection: &mut AsyncPgConnection) -> Result<()> {
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended('idea_categories', 0))")
        .execute(connection)
        .await?;
    Ok(())
}

/// Number of categories.
pub(super) async fn count(connection: &mut AsyncPgConnection) -> Result<i64> {
    Ok(dsl::idea_categories.count().get_result(connection).await?)
}

/// True when a category other than `of` has the name.
pub(super) async fn is_taken(connection: &mut AsyncPgConnection, name: &str, of: Uuid) -> Result<bool> {
    let other = dsl::idea_categories.filter(dsl::name.eq(name).and(dsl::id.ne(of)));
    Ok(select(exists(other)).get_result(connection).await?)
}

/// True when an idea has the category.
pub(super) async fn is_used(connection: &mut AsyncPgConnection, id: Uuid) -> Result<bool> {
    Ok(select(exists(ideas::table.filter(ideas::category_id.eq(id)))).get_result(connection).await?)
}

/// Inserts a category.
pub(super) async fn insert(connection: &mut AsyncPgConnection, new: &NewCategory) -> Result<IdeaCategory> {
    let row: Row = insert_into(dsl::idea_categories)
        .values(new)
        .returning(Row::as_returning())
        .get_result(connection)
        .await?;
    Ok(row.into())
}

/// Changes a category.
pub(super) async fn update(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    changes: &Changes,
) -> Result<IdeaCategory> {
    let row: Row = diesel::update(dsl::idea_categories.find(id))
        .set(changes)
        .returning(Row::as_returning())
        .get_result(connection)
        .await?;
    Ok(row.into())
}

/// Deletes a category.
pub(super) async fn delete(connection: &mut AsyncPgConnection, id: Uuid) -> Result<()> {
    diesel::delete(dsl::idea_categories.find(id)).execute(connection).await?;
    Ok(())
}
