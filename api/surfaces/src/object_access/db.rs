//! Queries over `overlay_access` and `widget_access`. Each carries the account.

use account_model::accounts::MAX_MEMBERS;
use api_core::{Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName,
    prelude::*,
    sql_query,
    sql_types::{Array, BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::{self, AccountId, UserId},
    schema::memberships,
};
use uuid::Uuid;

use super::{ADMINISTRATOR, AccessCandidate, ObjectAccess, ObjectKind, ObjectRole, stored_role};

/// Access entry with the names of its person.
#[derive(Debug, Clone, QueryableByName)]
pub struct Entry {
    /// Identifier.
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    /// Overlay or widget.
    #[diesel(sql_type = SqlUuid)]
    pub object_id: Uuid,
    /// Member.
    #[diesel(sql_type = SqlUuid)]
    pub user_id: Uuid,
    /// Display name.
    #[diesel(sql_type = Text)]
    pub user_name: String,
    /// Address of the avatar.
    #[diesel(sql_type = Nullable<Text>)]
    pub user_avatar: Option<String>,
    /// Stored role.
    #[diesel(sql_type = Text)]
    pub role: String,
    /// Person who set the role.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub granted_by: Option<Uuid>,
    /// Time of creation.
    #[diesel(sql_type = Timestamptz)]
    pub created_at: Timestamp,
}

#[derive(QueryableByName)]
struct Access {
    #[diesel(sql_type = Nullable<Text>)]
    access: Option<String>,
}

#[derive(QueryableByName)]
struct Id {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

#[derive(QueryableByName)]
struct Person {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    display_name: String,
    #[diesel(sql_type = Nullable<Text>)]
    avatar_url: Option<String>,
}

/// Tables of a kind: objects, their entries, and the column of an entry that names its object.
const fn tables(kind: ObjectKind) -> (&'static str, &'static str, &'static str) {
    match kind {
        ObjectKind::Overlay => ("overlays", "overlay_access", "overlay_id"),
        ObjectKind::Widget => ("widgets", "widget_access", "widget_id"),
    }
}

/// Expression of the access of some people to the row `object`: entries count only for people whom they bind,
/// and only once the object has one. Each of the people must have an entry; the lowest one counts.
pub(super) fn access_sql(kind: ObjectKind, people: &str) -> String {
    let (_, entries, column) = tables(kind);
    format!(
        "(CASE WHEN cardinality({people}::uuid[]) = 0
            OR NOT EXISTS (SELECT FROM {entries} AS entry WHERE entry.{column} = object.id) THEN 'editor'
        ELSE (SELECT CASE WHEN count(*) < cardinality({people}::uuid[]) THEN NULL
                WHEN bool_and(entry.role = 'editor') THEN 'editor' ELSE 'viewer' END
            FROM {entries} AS entry
            WHERE entry.{column} = object.id AND entry.account_id = object.account_id
                AND entry.user_id = ANY({people}::uuid[])) END)"
    )
}

/// Access of the caller to an object. The outer `None`: the account has no such object.
pub(super) async fn access(
    connection: &mut AsyncPgConnection,
    access: &ObjectAccess,
    id: Uuid,
) -> Result<Option<Option<ObjectRole>>> {
    let (objects, ..) = tables(access.kind);
    let expression = access_sql(access.kind, "$3");
    let sql = format!(
        "SELECT {expression} AS access FROM {objects} AS object WHERE object.account_id = $1 AND object.id = $2"
    );
    let found: Option<Access> = sql_query(sql)
        .bind::<SqlUuid, _>(access.account.uuid())
        .bind::<SqlUuid, _>(id)
        .bind::<Array<SqlUuid>, _>(access.people().to_vec())
        .get_result(connection)
        .await
        .optional()?;
    found.map(|found| stored_role(found.access.as_deref())).transpose()
}

/// Locks an object until the transaction ends. `None`: the account has no such object.
pub(super) async fn lock(
    connection: &mut AsyncPgConnection,
    access: &ObjectAccess,
    id: Uuid,
) -> Result<Option<Uuid>> {
    let (objects, ..) = tables(access.kind);
    let found: Option<Id> =
        sql_query(format!("SELECT id FROM {objects} WHERE account_id = $1 AND id = $2 FOR UPDATE"))
            .bind::<SqlUuid, _>(access.account.uuid())
            .bind::<SqlUuid, _>(id)
            .get_result(connection)
            .await
            .optional()?;
    Ok(found.map(|found| found.id))
}

/// Columns of [`Entry`] from the rows of `source`.
fn with_names(column: &str, source: &str) -> String {
    format!(
        "SELECT entry.id, entry.{column} AS object_id, entry.user_id, person.display_name AS user_name,
            person.avatar_url AS user_avatar, entry.role, entry.granted_by, entry.created_at
        FROM {source} AS entry JOIN users AS person ON person.id = entry.user_id"
    )
}

/// Lists the entries of an object, oldest first: at most one of each member.
pub(super) async fn entries(
    connection: &mut AsyncPgConnection,
    access: &ObjectAccess,
    id: Uuid,
) -> Result<Vec<Entry>> {
    let (_, entries, column) = tables(access.kind);
    let selected = with_names(column, entries);
    let sql = format!(
        "{selected} WHERE entry.account_id = $1 AND entry.{column} = $2
        ORDER BY entry.created_at, entry.id LIMIT $3"
    );
    Ok(sql_query(sql)
        .bind::<SqlUuid, _>(access.account.uuid())
        .bind::<SqlUuid, _>(id)
        .bind::<BigInt, _>(MAX_MEMBERS)
        .load(connection)
        .await?)
}

/// Lists the members whom entries bind and who have none, by name.
pub(super) async fn candidates(
    connection: &mut AsyncPgConnection,
    access: &ObjectAccess,
    id: Uuid,
) -> Result<Vec<AccessCandidate>> {
    let (_, entries, column) = tables(access.kind);
    let sql = format!(
        "SELECT person.id, person.display_name, person.avatar_url FROM memberships AS member
        JOIN users AS person ON person.id = member.user_id
        JOIN account_roles AS role ON role.id = member.role_id
        JOIN accounts AS account ON account.id = member.account_id
        WHERE member.account_id = $1 AND member.user_id <> account.owner_id AND role.slug <> $4
            AND NOT EXISTS (SELECT FROM {entries} AS entry
                WHERE entry.account_id = $1 AND entry.{column} = $2 AND entry.user_id = member.user_id)
        ORDER BY lower(person.display_name), person.id LIMIT $3"
    );
    let people: Vec<Person> = sql_query(sql)
        .bind::<SqlUuid, _>(access.account.uuid())
        .bind::<SqlUuid, _>(id)
        .bind::<BigInt, _>(MAX_MEMBERS)
        .bind::<Text, _>(ADMINISTRATOR)
        .load(connection)
        .await?;
    let candidate =
        |Person { id, display_name, avatar_url }| AccessCandidate { id, display_name, avatar_url };
    Ok(people.into_iter().map(candidate).collect())
}

/// True when a person is a member of the account. The membership is kept until the transaction ends.
pub(super) async fn is_member(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    user: Uuid,
) -> Result<bool> {
    let membership: Option<Uuid> = memberships::table
        .filter(memberships::account_id.eq(account).and(memberships::user_id.eq(user)))
        .select(memberships::id)
        .for_key_share()
        .first(connection)
        .await
        .optional()?;
    Ok(membership.is_some())
}

/// Adds an entry or changes its role.
pub(super) async fn put(
    connection: &mut AsyncPgConnection,
    access: &ObjectAccess,
    id: Uuid,
    user: Uuid,
    role: ObjectRole,
    granted_by: Option<UserId>,
    now: DateTime<Utc>,
) -> Result<Entry> {
    let (_, entries, column) = tables(access.kind);
    let selected = with_names(column, "stored");
    let sql = format!(
        "WITH stored AS (
            INSERT INTO {entries} (id, account_id, {column}, user_id, role, granted_by, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT ({column}, user_id)
            DO UPDATE SET role = excluded.role, granted_by = excluded.granted_by
            RETURNING *
        ) {selected}"
    );
    Ok(sql_query(sql)
        .bind::<SqlUuid, _>(id::new())
        .bind::<SqlUuid, _>(access.account.uuid())
        .bind::<SqlUuid, _>(id)
        .bind::<SqlUuid, _>(user)
        .bind::<Text, _>(role.as_str())
        .bind::<Nullable<SqlUuid>, _>(granted_by.map(|user| user.0))
        .bind::<Timestamptz, _>(now)
        .get_result(connection)
        .await?)
}

/// Removes an entry. `None` when there is none.
pub(super) async fn remove(
    connection: &mut AsyncPgConnection,
    access: &ObjectAccess,
    id: Uuid,
    user: Uuid,
) -> Result<Option<Entry>> {
    let (_, entries, column) = tables(access.kind);
    let selected = with_names(column, "removed");
    let sql = format!(
        "WITH removed AS (
            DELETE FROM {entries} WHERE account_id = $1 AND {column} = $2 AND user_id = $3 RETURNING *
        ) {selected}"
    );
    Ok(sql_query(sql)
        .bind::<SqlUuid, _>(access.account.uuid())
        .bind::<SqlUuid, _>(id)
        .bind::<SqlUuid, _>(user)
        .get_result(connection)
        .await
        .optional()?)
}
