//! Queries over `admin_roles` and `admin_role_members`.

use api_core::{Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{Queryable, Selectable, insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use juniper::GraphQLObject;
use serde::Serialize;
use shared::{
    id::{self, UserId},
    schema::{
        admin_role_members::{self, dsl as assigned},
        admin_roles::{self, dsl},
        users,
    },
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    AdminRole,
    input::{AdminRoleChange, NewAdminRole},
};

/// Largest number of roles: as many as the list returns.
pub(super) const MAX_ROLES: i64 = 1000;
/// Largest number of members in a list.
const MAX_MEMBERS: i64 = 1000;

diesel::define_sql_function!(fn lower(text: diesel::sql_types::Text) -> diesel::sql_types::Text);

#[derive(Queryable, Selectable)]
#[diesel(table_name = admin_roles)]
struct Row {
    id: Uuid,
    name: String,
    description: Option<String>,
    is_system: bool,
    permissions: Vec<String>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// Person who holds a role of operator staff.
#[derive(Debug, Clone, Serialize, Queryable, GraphQLObject, ToSchema)]
pub struct AdminRoleMember {
    /// Identifier of the person.
    pub user_id: Uuid,
    /// Display name.
    pub display_name: String,
    /// E-mail address. Null: none.
    pub email: Option<String>,
    /// Address of the avatar. Null: none.
    pub avatar_url: Option<String>,
    /// Time of the assignment.
    pub assigned_at: Timestamp,
}

#[derive(AsChangeset)]
#[diesel(table_name = admin_roles)]
struct Changes<'a> {
    name: Option<&'a str>,
    description: Option<Option<&'a str>>,
    permissions: Option<Vec<String>>,
    updated_at: DateTime<Utc>,
}

/// Lists the seeded roles first, then by name.
pub(super) async fn list(connection: &mut AsyncPgConnection) -> Result<Vec<AdminRole>> {
    load(connection, None).await
}

pub(super) async fn find(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<AdminRole>> {
    Ok(load(connection, Some(id)).await?.pop())
}

async fn load(connection: &mut AsyncPgConnection, only: Option<Uuid>) -> Result<Vec<AdminRole>> {
    let members = admin_role_members::table.filter(assigned::role_id.eq(dsl::id)).count().single_value();
    let mut query = dsl::admin_roles
        .order((dsl::is_system.desc(), dsl::name.asc(), dsl::id.asc()))
        .limit(MAX_ROLES)
        .select((Row::as_select(), members))
        .into_boxed();
    if let Some(id) = only {
        query = query.filter(dsl::id.eq(id));
    }
    let rows: Vec<(Row, Option<i64>)> = query.load(connection).await?;
    Ok(rows.into_iter().map(|(row, members)| role(row, members.unwrap_or_default())).collect())
}

fn role(row: Row, members: i64) -> AdminRole {
    let mut permissions = row.permissions;
    permissions.sort_unstable();
    AdminRole {
        id: row.id,
        name: row.name,
        description: row.description,
        is_system: row.is_system,
        permissions,
        member_count: i32::try_from(members).unwrap_or(i32::MAX),
        created_at: row.created_at,
        updated_at: row.updated_at,
    }
}

pub(super) async fn count(connection: &mut AsyncPgConnection) -> Result<i64> {
    Ok(dsl::admin_roles.count().get_result(connection).await?)
}

/// Returns true when another role has the name, in upper or lower case.
pub(super) async fn is_name_taken(
    connection: &mut AsyncPgConnection,
    name: &str,
    except: Option<Uuid>,
) -> Result<bool> {
    let same =
        dsl::admin_roles.filter(lower(dsl::name).eq(lower(name)).and(dsl::id.ne(except.unwrap_or_default())));
    Ok(diesel::select(diesel::dsl::exists(same)).get_result(connection).await?)
}

/// Inserts a role and returns its identifier.
pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    new: &NewAdminRole,
    now: DateTime<Utc>,
) -> Result<Uuid> {
    let id = id::new();
    insert_into(dsl::admin_roles)
        .values((
            dsl::id.eq(id),
            dsl::name.eq(&new.name),
            dsl::description.eq(new.description.as_deref()),
            dsl::permissions.eq(new.permissions.to_strings()),
            dsl::created_at.eq(now),
            dsl::updated_at.eq(now),
        ))
        .execute(connection)
        .await?;
    Ok(id)
}

pub(super) async fn update(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    change: &AdminRoleChange,
    permissions: Option<Vec<String>>,
    now: DateTime<Utc>,
) -> Result<()> {
    let changes = Changes {
        name: change.name.as_deref(),
        description: change.description.as_ref().map(Option::as_deref),
        permissions,
        updated_at: now,
    };
    diesel::update(dsl::admin_roles.find(id)).set(changes).execute(connection).await?;
    Ok(())
}

pub(super) async fn delete(connection: &mut AsyncPgConnection, id: Uuid) -> Result<()> {
    diesel::delete(dsl::admin_roles.find(id)).execute(connection).await?;
    Ok(())
}

/// Lists the members of a role, the latest first.
pub(super) async fn members(connection: &mut AsyncPgConnection, role: Uuid) -> Result<Vec<AdminRoleMember>> {
    Ok(admin_role_members::table
        .inner_join(users::table)
        .filter(assigned::role_id.eq(role))
        .order((assigned::assigned_at.desc(), assigned::user_id.asc()))
        .limit(MAX_MEMBERS)
        .select((users::id, users::display_name, users::email, users::avatar_url, assigned::assigned_at))
        .load(connection)
        .await?)
}

/// Assigns a role. False when the person held it already.
pub(super) async fn assign(
    connection: &mut AsyncPgConnection,
    role: Uuid,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<bool> {
    let inserted = insert_into(admin_role_members::table)
        .values((assigned::role_id.eq(role), assigned::user_id.eq(user), assigned::assigned_at.eq(now)))
        .on_conflict_do_nothing()
        .execute(connection)
        .await?;
    Ok(inserted > 0)
}

/// Removes an assignment. False when the person did not hold the role.
pub(super) async fn unassign(connection: &mut AsyncPgConnection, role: Uuid, user: UserId) -> Result<bool> {
    let assignment = admin_role_members::table.find((role, user));
    Ok(diesel::delete(assignment).execute(connection).await? > 0)
}
