//! Queries over `user_notes`. Each carries the account.

use api_core::{Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{dsl::count_star, insert_into, prelude::*, sql_query, sql_types::Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::{AccountId, UserId},
    platform::Platform,
    schema::{
        user_notes::{self, dsl},
        users,
    },
};
use uuid::Uuid;

use super::{MAX_NOTES, UserNote, UserNoteAuthor};

/// Row of a new note.
#[derive(Insertable)]
#[diesel(table_name = user_notes)]
pub(super) struct NewNote<'a> {
    /// Id of the note.
    pub id: Uuid,
    /// Account of the note.
    pub account_id: AccountId,
    /// Slug of the platform.
    pub platform: &'a str,
    /// The platform's id of the user.
    pub platform_user_id: &'a str,
    /// Text of the note.
    pub body: &'a str,
    /// Author; null for keys and for popouts of another member.
    pub author_id: Option<UserId>,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
    /// Time of the last change.
    pub updated_at: DateTime<Utc>,
}

type Row = (Uuid, String, Timestamp, Timestamp, Option<(Uuid, String, Option<String>)>);

/// Notes about a user, newest first: ids are ordered by time.
pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    platform: Platform,
    user_id: &str,
) -> Result<Vec<UserNote>> {
    let about = dsl::platform.eq(platform.slug()).and(dsl::platform_user_id.eq(user_id));
    let rows: Vec<Row> = dsl::user_notes
        .left_join(users::table)
        .filter(dsl::account_id.eq(account).and(about))
        .order(dsl::id.desc())
        .limit(MAX_NOTES)
        .select((
            dsl::id,
            dsl::body,
            dsl::created_at,
            dsl::updated_at,
            (users::id, users::display_name, users::avatar_url).nullable(),
        ))
        .load(connection)
        .await?;
    Ok(rows.into_iter().map(note).collect())
}

pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<UserNote>> {
    let row: Option<Row> = dsl::user_notes
        .left_join(users::table)
        .filter(dsl::id.eq(id).and(dsl::account_id.eq(account)))
        .select((
            dsl::id,
            dsl::body,
            dsl::created_at,
            dsl::updated_at,
            (users::id, users::display_name, users::avatar_url).nullable(),
        ))
        .first(connection)
        .await
        .optional()?;
    Ok(row.map(note))
}

/// Holds back other notes about the user until the transaction ends, so that the count stays true until the
/// insert.
pub(super) async fn lock(connection: &mut AsyncPgConnection, note: &NewNote<'_>) -> Result<()> {
    let NewNote { account_id, platform, platform_user_id, .. } = note;
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind::<Text, _>(format!("user_notes:{account_id}:{platform}:{platform_user_id}"))
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn count(connection: &mut AsyncPgConnection, note: &NewNote<'_>) -> Result<i64> {
    let about = dsl::platform.eq(note.platform).and(dsl::platform_user_id.eq(note.platform_user_id));
    Ok(dsl::user_notes
        .filter(dsl::account_id.eq(note.account_id).and(about))
        .select(count_star())
        .first(connection)
        .await?)
}

pub(super) async fn insert(connection: &mut AsyncPgConnection, note: &NewNote<'_>) -> Result<()> {
    insert_into(dsl::user_notes).values(note).execute(connection).await?;
    Ok(())
}

/// Changes a note; `false` when there is none.
pub(super) async fn rewrite(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    body: &str,
    now: DateTime<Utc>,
) -> Result<bool> {
    let own = dsl::user_notes.filter(dsl::id.eq(id).and(dsl::account_id.eq(account)));
    let changed = diesel::update(own).set((dsl::body.eq(body), dsl::updated_at.eq(now)));
    Ok(changed.execute(connection).await? > 0)
}

/// Deletes a note; `false` when there is none.
pub(super) async fn delete(connection: &mut AsyncPgConnection, account: AccountId, id: Uuid) -> Result<bool> {
    let own = dsl::user_notes.filter(dsl::id.eq(id).and(dsl::account_id.eq(account)));
    Ok(diesel::delete(own).execute(connection).await? > 0)
}

fn note((id, body, created_at, updated_at, author): Row) -> UserNote {
    let author = author.map(|(id, display_name, avatar_url)| UserNoteAuthor { id, display_name, avatar_url });
    UserNote { id, body, author, created_at, updated_at }
}
