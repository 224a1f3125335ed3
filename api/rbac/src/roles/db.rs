//! Queries over `account_roles`. Each is limited to one account.

use api_core::{Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{
    Queryable, Selectable, insert_into,
    prelude::*,
    sql_query,
    sql_types::{self, Array, Text, Timestamptz},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::{self, AccountId},
    schema::{
        account_roles::{self, dsl},
        memberships,
    },
};
use uuid::Uuid;

use super::{
    AccountRole,
    input::{NewRole, RoleChange},
};
use crate::naming;

/// Upper bound of the list. An account has fewer roles.
const MAX_ROWS: i64 = 1000;

diesel::define_sql_function!(fn lower(text: Text) -> Text);

#[derive(Queryable, Selectable)]
#[diesel(table_name = account_roles)]
struct Row {
    id: Uuid,
    account_id: Uuid,
    slug: String,
    name: String,
    description: Option<String>,
    color: Option<String>,
    is_system: bool,
    permissions: Vec<String>,
    position: i32,
    created_at: Timestamp,
    updated_at: Timestamp,
}

#[derive(AsChangeset)]
#[diesel(table_name = account_roles)]
struct Changes<'a> {
    name: Option<&'a str>,
    description: Option<Option<&'a str>>,
    color: Option<Option<&'a str>>,
    permissions: Option<Vec<String>>,
    updated_at: DateTime<Utc>,
}

/// Lists the roles by position.
pub(super) async fn list(connection: &mut AsyncPgConnection, account: AccountId) -> Result<Vec<AccountRole>> {
    load(connection, account, None).await
}

pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<AccountRole>> {
    Ok(load(connection, account, Some(id)).await?.pop())
}

/// Returns a role and locks it until the transaction ends, so that the number of its members stays.
pub(super) async fn find_locked(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<AccountRole>> {
    let role = dsl::account_roles.filter(dsl::account_id.eq(account).and(dsl::id.eq(id)));
    let locked: Option<Uuid> = role.select(dsl::id).for_update().first(connection).await.optional()?;
    match locked {
        Some(id) => find(connection, account, id).await,
        None => Ok(None),
    }
}

async fn load(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    only: Option<Uuid>,
) -> Result<Vec<AccountRole>> {
    let members = memberships::table.filter(memberships::role_id.eq(dsl::id)).count().single_value();
    let mut query = dsl::account_roles
        .filter(dsl::account_id.eq(account))
        .order((dsl::position.asc(), dsl::id.asc()))
        .limit(MAX_ROWS)
        .select((Row::as_select(), members))
        .into_boxed();
    if let Some(id) = only {
        query = query.filter(dsl::id.eq(id));
    }
    let rows: Vec<(Row, Option<i64>)> = query.load(connection).await?;
    Ok(rows.into_iter().map(|(row, members)| role(row, members.unwrap_or_default())).collect())
}

fn role(row: Row, members: i64) -> AccountRole {
    let mut permissions = row.permissions;
    permissions.sort_unstable();
    AccountRole {
        id: row.id,
        account_id: row.account_id,
        slug: row.slug,
        name: row.name,
        description: row.description,
        color: row.color,
        is_system: row.is_system,
        permissions,
        member_count: i32::try_from(members).unwrap_or(i32::MAX),
        position: row.position,
        created_at: row.created_at,
        updated_at: row.updated_at,
    }
}

pub(super) async fn count(connection: &mut AsyncPgConnection, account: AccountId) -> Result<i64> {
    Ok(dsl::account_roles.filter(dsl::account_id.eq(account)).count().get_result(connection).await?)
}

/// Returns true when another role of the account has the name, in upper or lower case.
pub(super) async fn is_name_taken(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    name: &str,
    except: Option<Uuid>,
) -> Result<bool> {
    let same = dsl::account_roles
        .filter(dsl::account_id.eq(account).and(lower(dsl::name).eq(lower(name))))
        .filter(dsl::id.ne(except.unwrap_or_default()));
    Ok(diesel::select(diesel::dsl::exists(same)).get_result(connection).await?)
}

/// Inserts the role after the last one and returns its identifier.
pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    new: &NewRole,
    now: DateTime<Utc>,
) -> Result<Uuid> {
    let last: Option<i32> = dsl::account_roles
        .filter(dsl::account_id.eq(account))
        .select(diesel::dsl::max(dsl::position))
        .first(connection)
        .await?;
    let id = id::new();
    insert_into(dsl::account_roles)
        .values((
            dsl::id.eq(id),
            dsl::account_id.eq(account),
            dsl::slug.eq(free_slug(connection, account, &new.name).await?),
            dsl::name.eq(&new.name),
            dsl::description.eq(new.description.as_deref()),
            dsl::color.eq(new.color.as_deref()),
            dsl::position.eq(last.map_or(0, |last| last.saturating_add(1))),
            dsl::permissions.eq(new.permissions.to_strings()),
            dsl::created_at.eq(now),
            dsl::updated_at.eq(now),
        ))
        .execute(connection)
        .await?;
    Ok(id)
}

/// Makes the slug of a name, with a number when it is taken.
async fn free_slug(connection: &mut AsyncPgConnection, account: AccountId, name: &str) -> Result<String> {
    let taken: Vec<String> = dsl::account_roles
        .filter(dsl::account_id.eq(account))
        .select(dsl::slug)
        .limit(MAX_ROWS)
        .load(connection)
        .await?;
    let plain = Some(naming::slug_of(name)).filter(|slug| !slug.is_empty());
    let plain = plain.unwrap_or_else(|| "role".to_owned());
    let numbered = (2..=taken.len() + 2).map(|number| format!("{plain}-{number}"));
    let free = std::iter::once(plain.clone()).chain(numbered).find(|slug| !taken.contains(slug));
    Ok(free.unwrap_or(plain))
}

pub(super) async fn update(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    change: &RoleChange,
    now: DateTime<Utc>,
) -> Result<()> {
    let changes = Changes {
        name: change.name.as_deref(),
        description: change.description.as_ref().map(Option::as_deref),
        color: change.color.as_ref().map(Option::as_deref),
        permissions: change.permissions.as_ref().map(|permissions| permissions.to_strings()),
        updated_at: now,
    };
    let role = dsl::account_roles.filter(dsl::account_id.eq(account).and(dsl::id.eq(id)));
    diesel::update(role).set(changes).execute(connection).await?;
    Ok(())
}

pub(super) async fn delete(connection: &mut AsyncPgConnection, account: AccountId, id: Uuid) -> Result<()> {
    let role = dsl::account_roles.filter(dsl::account_id.eq(account).and(dsl::id.eq(id)));
    diesel::delete(role).execute(connection).await?;
    Ok(())
}

/// Lists the identifiers by position.
pub(super) async fn order(connection: &mut AsyncPgConnection, account: AccountId) -> Result<Vec<Uuid>> {
    Ok(dsl::account_roles
        .filter(dsl::account_id.eq(account))
        .order((dsl::position.asc(), dsl::id.asc()))
        .limit(MAX_ROWS)
        .select(dsl::id)
        .load(connection)
        .await?)
}

/// Numbers the roles from 0 in the order of the identifiers.
pub(super) async fn renumber(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    order: &[Uuid],
    now: DateTime<Utc>,
) -> Result<()> {
    sql_query(
        "UPDATE account_roles SET position = wanted.place - 1, updated_at = $3
         FROM unnest($2) WITH ORDINALITY AS wanted (id, place)
         WHERE account_roles.id = wanted.id AND account_roles.account_id = $1
             AND account_roles.position <> wanted.place - 1",
    )
    .bind::<sql_types::Uuid, _>(account)
    .bind::<Array<sql_types::Uuid>, _>(order)
    .bind::<Timestamptz, _>(now)
    .execute(connection)
    .await?;
    Ok(())
}
