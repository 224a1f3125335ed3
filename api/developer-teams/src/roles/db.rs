//! Queries over `developer_team_roles`. Each carries the team.

use api_core::{Result, Timestamp, access::TeamScopes, graphql::int};
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName,
    prelude::*,
    sql_query,
    sql_types::{Array, BigInt, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::schema::developer_team_roles::{self, dsl};
use uuid::Uuid;

use super::{DeveloperTeamRole, MAX_ROLES, RoleFields};

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    slug: String,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Nullable<Text>)]
    description: Option<String>,
    #[diesel(sql_type = Array<Text>)]
    permissions: Vec<String>,
    #[diesel(sql_type = Bool)]
    is_system: bool,
    #[diesel(sql_type = BigInt)]
    member_count: i64,
    #[diesel(sql_type = Timestamptz)]
    created_at: Timestamp,
    #[diesel(sql_type = Timestamptz)]
    updated_at: Timestamp,
}

/// Changed columns.
#[derive(AsChangeset)]
#[diesel(table_name = developer_team_roles)]
struct Changes {
    name: Option<String>,
    description: Option<Option<String>>,
    permissions: Option<Vec<String>>,
    updated_at: DateTime<Utc>,
}

/// Roles of a team, or the one of an id.
pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    team: Uuid,
    role: Option<Uuid>,
) -> Result<Vec<DeveloperTeamRole>> {
    let rows: Vec<Row> = sql_query(
        "SELECT roles.id, slug, name, description, permissions, is_system, created_at, updated_at,
                (SELECT count(*) FROM developer_team_members AS members
                 WHERE members.team_id = roles.team_id AND members.role_id = roles.id) AS member_count
         FROM developer_team_roles AS roles
         WHERE roles.team_id = $1 AND ($2::uuid IS NULL OR roles.id = $2)
         ORDER BY created_at, roles.id LIMIT $3",
    )
    .bind::<SqlUuid, _>(team)
    .bind::<Nullable<SqlUuid>, _>(role)
    .bind::<BigInt, _>(MAX_ROLES)
    .load(connection)
    .await?;
    Ok(rows.into_iter().map(role_of).collect())
}

pub(crate) async fn find(
    connection: &mut AsyncPgConnection,
    team: Uuid,
    role: Uuid,
) -> Result<Option<DeveloperTeamRole>> {
    Ok(list(connection, team, Some(role)).await?.into_iter().next())
}

pub(super) async fn count(connection: &mut AsyncPgConnection, team: Uuid) -> Result<i64> {
    Ok(dsl::developer_team_roles.filter(dsl::team_id.eq(team)).count().get_result(connection).await?)
}

#[derive(QueryableByName)]
struct Taken {
    #[diesel(sql_type = Bool)]
    taken: bool,
}

/// True when another role of the team has the name, in any case.
pub(super) async fn is_name_taken(
    connection: &mut AsyncPgConnection,
    team: Uuid,
    name: &str,
    except: Option<Uuid>,
) -> Result<bool> {
    let found: Taken = sql_query(
        "SELECT EXISTS (SELECT FROM developer_team_roles
                        WHERE team_id = $1 AND lower(name) = lower($2) AND id IS DISTINCT FROM $3) AS taken",
    )
    .bind::<SqlUuid, _>(team)
    .bind::<Text, _>(name)
    .bind::<Nullable<SqlUuid>, _>(except)
    .get_result(connection)
    .await?;
    Ok(found.taken)
}

pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    team: Uuid,
    (name, description): (&str, Option<String>),
    permissions: &TeamScopes,
    now: DateTime<Utc>,
) -> Result<Uuid> {
    let id = shared::id::new();
    diesel::insert_into(developer_team_roles::table)
        .values((
            dsl::id.eq(id),
            dsl::team_id.eq(team),
            // Two names may give one slug, so that the id is part of it.
            dsl::slug.eq(format!("{}-{}", slug_of(name), &id.simple().to_string()[20..])),
            dsl::name.eq(name),
            dsl::description.eq(description),
            dsl::permissions.eq(permissions.to_strings()),
            dsl::created_at.eq(now),
            dsl::updated_at.eq(now),
        ))
        .execute(connection)
        .await?;
    Ok(id)
}

pub(super) async fn update(
    connection: &mut AsyncPgConnection,
    team: Uuid,
    role: Uuid,
    change: RoleFields,
    now: DateTime<Utc>,
) -> Result<()> {
    let changes = Changes {
        name: change.name,
        description: change.description,
        permissions: change.permissions.map(|permissions| permissions.to_strings()),
        updated_at: now,
    };
    diesel::update(of(team, role)).set(changes).execute(connection).await?;
    Ok(())
}

pub(super) async fn delete(connection: &mut AsyncPgConnection, team: Uuid, role: Uuid) -> Result<()> {
    diesel::delete(of(team, role)).execute(connection).await?;
    Ok(())
}

#[diesel::dsl::auto_type(no_type_alias)]
fn of(team: Uuid, role: Uuid) -> _ {
    developer_team_roles::table.filter(dsl::id.eq(role).and(dsl::team_id.eq(team)))
}

/// Letters and digits of a name in lower case, with one hyphen for each run of other characters.
fn slug_of(name: &str) -> String {
    let mut slug = String::from("role-");
    for character in name.chars().flat_map(char::to_lowercase) {
        if character.is_ascii_alphanumeric() {
            slug.push(character);
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

fn role_of(row: Row) -> DeveloperTeamRole {
    let mut permissions = row.permissions;
    permissions.sort_unstable();
    DeveloperTeamRole {
        id: row.id,
        slug: row.slug,
        name: row.name,
        description: row.description,
        permissions,
        is_system: row.is_system,
        member_count: int(row.member_count),
        created_at: row.created_at,
        updated_at: row.updated_at,
    }
}
