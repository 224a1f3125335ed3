//! Queries over `developer_team_invites`. Each except that by code carries the team.

use api_core::{Cx, Result, Timestamp, access::TeamScopes};
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    catalogue::PermissionSet,
    id::UserId,
    schema::{
        developer_team_invites::{self, dsl},
        developer_team_members, developer_team_roles, developer_teams,
    },
};
use uuid::Uuid;

use super::{DeveloperTeamInvite, InvitingTeam};
use crate::fields::TeamRoleName;

/// Maximum number of invites of a team (reference/teams.md#limits).
const MAX_INVITES: i64 = 100;

/// A stored invite with its role.
#[derive(Debug, Clone, Queryable)]
pub(super) struct Row {
    pub id: Uuid,
    pub team_id: Uuid,
    pub role_id: Uuid,
    role_slug: String,
    role_name: String,
    permissions: Vec<String>,
    code: String,
    email: Option<String>,
    pub max_uses: i32,
    pub use_count: i32,
    pub expires_at: Timestamp,
    pub created_by: UserId,
    created_at: Timestamp,
}

/// An invite to insert.
#[derive(Insertable)]
#[diesel(table_name = developer_team_invites)]
pub(super) struct NewInvite<'a> {
    pub id: Uuid,
    pub team_id: Uuid,
    pub role_id: Uuid,
    pub code: String,
    pub email: Option<&'a str>,
    pub max_uses: i32,
    pub expires_at: DateTime<Utc>,
    pub created_by: UserId,
    pub created_at: DateTime<Utc>,
}

impl Row {
    /// Permissions of the role.
    pub(super) fn gives(&self) -> TeamScopes {
        PermissionSet::from_strings(&self.permissions)
    }

    pub(super) fn role(&self) -> TeamRoleName {
        TeamRoleName { id: self.role_id, slug: self.role_slug.clone(), name: self.role_name.clone() }
    }

    /// Invite as a member sees it, with its code or without.
    pub(super) fn shown(self, cx: &Cx, with_code: bool) -> DeveloperTeamInvite {
        let role = self.role();
        let code = Some(self.code).filter(|_| with_code);
        let base = cx.state().config.http.web_url.as_str().trim_end_matches('/');
        DeveloperTeamInvite {
            id: self.id,
            url: code.as_ref().map(|code| format!("{base}/developer/team-invites/{code}")),
            code,
            role,
            email: self.email,
            expires_at: self.expires_at,
            max_uses: self.max_uses,
            use_count: self.use_count,
            created_by: self.created_by.into(),
            created_at: self.created_at,
        }
    }
}

#[diesel::dsl::auto_type(no_type_alias)]
fn selected() -> _ {
    developer_team_invites::table
        .inner_join(developer_team_roles::table.on(developer_team_roles::id.eq(dsl::role_id)))
        .select((
            dsl::id,
            dsl::team_id,
            dsl::role_id,
            developer_team_roles::slug,
            developer_team_roles::name,
            developer_team_roles::permissions,
            dsl::code,
            dsl::email,
            dsl::max_uses,
            dsl::use_count,
            dsl::expires_at,
            dsl::created_by,
            dsl::created_at,
        ))
}

pub(super) async fn list(connection: &mut AsyncPgConnection, team: Uuid) -> Result<Vec<Row>> {
    Ok(selected()
        .filter(dsl::team_id.eq(team))
        .order((dsl::created_at.desc(), dsl::id.desc()))
        .limit(MAX_INVITES)
        .load(connection)
        .await?)
}

pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    team: Uuid,
    invite: Uuid,
) -> Result<Option<Row>> {
    let own = dsl::team_id.eq(team).and(dsl::id.eq(invite));
    Ok(selected().filter(own).first(connection).await.optional()?)
}

/// Invite of a code with its team.
pub(super) async fn by_code(
    connection: &mut AsyncPgConnection,
    code: &str,
) -> Result<Option<(Row, InvitingTeam)>> {
    let found: Option<Row> = selected().filter(dsl::code.eq(code)).first(connection).await.optional()?;
    let Some(row) = found else { return Ok(None) };
    let (name, slug, avatar_key) = developer_teams::table
        .find(row.team_id)
        .select((developer_teams::name, developer_teams::slug, developer_teams::avatar_key))
        .first(connection)
        .await?;
    Ok(Some((row, InvitingTeam { name, slug, avatar_key })))
}

/// Invite of a code. Its team is locked until the transaction ends, so that joins of one team wait.
pub(super) async fn lock_by_code(connection: &mut AsyncPgConnection, code: &str) -> Result<Option<Row>> {
    let team = dsl::developer_team_invites.filter(dsl::code.eq(code)).select(dsl::team_id);
    let team: Option<Uuid> = team.first(connection).await.optional()?;
    let Some(team) = team else { return Ok(None) };
    let row = developer_teams::table.find(team).select(developer_teams::id).for_update();
    if row.first::<Uuid>(connection).await.optional()?.is_none() {
        return Ok(None);
    }
    Ok(selected().filter(dsl::code.eq(code)).first(connection).await.optional()?)
}

pub(super) async fn insert(connection: &mut AsyncPgConnection, invite: &NewInvite<'_>) -> Result<()> {
    insert_into(developer_team_invites::table).values(invite).execute(connection).await?;
    Ok(())
}

/// Deletes an invite. Returns false when the team has no such invite.
pub(super) async fn delete(connection: &mut AsyncPgConnection, team: Uuid, invite: Uuid) -> Result<bool> {
    let own = developer_team_invites::table.filter(dsl::team_id.eq(team).and(dsl::id.eq(invite)));
    Ok(diesel::delete(own).execute(connection).await? > 0)
}

/// True when the team may have one more invite. At the limit, invites that can no longer be taken are deleted
/// first.
pub(super) async fn make_room(
    connection: &mut AsyncPgConnection,
    team: Uuid,
    now: DateTime<Utc>,
) -> Result<bool> {
    let own = developer_team_invites::table.filter(dsl::team_id.eq(team));
    let there: i64 = own.count().get_result(connection).await?;
    if there < MAX_INVITES {
        return Ok(true);
    }
    let is_over = dsl::expires_at.le(now).or(dsl::use_count.ge(dsl::max_uses));
    Ok(diesel::delete(own.filter(is_over)).execute(connection).await? > 0)
}

/// Owner of a team.
pub(super) async fn owner(connection: &mut AsyncPgConnection, team: Uuid) -> Result<UserId> {
    let team = developer_teams::table.find(team).select(developer_teams::owner_id);
    Ok(team.first(connection).await?)
}

/// Name of a team.
pub(super) async fn team_name(connection: &mut AsyncPgConnection, team: Uuid) -> Result<String> {
    Ok(developer_teams::table.find(team).select(developer_teams::name).first(connection).await?)
}

/// Adds a member by an invite and counts the use. Returns the id of the membership.
pub(super) async fn join(
    connection: &mut AsyncPgConnection,
    invite: &Row,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<Uuid> {
    let member = shared::id::new();
    insert_into(developer_team_members::table)
        .values((
            developer_team_members::id.eq(member),
            developer_team_members::team_id.eq(invite.team_id),
            developer_team_members::user_id.eq(user),
            developer_team_members::role_id.eq(invite.role_id),
            developer_team_members::joined_at.eq(now),
        ))
        .execute(connection)
        .await?;
    diesel::update(developer_team_invites::table.find(invite.id))
        .set(dsl::use_count.eq(dsl::use_count + 1))
        .execute(connection)
        .await?;
    Ok(member)
}
