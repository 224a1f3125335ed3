//! Queries over `extension_reviews`. Changes carry the author.

use api_core::{CursorPage, Position, Result, Timestamp, cursor::Part};
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::UserId,
    schema::{
        extension_reviews::{self, dsl},
        users,
    },
};
use uuid::Uuid;

use super::{ExtensionReview, ReviewAuthor};

#[derive(Debug, Insertable)]
#[diesel(table_name = extension_reviews)]
pub(super) struct NewReview {
    pub id: Uuid,
    pub extension_id: Uuid,
    pub user_id: UserId,
    pub rating: i32,
    pub title: String,
    pub body: String,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

#[derive(Debug, AsChangeset)]
#[diesel(table_name = extension_reviews)]
pub(super) struct Changes {
    pub rating: Option<i32>,
    pub title: Option<String>,
    pub body: Option<String>,
    pub updated_at: DateTime<Utc>,
}

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = extension_reviews)]
struct Row {
    id: Uuid,
    extension_id: Uuid,
    user_id: Uuid,
    rating: i32,
    title: String,
    body: String,
    developer_reply: Option<String>,
    created_at: DateTime<Utc>,
    updated_at: Timestamp,
}

/// Name and picture of the author.
type Author = (String, Option<String>);

pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    part: Part,
) -> Result<CursorPage<ExtensionReview>> {
    let of = dsl::extension_reviews.filter(dsl::extension_id.eq(extension));
    let total = match part.total() {
        Some(total) => total,
        None => of.count().get_result(connection).await?,
    };
    let mut rows = of.inner_join(users::table).into_boxed();
    if let Some(Position { at, id }) = part.after() {
        rows = rows.filter(dsl::created_at.le(at)).filter(dsl::created_at.lt(at).or(dsl::id.lt(id)));
    }
    let rows: Vec<(Row, Author)> = rows
        .order((dsl::created_at.desc(), dsl::id.desc()))
        .limit(part.limit())
        .offset(part.offset())
        .select((Row::as_select(), (users::display_name, users::avatar_url)))
        .load(connection)
        .await?;
    let position = |row: &Row| Position { at: row.created_at, id: row.id };
    let rows = rows.into_iter().map(|(row, author)| (position(&row), review((row, author))));
    Ok(part.page(rows.collect(), total))
}

pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    user: UserId,
    id: Uuid,
) -> Result<Option<ExtensionReview>> {
    let row: Option<(Row, Author)> = dsl::extension_reviews
        .inner_join(users::table)
        .filter(dsl::id.eq(id).and(dsl::extension_id.eq(extension)).and(dsl::user_id.eq(user)))
        .select((Row::as_select(), (users::display_name, users::avatar_url)))
        .first(connection)
        .await
        .optional()?;
    Ok(row.map(review))
}

/// Inserts a review. Returns false when the person has reviewed the extension already.
pub(super) async fn insert(connection: &mut AsyncPgConnection, new: &NewReview) -> Result<bool> {
    let inserted = insert_into(dsl::extension_reviews)
        .values(new)
        .on_conflict((dsl::extension_id, dsl::user_id))
        .do_nothing()
        .execute(connection)
        .await?;
    Ok(inserted > 0)
}

/// Changes a review. Returns false when there is no such review.
pub(super) async fn update(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    user: UserId,
    id: Uuid,
    changes: &Changes,
) -> Result<bool> {
    let own = dsl::extension_reviews
        .filter(dsl::id.eq(id).and(dsl::extension_id.eq(extension)).and(dsl::user_id.eq(user)));
    Ok(diesel::update(own).set(changes).execute(connection).await? > 0)
}

/// Deletes a review. Returns false when there is no such review.
pub(super) async fn delete(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    user: UserId,
    id: Uuid,
) -> Result<bool> {
    let own = dsl::extension_reviews
        .filter(dsl::id.eq(id).and(dsl::extension_id.eq(extension)).and(dsl::user_id.eq(user)));
    Ok(diesel::delete(own).execute(connection).await? > 0)
}

fn review((row, (display_name, avatar_url)): (Row, Author)) -> ExtensionReview {
    ExtensionReview {
        id: row.id,
        extension_id: row.extension_id,
        rating: row.rating,
        title: row.title,
        body: row.body,
        author: ReviewAuthor { id: row.user_id, display_name, avatar_url },
        developer_reply: row.developer_reply,
        created_at: row.created_at.into(),
        updated_at: row.updated_at,
    }
}
