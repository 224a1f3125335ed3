//! Queries over `idea_comments` and `idea_comment_votes`.

use api_core::{Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName,
    dsl::exists,
    insert_into,
    prelude::*,
    select, sql_query,
    sql_types::{BigInt, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid},
    upsert::excluded,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::{
    id::UserId,
    schema::{
        idea_comment_votes as votes,
        idea_comments::{self, dsl},
    },
};
use uuid::Uuid;

use super::{IdeaComment, IdeaCommentSort, MAX_LIMIT, MAX_LISTED_REPLIES, MAX_REPLIES};
use crate::{kinds::IdeaVoteType, people::IdeaAuthor};

#[derive(Insertable)]
#[diesel(table_name = idea_comments)]
pub(super) struct NewComment<'a> {
    /// Identifier.
    pub id: Uuid,
    /// Idea.
    pub idea_id: Uuid,
    /// Comment that this one replies to.
    pub parent_id: Option<Uuid>,
    /// Author.
    pub author_id: Uuid,
    /// Sanitised HTML.
    pub body: &'a str,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
    /// Time of the last change.
    pub updated_at: DateTime<Utc>,
}

/// Stored comment, for rules.
#[derive(Debug, Queryable)]
pub(super) struct Stored {
    /// Idea.
    pub idea: Uuid,
    /// Comment that this one replies to.
    pub parent: Option<Uuid>,
    /// Author.
    pub author: UserId,
    /// Sanitised HTML.
    pub body: String,
    /// Number of replies.
    pub reply_count: i32,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    idea_id: Uuid,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    parent_id: Option<Uuid>,
    #[diesel(sql_type = SqlUuid)]
    author_id: Uuid,
    #[diesel(sql_type = Text)]
    author_name: String,
    #[diesel(sql_type = Nullable<Text>)]
    author_avatar_url: Option<String>,
    #[diesel(sql_type = Text)]
    body: String,
    #[diesel(sql_type = Integer)]
    vote_count_up: i32,
    #[diesel(sql_type = Integer)]
    vote_count_down: i32,
    #[diesel(sql_type = Integer)]
    reply_count: i32,
    #[diesel(sql_type = Nullable<Text>)]
    my_vote: Option<String>,
    #[diesel(sql_type = Timestamptz)]
    created_at: Timestamp,
    #[diesel(sql_type = Timestamptz)]
    updated_at: Timestamp,
}

/// Statement over `selected`, rows of `idea_comments` in an order: each is followed by its replies. `$1` is
/// the person who reads, `$2` the largest number of replies to a comment. `share` is the number of first
/// replies of each comment with which all fit: what comments with fewer replies leave is shared by the rest.
/// The constant limit is for the planner. `OFFSET 0` keeps the authors apart from the rest, so that they are found
/// by their ids.
fn shown(selected: &str, order: &str) -> String {
    format!(
        "WITH page AS (
            SELECT selected.*, row_number() OVER (ORDER BY {order}) AS place FROM ({selected}) AS selected
            LIMIT {MAX_LIMIT}),
         share AS (
            SELECT least(max(({MAX_LISTED_REPLIES} - fewer) / comments), $2) AS replies FROM (
                SELECT sum(reply_count) OVER (ORDER BY reply_count, id) - reply_count AS fewer,
                    row_number() OVER (ORDER BY reply_count DESC, id DESC) AS comments FROM page) AS counts),
         comments AS (
            SELECT * FROM page
            UNION ALL
            SELECT replies.*, page.place FROM page CROSS JOIN LATERAL (
                SELECT * FROM idea_comments
                WHERE idea_comments.idea_id = page.idea_id AND idea_comments.parent_id = page.id
                ORDER BY created_at, id LIMIT (SELECT replies FROM share)) AS replies)
         SELECT comments.*, users.display_name AS author_name, users.avatar_url AS author_avatar_url,
            (SELECT vote_type FROM idea_comment_votes WHERE comment_id = comments.id AND user_id = $1) AS my_vote
         FROM comments CROSS JOIN LATERAL (
            SELECT display_name, avatar_url FROM users WHERE users.id = comments.author_id OFFSET 0) AS users
         ORDER BY place, comments.parent_id IS NOT NULL, comments.created_at, comments.id"
    )
}

impl IdeaCommentSort {
    /// Order of rows. Each has an index.
    const fn sql(self) -> &'static str {
        match self {
            Self::Oldest => "created_at, id",
            Self::Newest => "created_at DESC, id DESC",
            Self::Top => "score DESC, created_at DESC, id DESC",
        }
    }
}

/// Comments on an idea that reply to none, with their replies.
pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    idea: Uuid,
    sort: IdeaCommentSort,
    (limit, offset): (i64, i64),
    viewer: Option<UserId>,
) -> Result<Vec<IdeaComment>> {
    let order = sort.sql();
    let selected = format!(
        "SELECT * FROM idea_comments WHERE idea_id = $3 AND parent_id IS NULL ORDER BY {order} LIMIT $4 OFFSET $5"
    );
    let rows: Vec<Row> = sql_query(shown(&selected, order))
        .bind::<Nullable<SqlUuid>, _>(viewer)
        .bind::<BigInt, _>(MAX_REPLIES)
        .bind::<SqlUuid, _>(idea)
        .bind::<BigInt, _>(limit)
        .bind::<BigInt, _>(offset)
        .prepared()
        .load(connection)
        .await?;
    nested(rows)
}

/// Comment with its replies as a person reads it.
pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    viewer: Option<UserId>,
) -> Result<Option<IdeaComment>> {
    let rows: Vec<Row> = sql_query(shown("SELECT * FROM idea_comments WHERE id = $3", "id"))
        .bind::<Nullable<SqlUuid>, _>(viewer)
        .bind::<BigInt, _>(MAX_REPLIES)
        .bind::<SqlUuid, _>(id)
        .prepared()
        .load(connection)
        .await?;
    Ok(nested(rows)?.pop())
}

/// Comment for rules.
pub(super) async fn stored(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<Stored>> {
    let columns = (dsl::idea_id, dsl::parent_id, dsl::author_id, dsl::body, dsl::reply_count);
    Ok(dsl::idea_comments.find(id).select(columns).first(connection).await.optional()?)
}

/// Locks a comment until the transaction ends; false when there is none.
pub(super) async fn lock(connection: &mut AsyncPgConnection, id: Uuid) -> Result<bool> {
    let found = dsl::idea_comments.find(id).select(dsl::id).for_no_key_update();
    Ok(found.first::<Uuid>(connection).await.optional()?.is_some())
}

/// Inserts a comment.
pub(super) async fn insert(connection: &mut AsyncPgConnection, new: &NewComment<'_>) -> Result<()> {
    insert_into(dsl::idea_comments).values(new).execute(connection).await?;
    Ok(())
}

/// Changes the text of a comment.
pub(super) async fn update(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    body: &str,
    now: DateTime<Utc>,
) -> Result<()> {
    diesel::update(dsl::idea_comments.find(id))
        .set((dsl::body.eq(body), dsl::updated_at.eq(now)))
        .execute(connection)
        .await?;
    Ok(())
}

/// Deletes a comment with its replies; false when there is none.
pub(super) async fn delete(connection: &mut AsyncPgConnection, id: Uuid) -> Result<bool> {
    Ok(diesel::delete(dsl::idea_comments.find(id)).execute(connection).await? > 0)
}

/// True when somebody else than a person has replied to a comment on an idea.
pub(super) async fn has_foreign_reply(
    connection: &mut AsyncPgConnection,
    (idea, id): (Uuid, Uuid),
    person: UserId,
) -> Result<bool> {
    let replies = dsl::idea_id.eq(idea).and(dsl::parent_id.eq(id));
    let foreign = dsl::idea_comments.filter(replies.and(dsl::author_id.ne(person)));
    Ok(select(exists(foreign)).get_result(connection).await?)
}

/// Vote of a person on a comment.
pub(super) async fn vote_of(
    connection: &mut AsyncPgConnection,
    comment: Uuid,
    user: UserId,
) -> Result<Option<IdeaVoteType>> {
    let found = votes::table.find((comment, user)).select(votes::vote_type);
    let vote: Option<String> = found.first(connection).await.optional()?;
    vote.as_deref().map(IdeaVoteType::of).transpose()
}

/// Stores the vote of a person on a comment in place of another one.
pub(super) async fn put_vote(
    connection: &mut AsyncPgConnection,
    comment: Uuid,
    user: UserId,
    vote: IdeaVoteType,
    now: DateTime<Utc>,
) -> Result<()> {
    insert_into(votes::table)
        .values((
            votes::comment_id.eq(comment),
            votes::user_id.eq(user),
            votes::vote_type.eq(vote.as_str()),
            votes::created_at.eq(now),
        ))
        .on_conflict((votes::comment_id, votes::user_id))
        .do_update()
        .set(votes::vote_type.eq(excluded(votes::vote_type)))
        .execute(connection)
        .await?;
    Ok(())
}

/// Removes the vote of a person on a comment.
pub(super) async fn remove_vote(
    connection: &mut AsyncPgConnection,
    comment: Uuid,
    user: UserId,
) -> Result<()> {
    diesel::delete(votes::table.find((comment, user))).execute(connection).await?;
    Ok(())
}

/// Puts each reply into the comment that it follows.
fn nested(rows: Vec<Row>) -> Result<Vec<IdeaComment>> {
    let mut comments: Vec<IdeaComment> = Vec::new();
    for row in rows {
        let comment = IdeaComment {
            id: row.id,
            idea_id: row.idea_id,
            author: IdeaAuthor {
                id: row.author_id,
                display_name: row.author_name,
                avatar_url: row.author_avatar_url,
            },
            parent_id: row.parent_id,
            body: row.body,
            created_at: row.created_at,
            updated_at: row.updated_at,
            vote_count_up: row.vote_count_up,
            vote_count_down: row.vote_count_down,
            my_vote: row.my_vote.as_deref().map(IdeaVoteType::of).transpose()?,
            reply_count: row.reply_count,
            replies: Vec::new(),
        };
        match comments.last_mut().filter(|last| Some(last.id) == comment.parent_id) {
            Some(parent) => parent.replies.push(comment),
            None => comments.push(comment),
        }
    }
    Ok(comments)
}
