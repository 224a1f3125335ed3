//! Queries over `developer_teams`. Each carries the team, in which the caller's membership was checked, or the
//! person.

use api_core::{ApiError, Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName,
    dsl::{exists, not},
    prelude::*,
    sql_query,
    sql_types::{Array, BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use extension_model::limits::{self, LimitKey};
use shared::{
    id::{AccountId, UserId},
    schema::{
        developer_payouts, developer_profiles, developer_team_members, developer_teams, extension_installs,
        extensions, uploads, users,
    },
    uploads::DEVELOPER_DOCUMENT,
};
use uuid::Uuid;

use super::{DeveloperTeam, MAX_TEAMS, input::Changes};
use crate::fields::TeamRoleName;

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    slug: String,
    #[diesel(sql_type = Nullable<Text>)]
    description: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    github_url: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    website_url: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    avatar_key: Option<String>,
    #[diesel(sql_type = SqlUuid)]
    owner_id: Uuid,
    #[diesel(sql_type = BigInt)]
    member_count: i64,
    #[diesel(sql_type = SqlUuid)]
    role_id: Uuid,
    #[diesel(sql_type = Text)]
    role_slug: String,
    #[diesel(sql_type = Text)]
    role_name: String,
    #[diesel(sql_type = Array<Text>)]
    permissions: Vec<String>,
    #[diesel(sql_type = Timestamptz)]
    created_at: Timestamp,
}

/// Teams of a person, the first joined one first.
pub(super) async fn list(connection: &mut AsyncPgConnection, user: UserId) -> Result<Vec<DeveloperTeam>> {
    rows(connection, user, None).await
}

/// A team of a person.
pub(crate) async fn find(
    connection: &mut AsyncPgConnection,
    user: UserId,
    team: Uuid,
) -> Result<Option<DeveloperTeam>> {
    Ok(rows(connection, user, Some(team)).await?.into_iter().next())
}

async fn rows(
    connection: &mut AsyncPgConnection,
    user: UserId,
    team: Option<Uuid>,
) -> Result<Vec<DeveloperTeam>> {
    let rows: Vec<Row> = sql_query(
        "SELECT teams.id, teams.name, teams.slug, teams.description, teams.github_url, teams.website_url,
                teams.avatar_key, teams.owner_id, roles.id AS role_id, roles.slug AS role_slug,
                roles.name AS role_name, roles.permissions, teams.created_at,
                (SELECT count(*) FROM developer_team_members AS others WHERE others.team_id = teams.id) AS member_count
         FROM developer_team_members AS members
         JOIN developer_teams AS teams ON teams.id = members.team_id
         JOIN developer_team_roles AS roles ON roles.id = members.role_id
         WHERE members.user_id = $1 AND ($2::uuid IS NULL OR members.team_id = $2)
         ORDER BY members.joined_at, members.id LIMIT $3",
    )
    .bind::<SqlUuid, _>(user)
    .bind::<Nullable<SqlUuid>, _>(team)
    .bind::<BigInt, _>(MAX_TEAMS)
    .load(connection)
    .await?;
    Ok(rows.into_iter().map(team_of).collect())
}

fn team_of(row: Row) -> DeveloperTeam {
    let mut my_permissions = row.permissions;
    my_permissions.sort_unstable();
    DeveloperTeam {
        id: row.id,
        name: row.name,
        slug: row.slug,
        description: row.description,
        github_url: row.github_url,
        website_url: row.website_url,
        avatar_key: row.avatar_key,
        owner_id: row.owner_id,
        member_count: i32::try_from(row.member_count).unwrap_or(i32::MAX),
        my_role: TeamRoleName { id: row.role_id, slug: row.role_slug, name: row.role_name },
        my_permissions,
        created_at: row.created_at,
    }
}

/// Number of teams of a person. Locks the person until the transaction ends.
pub(super) async fn count_locked(connection: &mut AsyncPgConnection, user: UserId) -> Result<i64> {
    users::table.find(user).select(users::id).for_no_key_update().first::<UserId>(connection).await?;
    Ok(developer_team_members::table
        .filter(developer_team_members::user_id.eq(user))
        .count()
        .get_result(connection)
        .await?)
}

/// Checks that a picture is an image of the caller's account.
///
/// # Errors
/// 404 when the account has no such image.
pub(super) async fn check_image(
    connection: &mut AsyncPgConnection,
    account: Option<AccountId>,
    upload: Uuid,
) -> Result<()> {
    let not_found = || ApiError::not_found("Upload not found");
    let account = account.ok_or_else(not_found)?;
    let found: Option<Uuid> = uploads::table
        .filter(uploads::id.eq(upload).and(uploads::account_id.eq(account)))
        .filter(uploads::purpose.ne(DEVELOPER_DOCUMENT).and(uploads::content_type.like("image/%")))
        .select(uploads::id)
        .for_key_share()
        .first(connection)
        .await
        .optional()?;
    found.map(drop).ok_or_else(not_found)
}

pub(super) async fn update(connection: &mut AsyncPgConnection, team: Uuid, changes: Changes) -> Result<()> {
    diesel::update(developer_teams::table.find(team)).set(changes).execute(connection).await?;
    Ok(())
}

/// True when an account has installed an extension of the team.
pub(super) async fn has_installs(connection: &mut AsyncPgConnection, team: Uuid) -> Result<bool> {
    let installs = extension_installs::table
        .inner_join(extensions::table.on(extensions::id.eq(extension_installs::extension_id)))
        .filter(extensions::owner_team_id.eq(team));
    Ok(diesel::select(exists(installs)).get_result(connection).await?)
}

/// True when a payout of the team's balance is pending or processing.
pub(super) async fn has_open_payout(connection: &mut AsyncPgConnection, team: Uuid) -> Result<bool> {
    let open = developer_payouts::table
        .filter(developer_payouts::team_id.eq(team))
        .filter(developer_payouts::status.eq_any(["pending", "processing"]));
    Ok(diesel::select(exists(open)).get_result(connection).await?)
}

/// Moves the extensions of a team to the developer profile of a person. Returns their number; without a
/// profile they stay.
pub(super) async fn release_extensions(
    connection: &mut AsyncPgConnection,
    team: Uuid,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<usize> {
    let profile: Option<Uuid> = developer_profiles::table
        .filter(developer_profiles::user_id.eq(user))
        .select(developer_profiles::id)
        .first(connection)
        .await
        .optional()?;
    let Some(profile) = profile else { return Ok(0) };
    Ok(diesel::update(extensions::table.filter(extensions::owner_team_id.eq(team)))
        .set((
            extensions::owner_developer_id.eq(profile),
            extensions::owner_team_id.eq(None::<Uuid>),
            extensions::updated_at.eq(now),
        ))
        .execute(connection)
        .await?)
}

/// Deletes a team that owns no extensions. Returns false when it owns some.
pub(super) async fn delete(connection: &mut AsyncPgConnection, team: Uuid) -> Result<bool> {
    let owned = extensions::table.filter(extensions::owner_team_id.eq(team));
    let empty = developer_teams::table.filter(developer_teams::id.eq(team)).filter(not(exists(owned)));
    Ok(diesel::delete(empty).execute(connection).await? > 0)
}

/// True when the owner may take the extensions of the team. Locks the extensions and then the profile, as a transfer
/// does.
pub(super) async fn owner_has_room(
    connection: &mut AsyncPgConnection,
    team: Uuid,
    user: UserId,
) -> Result<bool> {
    let moving: Vec<Uuid> = extensions::table
        .filter(extensions::owner_team_id.eq(team))
        .order(extensions::id)
        .select(extensions::id)
        .for_update()
        .load(connection)
        .await?;
    let profile: Option<Uuid> = developer_profiles::table
        .filter(developer_profiles::user_id.eq(user))
        .select(developer_profiles::id)
        .for_update()
        .first(connection)
        .await
        .optional()?;
    // Without a profile the deletion itself is refused.
    let Some(profile) = profile.filter(|_| !moving.is_empty()) else { return Ok(true) };
    let owned: i64 = extensions::table
        .filter(extensions::owner_developer_id.eq(profile))
        .count()
        .get_result(connection)
        .await?;
    let max = limits::of_developer(connection, profile, LimitKey::MaxExtensions).await?;
    Ok(owned + i64::try_from(moving.len()).unwrap_or(i64::MAX) <= max)
}
