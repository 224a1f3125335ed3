//! Queries over `user_roles` and `user_role_assignments`.

use api_core::{Result, Timestamp, access::UserScopes};
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use juniper::GraphQLObject;
use serde::Serialize;
use shared::{
    catalogue::PermissionSet,
    id::{self, UserId},
    schema::{
        user_role_assignments::{self, dsl as assigned},
        user_roles::{self, dsl},
        users,
    },
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    UserRole,
    input::{CheckedChange, NewUserRole},
};

/// Largest number of roles: as many as the list returns.
pub(super) const MAX_ROLES: i64 = 1000;
/// Largest number of members in a list.
const MAX_MEMBERS: i64 = 1000;

/// Assignment of a role to a person.
#[derive(Debug, Clone, PartialEq, Serialize, Queryable, Selectable, GraphQLObject, ToSchema)]
#[diesel(table_name = user_role_assignments)]
pub struct UserRoleAssignment {
    /// Identifier of the person.
    pub user_id: Uuid,
    /// Identifier of the role.
    pub role_id: Uuid,
    /// Person who assigned it. Null when that person was deleted.
    pub assigned_by: Option<Uuid>,
    /// Time of the assignment.
    pub created_at: Timestamp,
}

/// Person who holds a role.
#[derive(Debug, Clone, Serialize, Queryable, GraphQLObject, ToSchema)]
pub struct UserRoleMember {
    /// Identifier of the person.
    pub user_id: Uuid,
    /// Display name.
    pub display_name: String,
    /// E-mail address. Null: none.
    pub email: Option<String>,
    /// Address of the avatar. Null: none.
    pub avatar_url: Option<String>,
    /// Person who assigned the role. Null when that person was deleted.
    pub assigned_by: Option<Uuid>,
    /// Time of the assignment.
    pub assigned_at: Timestamp,
}

#[derive(AsChangeset)]
#[diesel(table_name = user_roles)]
struct Changes<'a> {
    slug: Option<&'a str>,
    name: Option<&'a str>,
    description: Option<Option<&'a str>>,
    permissions: Option<Vec<String>>,
    is_default: Option<bool>,
}

/// Lists the seeded roles first, then by name.
pub(super) async fn list(connection: &mut AsyncPgConnection) -> Result<Vec<UserRole>> {
    let roles: Vec<UserRole> = dsl::user_roles
        .order((dsl::is_system.desc(), dsl::name.asc(), dsl::id.asc()))
        .limit(MAX_ROLES)
        .select(UserRole::as_select())
        .load(connection)
        .await?;
    Ok(roles.into_iter().map(sorted).collect())
}

pub(super) async fn find(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<UserRole>> {
    let role = dsl::user_roles.find(id).select(UserRole::as_select()).first(connection).await.optional()?;
    Ok(role.map(sorted))
}

fn sorted(mut role: UserRole) -> UserRole {
    role.permissions.sort_unstable();
    role
}

/// Returns the permissions of the default role.
pub(super) async fn default_permissions(connection: &mut AsyncPgConnection) -> Result<UserScopes> {
    let default = dsl::user_roles.filter(dsl::is_default).select(dsl::permissions);
    let texts: Option<Vec<String>> = default.first(connection).await.optional()?;
    Ok(PermissionSet::from_strings(texts.unwrap_or_default()))
}

pub(super) async fn count(connection: &mut AsyncPgConnection) -> Result<i64> {
    Ok(dsl::user_roles.count().get_result(connection).await?)
}

pub(super) async fn is_slug_taken(
    connection: &mut AsyncPgConnection,
    slug: &str,
    except: Option<Uuid>,
) -> Result<bool> {
    let same = dsl::user_roles.filter(dsl::slug.eq(slug).and(dsl::id.ne(except.unwrap_or_default())));
    Ok(diesel::select(diesel::dsl::exists(same)).get_result(connection).await?)
}

pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    new: &NewUserRole,
    now: DateTime<Utc>,
) -> Result<UserRole> {
    Ok(insert_into(dsl::user_roles)
        .values((
            dsl::id.eq(id::new()),
            dsl::slug.eq(&new.slug),
            dsl::name.eq(&new.name),
            dsl::description.eq(new.description.as_deref()),
            dsl::permissions.eq(new.permissions.to_strings()),
            dsl::created_at.eq(now),
        ))
        .returning(UserRole::as_returning())
        .get_result(connection)
        .await?)
}

pub(super) async fn clear_default(connection: &mut AsyncPgConnection) -> Result<()> {
    let default = dsl::user_roles.filter(dsl::is_default);
    diesel::update(default).set(dsl::is_default.eq(false)).execute(connection).await?;
    Ok(())
}

pub(super) async fn update(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    change: &CheckedChange,
) -> Result<UserRole> {
    let changes = Changes {
        slug: change.slug.as_deref(),
        name: change.name.as_deref(),
        description: change.description.as_ref().map(Option::as_deref),
        permissions: change.permissions.as_ref().map(|permissions| permissions.to_strings()),
        is_default: change.is_default,
    };
    // The id is set to itself, because a statement without any change is invalid.
    let role = diesel::update(dsl::user_roles.find(id))
        .set((changes, dsl::id.eq(id)))
        .returning(UserRole::as_returning())
        .get_result(connection)
        .await?;
    Ok(sorted(role))
}

pub(super) async fn delete(connection: &mut AsyncPgConnection, id: Uuid) -> Result<()> {
    diesel::delete(dsl::user_roles.find(id)).execute(connection).await?;
    Ok(())
}

/// Lists the members of a role, the latest first.
pub(super) async fn members(connection: &mut AsyncPgConnection, role: Uuid) -> Result<Vec<UserRoleMember>> {
    Ok(assigned::user_role_assignments
        .inner_join(users::table.on(users::id.eq(assigned::user_id)))
        .filter(assigned::role_id.eq(role))
        .order((assigned::created_at.desc(), assigned::user_id.asc()))
        .limit(MAX_MEMBERS)
        .select((
            users::id,
            users::display_name,
            users::email,
            users::avatar_url,
            assigned::assigned_by,
            assigned::created_at,
        ))
        .load(connection)
        .await?)
}

/// Lists the roles that a person has been assigned, the oldest assignment first.
pub(super) async fn assignments(
    connection: &mut AsyncPgConnection,
    user: UserId,
) -> Result<Vec<UserRoleAssignment>> {
    Ok(assigned::user_role_assignments
        .filter(assigned::user_id.eq(user))
        .order((assigned::created_at.asc(), assigned::role_id.asc()))
        .limit(MAX_ROLES)
        .select(UserRoleAssignment::as_select())
        .load(connection)
        .await?)
}

/// Inserts an assignment and returns it; `None` when there was one already.
pub(super) async fn assign(
    connection: &mut AsyncPgConnection,
    user: UserId,
    role: Uuid,
    by: UserId,
    now: DateTime<Utc>,
) -> Result<Option<UserRoleAssignment>> {
    Ok(insert_into(user_role_assignments::table)
        .values((
            assigned::user_id.eq(user),
            assigned::role_id.eq(role),
            assigned::assigned_by.eq(by),
            assigned::created_at.eq(now),
        ))
        .on_conflict_do_nothing()
        .returning(UserRoleAssignment::as_returning())
        .get_result(connection)
        .await
        .optional()?)
}

pub(super) async fn assignment(
    connection: &mut AsyncPgConnection,
    user: UserId,
    role: Uuid,
) -> Result<Option<UserRoleAssignment>> {
    Ok(assigned::user_role_assignments
        .find((user, role))
        .select(UserRoleAssignment::as_select())
        .first(connection)
        .await
        .optional()?)
}

pub(super) async fn unassign(connection: &mut AsyncPgConnection, user: UserId, role: Uuid) -> Result<()> {
    diesel::delete(assigned::user_role_assignments.find((user, role))).execute(connection).await?;
    Ok(())
}
