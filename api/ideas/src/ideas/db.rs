//! Changes of `ideas`, `idea_texts` and `idea_tag_links`.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{delete as delete_from, dsl::exists, insert_into, prelude::*, select};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::UserId,
    schema::{
        idea_comments as comments, idea_tag_links as links, idea_tags, idea_texts as texts,
        ideas::{self, dsl},
    },
};
use uuid::Uuid;

use super::input::NewIdea;

/// Changed columns. Absent ones stay.
#[derive(Debug, AsChangeset)]
#[diesel(table_name = ideas)]
pub(super) struct Columns<'a> {
    /// Category.
    pub category_id: Option<Uuid>,
    /// Status.
    pub status: Option<&'a str>,
    /// Time of the change.
    pub updated_at: DateTime<Utc>,
}

/// Changed texts. Absent ones stay.
#[derive(Debug, AsChangeset)]
#[diesel(table_name = texts)]
pub(super) struct Texts<'a> {
    /// Title.
    pub title: Option<&'a str>,
    /// Description.
    pub description: Option<&'a str>,
}

/// Inserts an idea with its texts and tags.
pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    author: UserId,
    new: &NewIdea,
    now: DateTime<Utc>,
) -> Result<()> {
    insert_into(dsl::ideas)
        .values((
            dsl::id.eq(id),
            dsl::author_id.eq(author),
            dsl::category_id.eq(new.category),
            dsl::created_at.eq(now),
            dsl::updated_at.eq(now),
        ))
        .execute(connection)
        .await?;
    insert_into(texts::table)
        .values((
            texts::idea_id.eq(id),
            texts::title.eq(&new.title),
            texts::description.eq(&new.description.text),
        ))
        .execute(connection)
        .await?;
    add_tags(connection, id, &new.tags).await
}

/// Changes columns of an idea.
pub(super) async fn update(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    columns: &Columns<'_>,
) -> Result<()> {
    diesel::update(dsl::ideas.find(id)).set(columns).execute(connection).await?;
    Ok(())
}

/// Changes texts of an idea, one at least.
pub(super) async fn update_texts(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    changed: &Texts<'_>,
) -> Result<()> {
    diesel::update(texts::table.find(id)).set(changed).execute(connection).await?;
    Ok(())
}

/// Ids and names of the tags of an idea by name.
pub(super) async fn tags(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Vec<(Uuid, String)>> {
    Ok(links::table
        .inner_join(idea_tags::table.on(idea_tags::id.eq(links::tag_id)))
        .filter(links::idea_id.eq(id))
        .order(idea_tags::name)
        .select((idea_tags::id, idea_tags::name))
        .load(connection)
        .await?)
}

/// Gives an idea these tags in place of its own.
pub(super) async fn replace_tags(connection: &mut AsyncPgConnection, id: Uuid, tags: &[Uuid]) -> Result<()> {
    delete_from(links::table.filter(links::idea_id.eq(id))).execute(connection).await?;
    add_tags(connection, id, tags).await
}

/// True when somebody else than a person has commented on an idea.
pub(super) async fn has_foreign_comment(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    person: UserId,
) -> Result<bool> {
    let foreign = comments::table.filter(comments::idea_id.eq(id).and(comments::author_id.ne(person)));
    Ok(select(exists(foreign)).get_result(connection).await?)
}

/// Deletes an idea with everything that belongs to it.
pub(super) async fn delete(connection: &mut AsyncPgConnection, id: Uuid) -> Result<()> {
    delete_from(dsl::ideas.find(id)).execute(connection).await?;
    Ok(())
}

async fn add_tags(connection: &mut AsyncPgConnection, id: Uuid, tags: &[Uuid]) -> Result<()> {
    if tags.is_empty() {
        return Ok(());
    }
    let rows: Vec<_> = tags.iter().map(|tag| (links::idea_id.eq(id), links::tag_id.eq(*tag))).collect();
    insert_into(links::table).values(rows).execute(connection).await?;
    Ok(())
}
