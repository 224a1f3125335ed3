//! Queries over `developer_team_members`. Each carries the team.

use api_core::{Result, Timestamp};
use diesel::{
    prelude::*,
    sql_query,
    sql_types::{Nullable, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::UserId,
    schema::{
        developer_team_members::{self, dsl},
        developer_team_roles, users,
    },
};
use uuid::Uuid;

use super::DeveloperTeamMember;
use crate::fields::TeamRoleName;

/// Bound of the list; the limit of a team's members can be raised to this (reference/teams.md#limits).
const MAX_MEMBERS: i64 = 1000;

/// Membership, person, display name, picture, role, time of joining.
type Row = (Uuid, Uuid, String, Option<String>, (Uuid, String, String), Timestamp);

/// Members of a team, or the one of an id.
pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    team: Uuid,
    member: Option<Uuid>,
) -> Result<Vec<DeveloperTeamMember>> {
    let mut query = dsl::developer_team_members
        .inner_join(users::table)
        .inner_join(developer_team_roles::table.on(developer_team_roles::id.eq(dsl::role_id)))
        .filter(dsl::team_id.eq(team))
        .select((
            dsl::id,
            users::id,
            users::display_name,
            users::avatar_url,
            (developer_team_roles::id, developer_team_roles::slug, developer_team_roles::name),
            dsl::joined_at,
        ))
        .into_boxed();
    if let Some(member) = member {
        query = query.filter(dsl::id.eq(member));
    }
    let rows: Vec<Row> = query.order((dsl::joined_at, dsl::id)).limit(MAX_MEMBERS).load(connection).await?;
    Ok(rows.into_iter().map(member_of).collect())
}

pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    team: Uuid,
    member: Uuid,
) -> Result<Option<DeveloperTeamMember>> {
    Ok(list(connection, team, Some(member)).await?.into_iter().next())
}

/// Person of a membership.
pub(super) async fn person(
    connection: &mut AsyncPgConnection,
    team: Uuid,
    member: Uuid,
) -> Result<Option<UserId>> {
    Ok(of(team, member).select(dsl::user_id).first(connection).await.optional()?)
}

/// Number of members of a team.
pub(crate) async fn count(connection: &mut AsyncPgConnection, team: Uuid) -> Result<i64> {
    Ok(dsl::developer_team_members.filter(dsl::team_id.eq(team)).count().get_result(connection).await?)
}

pub(super) async fn set_role(
    connection: &mut AsyncPgConnection,
    team: Uuid,
    member: Uuid,
    role: Uuid,
) -> Result<()> {
    diesel::update(of(team, member)).set(dsl::role_id.eq(role)).execute(connection).await?;
    Ok(())
}

/// Makes stored answers to the members of a team, or to one, not repeatable: after the end of a membership none may show what
/// belongs to the team (reference/conventions.md#idempotency). The keys stay known, so that nothing is executed twice.
pub(crate) async fn withhold_answers(
    connection: &mut AsyncPgConnection,
    team: Uuid,
    member: Option<Uuid>,
) -> Result<()> {
    sql_query(
        "UPDATE idempotent_requests SET answer = NULL, sealed_answer = NULL
         WHERE (answer IS NOT NULL OR sealed_answer IS NOT NULL) AND user_id IN
             (SELECT user_id FROM developer_team_members WHERE team_id = $1 AND ($2 IS NULL OR id = $2))",
    )
    .bind::<SqlUuid, _>(team)
    .bind::<Nullable<SqlUuid>, _>(member)
    .execute(connection)
    .await?;
    Ok(())
}

pub(super) async fn remove(connection: &mut AsyncPgConnection, team: Uuid, member: Uuid) -> Result<()> {
    diesel::delete(of(team, member)).execute(connection).await?;
    Ok(())
}

#[diesel::dsl::auto_type(no_type_alias)]
fn of(team: Uuid, member: Uuid) -> _ {
    developer_team_members::table.filter(dsl::id.eq(member).and(dsl::team_id.eq(team)))
}

fn member_of((id, user_id, display_name, avatar_url, role, joined_at): Row) -> DeveloperTeamMember {
    let (role_id, slug, name) = role;
    let role = TeamRoleName { id: role_id, slug, name };
    DeveloperTeamMember { id, user_id, display_name, avatar_url, role, joined_at }
}
