//! Queries over `extension_testers`. Each carries the extension, whose ownership was checked before.

use api_core::{Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, insert_into,
    prelude::*,
    sql_query,
    sql_types::{Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::{AccountId, UserId},
    schema::{
        accounts,
        extension_testers::{self, dsl},
        plans, users,
    },
};
use uuid::Uuid;

use super::ExtensionTester;

/// Bound of the list; an extension has fewer testers.
const MAX_ROWS: i64 = 100;

/// Person, username, display name, picture, time of the invitation.
type Row = (Uuid, String, String, Option<String>, Timestamp);

pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
) -> Result<Vec<ExtensionTester>> {
    let rows: Vec<Row> = dsl::extension_testers
        .inner_join(users::table.on(users::id.eq(dsl::user_id)))
        .filter(dsl::extension_id.eq(extension))
        .order((dsl::created_at, dsl::user_id))
        .limit(MAX_ROWS)
        .select((users::id, users::username, users::display_name, users::avatar_url, dsl::created_at))
        .load(connection)
        .await?;
    Ok(rows.into_iter().map(tester).collect())
}

pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    user: UserId,
) -> Result<Option<ExtensionTester>> {
    let row: Option<Row> = dsl::extension_testers
        .inner_join(users::table.on(users::id.eq(dsl::user_id)))
        .filter(dsl::extension_id.eq(extension).and(dsl::user_id.eq(user)))
        .select((users::id, users::username, users::display_name, users::avatar_url, dsl::created_at))
        .first(connection)
        .await
        .optional()?;
    Ok(row.map(tester))
}

#[derive(QueryableByName)]
struct Named {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

/// Up to two people of a username.
pub(super) async fn named(connection: &mut AsyncPgConnection, username: &str) -> Result<Vec<Uuid>> {
    let rows: Vec<Named> =
        sql_query("SELECT id FROM users WHERE lower(username) = lower($1) ORDER BY id LIMIT 2")
            .bind::<Text, _>(username)
            .load(connection)
            .await?;
    Ok(rows.into_iter().map(|row| row.id).collect())
}

/// Slug of an account's plan.
pub(super) async fn plan_of(
    connection: &mut AsyncPgConnection,
    account: Option<AccountId>,
) -> Result<Option<String>> {
    let Some(account) = account else { return Ok(None) };
    Ok(accounts::table
        .inner_join(plans::table)
        .filter(accounts::id.eq(account))
        .select(plans::slug)
        .first(connection)
        .await
        .optional()?)
}

pub(super) async fn count(connection: &mut AsyncPgConnection, extension: Uuid) -> Result<i64> {
    Ok(dsl::extension_testers.filter(dsl::extension_id.eq(extension)).count().get_result(connection).await?)
}

/// Inserts a tester. Returns false when the person is a tester already.
pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    user: UserId,
    invited_by: UserId,
    now: DateTime<Utc>,
) -> Result<bool> {
    let inserted = insert_into(extension_testers::table)
        .values((
            dsl::extension_id.eq(extension),
            dsl::user_id.eq(user),
            dsl::invited_by.eq(invited_by),
            dsl::created_at.eq(now),
        ))
        .on_conflict_do_nothing()
        .execute(connection)
        .await?;
    Ok(inserted > 0)
}

/// Deletes a tester. Returns false when there is no such tester.
pub(super) async fn delete(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    user: UserId,
) -> Result<bool> {
    let tester = dsl::extension_testers.filter(dsl::extension_id.eq(extension).and(dsl::user_id.eq(user)));
    Ok(diesel::delete(tester).execute(connection).await? > 0)
}

fn tester((user_id, username, display_name, avatar_url, created_at): Row) -> ExtensionTester {
    ExtensionTester { user_id, username, display_name, avatar_url, created_at }
}
