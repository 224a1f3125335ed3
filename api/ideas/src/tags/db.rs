//! Queries over `idea_tags`.

use api_core::{Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, delete as delete_from, insert_into,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::{
    id::{self, UserId},
    schema::idea_tags::{self, dsl},
};
use uuid::Uuid;

use super::{IdeaTag, MAX_LISTED_TAGS};

#[derive(Queryable, Selectable, QueryableByName)]
#[diesel(table_name = idea_tags)]
struct Row {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    created_by: Option<Uuid>,
    #[diesel(sql_type = Timestamptz)]
    created_at: Timestamp,
}

impl From<Row> for IdeaTag {
    fn from(row: Row) -> Self {
        Self { id: row.id, name: row.name, created_by: row.created_by, created_at: row.created_at }
    }
}

/// First tags by name whose name begins with a text.
pub(super) async fn list(connection: &mut AsyncPgConnection, search: &str) -> Result<Vec<IdeaTag>> {
    // Comparison and order are those of the index.
    let sql = "SELECT id, name, created_by, created_at FROM idea_tags \
        WHERE name ~>=~ $1 AND name ~<~ ($1 || chr(1114111)) ORDER BY name USING ~<~ LIMIT $2";
    let rows: Vec<Row> = sql_query(sql)
        .bind::<Text, _>(search)
        .bind::<BigInt, _>(MAX_LISTED_TAGS)
        .prepared()
        .load(connection)
        .await?;
    Ok(rows.into_iter().map(IdeaTag::from).collect())
}

/// Tag of a name.
pub(super) async fn of_name(connection: &mut AsyncPgConnection, name: &str) -> Result<Option<IdeaTag>> {
    let found = dsl::idea_tags.filter(dsl::name.eq(name)).select(Row::as_select());
    let row: Option<Row> = found.first(connection).await.optional()?;
    Ok(row.map(IdeaTag::from))
}

/// Inserts a tag; `None` when there is one of the name.
pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    name: &str,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<Option<IdeaTag>> {
    let row: Option<Row> = insert_into(dsl::idea_tags)
        .values((
            dsl::id.eq(id::new()),
            dsl::name.eq(name),
            dsl::created_by.eq(user),
            dsl::created_at.eq(now),
        ))
        .on_conflict_do_nothing()
        .returning(Row::as_returning())
        .get_result(connection)
        .await
        .optional()?;
    Ok(row.map(IdeaTag::from))
}

/// Deletes a tag; returns its name, or `None` when there is none.
pub(super) async fn delete(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<String>> {
    let deleted = delete_from(dsl::idea_tags.find(id)).returning(dsl::name);
    Ok(deleted.get_result(connection).await.optional()?)
}

/// Names of tags by name, which are not deleted until the transaction ends.
pub(super) async fn lock_key_share(connection: &mut AsyncPgConnection, ids: &[Uuid]) -> Result<Vec<String>> {
    Ok(dsl::idea_tags
        .filter(dsl::id.eq_any(ids))
        .order(dsl::name)
        .select(dsl::name)
        .for_key_share()
        .load(connection)
        .await?)
}
