//! Ownership of extensions: by a person, or by a team (reference/teams.md#extensions-of-a-team).

use api_core::{
    ApiError, Result,
    access::{AnyOperation, TeamScopes},
};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, Bool, Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    catalogue::{Permission, PermissionSet, TeamPermission},
    id::UserId,
};
use uuid::Uuid;

/// Permissions of which one shows a team's extensions to a member.
pub const READERS: &[TeamPermission] = &[
    TeamPermission::TeamExtensionsCreate,
    TeamPermission::TeamExtensionsEdit,
    TeamPermission::TeamExtensionsDelete,
    TeamPermission::TeamExtensionsPublish,
    TeamPermission::TeamExtensionsAnalytics,
];

/// Texts of [`READERS`], for queries over lists.
#[must_use]
pub fn readers() -> Vec<&'static str> {
    READERS.iter().map(|permission| permission.text()).collect()
}

/// Owner of an extension that the caller may act for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// Developer profile that owns the extension; `None` when a team does.
    pub developer: Option<Uuid>,
    /// Team that owns the extension; `None` when a person does.
    pub team: Option<Uuid>,
    /// Developer profile whose limits apply: the owner's, or that of the team's owner.
    pub profile: Option<Uuid>,
    /// True when the developer, or the owner of the team, is verified.
    pub verified: bool,
    /// True when the caller is that developer or the owner of that team.
    pub is_caller: bool,
    /// Permissions of the caller in the team; all of them for the person who owns the extension.
    pub permissions: TeamScopes,
}

impl Owner {
    /// Owner of what a developer creates alone.
    #[must_use]
    pub fn solo(profile: &crate::profile::Profile) -> Self {
        Self {
            developer: Some(profile.id),
            team: None,
            profile: Some(profile.id),
            verified: profile.verified,
            is_caller: true,
            permissions: PermissionSet::all(),
        }
    }

    /// Checks that the caller holds one of the permissions of the operation's rule.
    ///
    /// # Errors
    /// 403 that names the missing permission.
    pub fn require(&self, operation: &dyn AnyOperation) -> Result<()> {
        let rule = operation.rule();
        if rule.in_team.iter().any(|permission| self.permissions.contains(*permission)) || self.team.is_none()
        {
            return Ok(());
        }
        let lacking = rule.in_team_text().unwrap_or_default();
        Err(ApiError::forbidden(format!("Missing permission: {lacking}")))
    }

    /// Checks one permission of the caller, for rules that depend on the input.
    ///
    /// # Errors
    /// 403 that names the permission.
    pub fn require_also(&self, permission: TeamPermission) -> Result<()> {
        if self.permissions.contains(permission) {
            return Ok(());
        }
        Err(ApiError::forbidden(format!("Missing permission: {permission}")))
    }
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Nullable<SqlUuid>)]
    developer: Option<Uuid>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    team: Option<Uuid>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    profile: Option<Uuid>,
    #[diesel(sql_type = Bool)]
    verified: bool,
    #[diesel(sql_type = Bool)]
    is_caller: bool,
    #[diesel(sql_type = Nullable<Array<Text>>)]
    permissions: Option<Vec<String>>,
}

/// Owner of an extension, for a caller who owns it or is a member of the team that does, with the right that
/// the operation needs.
///
/// # Errors
/// 404 when the extension does not exist, or the caller neither owns it nor belongs to its team. 403 for a
/// member of the team without the permission.
pub async fn owner(
    connection: &mut AsyncPgConnection,
    operation: &dyn AnyOperation,
    user: Option<UserId>,
    extension: Uuid,
) -> Result<Owner> {
    let owner = find(connection, user, extension).await?.ok_or_else(not_found)?;
    owner.require(operation)?;
    Ok(owner)
}

/// Owner of an extension as the caller is related to it; `None` without a relation.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn find(
    connection: &mut AsyncPgConnection,
    user: Option<UserId>,
    extension: Uuid,
) -> Result<Option<Owner>> {
    let Some(user) = user else { return Ok(None) };
    let rows: Vec<Row> = sql_query(
        "SELECT extensions.owner_developer_id AS developer, extensions.owner_team_id AS team,
                profiles.id AS profile, coalesce(profiles.verified, false) AS verified,
                coalesce(profiles.user_id, teams.owner_id) = $1 AS is_caller, roles.permissions
         FROM extensions
         LEFT JOIN developer_teams AS teams ON teams.id = extensions.owner_team_id
         LEFT JOIN developer_profiles AS profiles
             ON profiles.id = extensions.owner_developer_id OR profiles.user_id = teams.owner_id
         LEFT JOIN developer_team_members AS members ON members.team_id = teams.id AND members.user_id = $1
         LEFT JOIN developer_team_roles AS roles ON roles.id = members.role_id
         WHERE extensions.id = $2 AND (members.id IS NOT NULL OR
             (extensions.owner_developer_id IS NOT NULL AND profiles.user_id = $1))",
    )
    .bind::<SqlUuid, _>(user)
    .bind::<SqlUuid, _>(extension)
    .load(connection)
    .await?;
    Ok(rows.into_iter().next().map(owner_of))
}

fn owner_of(row: Row) -> Owner {
    let permissions = match row.permissions {
        Some(permissions) => PermissionSet::from_strings(&permissions),
        None => TeamPermission::ALL.iter().copied().collect(),
    };
    Owner {
        developer: row.developer,
        team: row.team,
        profile: row.profile,
        verified: row.verified,
        is_caller: row.is_caller,
        permissions,
    }
}

/// 404 of an extension that does not exist or that the caller has no relation to.
#[must_use]
pub fn not_found() -> ApiError {
    ApiError::not_found("Extension not found")
}
