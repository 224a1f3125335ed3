//! Query over the people of an idea.

use api_core::Result;
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use uuid::Uuid;

use super::{MAX_PEOPLE, MAX_RECENT};
use crate::people::IdeaAuthor;

/// `OFFSET 0` keeps the people apart from the rest, so that they are found by their ids.
const PEOPLE: &str = "WITH people AS (
        SELECT author_id AS user_id, true AS is_author FROM ideas WHERE id = $1
        UNION ALL
        SELECT user_id, false FROM (
            (SELECT user_id FROM idea_votes WHERE idea_id = $1 ORDER BY created_at DESC, user_id DESC LIMIT $4)
            UNION
            (SELECT author_id FROM idea_comments WHERE idea_id = $1 ORDER BY created_at DESC, id DESC LIMIT $4)) AS others
        WHERE user_id <> (SELECT author_id FROM ideas WHERE id = $1))
    SELECT person.id, person.display_name, person.avatar_url FROM people CROSS JOIN LATERAL (
        SELECT id, display_name, username, avatar_url FROM users WHERE users.id = people.user_id OFFSET 0) AS person
    WHERE starts_with(lower(person.display_name), lower($2)) OR starts_with(lower(person.username), lower($2))
    ORDER BY people.is_author DESC, lower(person.display_name), person.id LIMIT $3";

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    display_name: String,
    #[diesel(sql_type = Nullable<Text>)]
    avatar_url: Option<String>,
}

/// People of an idea whose name begins with a text.
pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    idea: Uuid,
    search: &str,
) -> Result<Vec<IdeaAuthor>> {
    let rows: Vec<Row> = sql_query(PEOPLE)
        .bind::<SqlUuid, _>(idea)
        .bind::<Text, _>(search)
        .bind::<BigInt, _>(MAX_PEOPLE)
        .bind::<BigInt, _>(MAX_RECENT)
        .prepared()
        .load(connection)
        .await?;
    let person = |Row { id, display_name, avatar_url }: Row| IdeaAuthor { id, display_name, avatar_url };
    Ok(rows.into_iter().map(person).collect())
}
