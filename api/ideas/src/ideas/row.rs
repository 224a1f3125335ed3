//! Ideas as the database returns them, with everything that is shown beside them.

use api_core::{ApiError, Result, Timestamp};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{Array, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::id::UserId;
use uuid::Uuid;

use super::GqlIdea;
use crate::{
    categories::IdeaCategory,
    kinds::{IdeaStatus, IdeaVoteType},
    people::IdeaAuthor,
    stored,
    tags::IdeaTag,
};

/// Row of an idea; `id` is first, by which an absent row is known.
#[derive(Debug, QueryableByName)]
pub(super) struct Row {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    author_id: Uuid,
    #[diesel(sql_type = Text)]
    author_name: String,
    #[diesel(sql_type = Nullable<Text>)]
    author_avatar_url: Option<String>,
    #[diesel(sql_type = SqlUuid)]
    category_id: Uuid,
    #[diesel(sql_type = Text)]
    category_name: String,
    #[diesel(sql_type = Text)]
    category_label: String,
    #[diesel(sql_type = Text)]
    category_color: String,
    #[diesel(sql_type = Integer)]
    category_sort_order: i32,
    #[diesel(sql_type = Timestamptz)]
    category_created_at: Timestamp,
    #[diesel(sql_type = Array<SqlUuid>)]
    tag_ids: Vec<Uuid>,
    #[diesel(sql_type = Array<Text>)]
    tag_names: Vec<String>,
    #[diesel(sql_type = Array<Nullable<SqlUuid>>)]
    tag_creators: Vec<Option<Uuid>>,
    #[diesel(sql_type = Array<Timestamptz>)]
    tag_times: Vec<Timestamp>,
    #[diesel(sql_type = Text)]
    title: String,
    #[diesel(sql_type = Text)]
    description: String,
    #[diesel(sql_type = Text)]
    status: String,
    #[diesel(sql_type = Integer)]
    vote_count_up: i32,
    #[diesel(sql_type = Integer)]
    vote_count_down: i32,
    #[diesel(sql_type = Integer)]
    comment_count: i32,
    #[diesel(sql_type = Nullable<Text>)]
    my_vote: Option<String>,
    #[diesel(sql_type = Timestamptz)]
    created_at: Timestamp,
    #[diesel(sql_type = Timestamptz)]
    updated_at: Timestamp,
}

/// Statement that joins everything that is shown to `selected`, rows of `ideas`; `viewer` is the parameter
/// of the person who reads. `OFFSET 0` keeps authors and texts apart from the rest, so that they are found by
/// their ids.
pub(super) fn shown(selected: &str, viewer: &str) -> String {
    format!(
        "SELECT ideas.*, users.display_name AS author_name, users.avatar_url AS author_avatar_url,
            categories.name AS category_name, categories.label AS category_label,
            categories.color AS category_color, categories.sort_order AS category_sort_order,
            categories.created_at AS category_created_at, texts.title, texts.description,
            (SELECT vote_type FROM idea_votes WHERE idea_id = ideas.id AND user_id = {viewer}) AS my_vote, tags.*
         FROM ({selected}) AS ideas
         CROSS JOIN LATERAL (
            SELECT display_name, avatar_url FROM users WHERE users.id = ideas.author_id OFFSET 0) AS users
         JOIN idea_categories AS categories ON categories.id = ideas.category_id
         CROSS JOIN LATERAL (
            SELECT title, description FROM idea_texts WHERE idea_texts.idea_id = ideas.id OFFSET 0) AS texts
         CROSS JOIN LATERAL (
            SELECT coalesce(array_agg(tags.id ORDER BY tags.name), '{{}}') AS tag_ids,
                coalesce(array_agg(tags.name ORDER BY tags.name), '{{}}') AS tag_names,
                coalesce(array_agg(tags.created_by ORDER BY tags.name), '{{}}') AS tag_creators,
                coalesce(array_agg(tags.created_at ORDER BY tags.name), '{{}}') AS tag_times
            FROM idea_tag_links AS links JOIN idea_tags AS tags ON tags.id = links.tag_id
            WHERE links.idea_id = ideas.id) AS tags"
    )
}

/// Idea as a person reads it.
///
/// # Errors
/// 404 `Idea not found`.
pub(crate) async fn find(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    viewer: Option<UserId>,
) -> Result<GqlIdea> {
    let row: Option<Row> = sql_query(shown("SELECT * FROM ideas WHERE id = $1", "$2"))
        .bind::<SqlUuid, _>(id)
        .bind::<Nullable<SqlUuid>, _>(viewer)
        .prepared()
        .get_result(connection)
        .await
        .optional()?;
    row.ok_or_else(stored::not_found)?.try_into()
}

impl TryFrom<Row> for GqlIdea {
    type Error = ApiError;

    fn try_from(row: Row) -> Result<Self> {
        let tags = row.tag_ids.into_iter().zip(row.tag_names).zip(row.tag_creators).zip(row.tag_times);
        Ok(Self {
            id: row.id,
            author: IdeaAuthor {
                id: row.author_id,
                display_name: row.author_name,
                avatar_url: row.author_avatar_url,
            },
            category: IdeaCategory {
                id: row.category_id,
                name: row.category_name,
                label: row.category_label,
                color: row.category_color,
                sort_order: row.category_sort_order,
                created_at: row.category_created_at,
            },
            tags: tags
                .map(|(((id, name), created_by), created_at)| IdeaTag { id, name, created_by, created_at })
                .collect(),
            title: row.title,
            description: row.description,
            status: IdeaStatus::of(&row.status)?,
            vote_count_up: row.vote_count_up,
            vote_count_down: row.vote_count_down,
            comment_count: row.comment_count,
            my_vote: row.my_vote.as_deref().map(IdeaVoteType::of).transpose()?,
            created_at: row.created_at,
            updated_at: row.updated_at,
        })
    }
}
