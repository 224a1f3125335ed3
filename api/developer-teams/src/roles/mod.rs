//! Roles of a team (reference/teams.md#roles).

pub(crate) mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Code, Cx, Input, Operation, Patch, Result, Timestamp,
    access::{AnyOperation, Grants, TeamCaller, TeamScopes},
    validate,
};
use developer_access::credentials::carries;
use diesel_async::AsyncConnection;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::catalogue::{AccountPermission, PermissionSet, TeamPermission};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::fields::{self, role_not_found};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &DEVELOPER_TEAM_ROLES,
    &CREATE_DEVELOPER_TEAM_ROLE,
    &UPDATE_DEVELOPER_TEAM_ROLE,
    &DELETE_DEVELOPER_TEAM_ROLE,
];

/// Maximum number of roles of a team (reference/teams.md#limits).
pub(crate) const MAX_ROLES: i64 = 20;

/// A role of a team.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct DeveloperTeamRole {
    /// Id.
    pub id: Uuid,
    /// Slug, made of the name at creation.
    pub slug: String,
    /// Name, unique in the team in any case.
    pub name: String,
    /// Description, or null.
    pub description: Option<String>,
    /// Permissions, sorted.
    pub permissions: Vec<String>,
    /// True for the owner's role, which neither changes nor ends.
    pub is_system: bool,
    /// Number of members with the role.
    pub member_count: i32,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// A role to create.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "name": "Tester", "permissions": ["team-testers:read"] }))]
pub struct CreateDeveloperTeamRoleInput {
    /// 1 to 50 characters; unique in the team in any case.
    #[schema(extensions(("maxLength" = json!(fields::MAX_ROLE_NAME_LENGTH))))]
    pub name: String,
    /// At most 500 characters.
    #[schema(extensions(("maxLength" = json!(fields::MAX_ROLE_DESCRIPTION_LENGTH))))]
    pub description: Option<String>,
    /// Permissions that the caller holds; no wildcards.
    #[schema(extensions(("maxLength" = json!(TeamPermission::max_length()))))]
    pub permissions: Vec<String>,
}

/// Changes of a role; absent fields stay.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "permissions": ["team-testers:read"] }))]
pub struct UpdateDeveloperTeamRoleInput {
    /// 1 to 50 characters; unique in the team in any case.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(fields::MAX_ROLE_NAME_LENGTH))))]
    pub name: Patch<String>,
    /// At most 500 characters; null clears.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(fields::MAX_ROLE_DESCRIPTION_LENGTH))))]
    pub description: Patch<String>,
    /// Replaces the set. Permissions that the caller holds; no wildcards.
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>, extensions(("maxLength" = json!(TeamPermission::max_length()))))]
    pub permissions: Patch<Vec<String>>,
}

/// Checked fields of a role; `None`: unchanged.
#[derive(Debug, Default)]
pub(crate) struct RoleFields {
    pub name: Option<String>,
    pub description: Option<Option<String>>,
    pub permissions: Option<TeamScopes>,
}

pub static DEVELOPER_TEAM_ROLES: Operation<TeamCaller> =
    Operation::team("developerTeamRoles", TeamPermission::TeamMembersRead, Grants::Nothing);

/// Lists the roles of a team, the oldest first.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 for a key that does not carry `extension-dev:read`.
/// - 404 when the caller does not belong to the team.
#[api_core::operation]
pub async fn developer_team_roles(cx: &Cx, id: Input<Uuid>) -> Result<Vec<DeveloperTeamRole>> {
    let caller = cx.authorize(&DEVELOPER_TEAM_ROLES).await?;
    carries(cx, AccountPermission::ExtensionDevRead)?;
    let member = caller.member_of(id?).await?;
    db::list(&mut *member.db().await?, member.team, None).await
}

pub static CREATE_DEVELOPER_TEAM_ROLE: Operation<TeamCaller> =
    Operation::team("createDeveloperTeamRole", TeamPermission::TeamSettingsEdit, Grants::TeamPermissions)
        .idempotent();

/// Creates a role of a team.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for an invalid field, with `Invalid permission: …` for an unknown permission or a wildcard.
/// - 403 for a permission that the caller lacks, and for a key that does not carry `extension-dev:edit`.
/// - 403 `PLAN_LIMIT_REACHED` above 20 roles.
/// - 404 when the caller does not belong to the team.
/// - 409 for a name that is taken.
#[api_core::operation]
pub async fn create_developer_team_role(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<CreateDeveloperTeamRoleInput>,
) -> Result<DeveloperTeamRole> {
    let caller = cx.authorize(&CREATE_DEVELOPER_TEAM_ROLE).await?;
    carries(cx, AccountPermission::ExtensionDevEdit)?;
    let (id, input) = (id?, input?);
    let name = validate::text("name", &input.name, 1, fields::MAX_ROLE_NAME_LENGTH)?;
    let description = fields::description(input.description.as_deref(), fields::MAX_ROLE_DESCRIPTION_LENGTH)?;
    let permissions = fields::permissions(&input.permissions)?;
    let member = caller.member_of(id).await?;
    let now = cx.state().clock.now();
    member
        .db()
        .await?
        .transaction(async |connection| {
            let own = member.lock(connection).await?;
            member.check_need(&own)?;
            own.must_hold(&permissions)?;
            if db::is_name_taken(connection, member.team, &name, None).await? {
                return Err(name_taken());
            }
            if db::count(connection, member.team).await? >= MAX_ROLES {
                return Err(ApiError::new(Code::PlanLimitReached, "Role limit reached"));
            }
            let role = db::insert(connection, member.team, (&name, description), &permissions, now).await?;
            let mut entry =
                crate::fields::audit(cx, "developer_team:role_created", "developer_team_role", role);
            entry.metadata =
                json!({ "team_id": member.team, "name": name, "permissions": permissions.to_strings() });
            foundation::audit::record(connection, entry).await?;
            db::find(connection, member.team, role).await?.ok_or_else(role_not_found)
        })
        .await
}

pub static UPDATE_DEVELOPER_TEAM_ROLE: Operation<TeamCaller> =
    Operation::team("updateDeveloperTeamRole", TeamPermission::TeamSettingsEdit, Grants::TeamPermissions);

/// Changes a role of a team.
///
/// The slug stays. Given permissions replace the set and take effect for every member with the role at the
/// next request.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for an invalid field, with `Invalid permission: …` for an unknown permission or a wildcard.
/// - 403 when the role holds, before or after, a permission that the caller lacks, and for a key that does not
///   carry `extension-dev:edit`.
/// - 404 when the caller does not belong to the team, or the team has no such role.
/// - 409 for a name that is taken, and for the owner's role.
#[api_core::operation]
pub async fn update_developer_team_role(
    cx: &Cx,
    id: Input<Uuid>,
    rid: Input<Uuid>,
    input: Input<UpdateDeveloperTeamRoleInput>,
) -> Result<DeveloperTeamRole> {
    let caller = cx.authorize(&UPDATE_DEVELOPER_TEAM_ROLE).await?;
    carries(cx, AccountPermission::ExtensionDevEdit)?;
    let (id, rid, change) = (id?, rid?, RoleFields::checked(input?)?);
    let member = caller.member_of(id).await?;
    let now = cx.state().clock.now();
    member
        .db()
        .await?
        .transaction(async |connection| {
            let own = member.lock(connection).await?;
            member.check_need(&own)?;
            let before = db::find(connection, member.team, rid).await?.ok_or_else(role_not_found)?;
            own.must_hold(&before.held())?;
            own.must_hold(&change.permissions.unwrap_or_default())?;
            if before.is_system {
                return Err(ApiError::conflict("Cannot edit system role"));
            }
            if let Some(name) = &change.name
                && db::is_name_taken(connection, member.team, name, Some(rid)).await?
            {
                return Err(name_taken());
            }
            db::update(connection, member.team, rid, change, now).await?;
            let after = db::find(connection, member.team, rid).await?.ok_or_else(role_not_found)?;
            let mut entry =
                crate::fields::audit(cx, "developer_team:role_updated", "developer_team_role", rid);
            entry.metadata =
                json!({ "team_id": member.team, "name": after.name, "permissions": after.permissions });
            foundation::audit::record(connection, entry).await?;
            Ok(after)
        })
        .await
}

pub static DELETE_DEVELOPER_TEAM_ROLE: Operation<TeamCaller> =
    Operation::team("deleteDeveloperTeamRole", TeamPermission::TeamSettingsEdit, Grants::TeamPermissions);

/// Deletes a role of a team that no member holds.
///
/// Invites with the role end.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 for a role with a permission that the caller lacks, and for a key that does not carry
///   `extension-dev:edit`.
/// - 404 when the caller does not belong to the team, or the team has no such role.
/// - 409 for the owner's role and for one that members hold.
#[api_core::operation]
pub async fn delete_developer_team_role(cx: &Cx, id: Input<Uuid>, rid: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_DEVELOPER_TEAM_ROLE).await?;
    carries(cx, AccountPermission::ExtensionDevEdit)?;
    let (id, rid) = (id?, rid?);
    let member = caller.member_of(id).await?;
    member
        .db()
        .await?
        .transaction(async |connection| {
            let own = member.lock(connection).await?;
            member.check_need(&own)?;
            let role = db::find(connection, member.team, rid).await?.ok_or_else(role_not_found)?;
            own.must_hold(&role.held())?;
            if role.is_system {
                return Err(ApiError::conflict("Cannot delete system role"));
            }
            if role.member_count > 0 {
                let members = role.member_count;
                return Err(ApiError::conflict(format!("Role is still assigned to {members} member(s)")));
            }
            db::delete(connection, member.team, rid).await?;
            let mut entry =
                crate::fields::audit(cx, "developer_team:role_deleted", "developer_team_role", rid);
            entry.metadata = json!({ "team_id": member.team, "name": role.name });
            Ok(foundation::audit::record(connection, entry).await?)
        })
        .await
}

impl DeveloperTeamRole {
    /// Permissions as a set.
    pub(crate) fn held(&self) -> TeamScopes {
        PermissionSet::from_strings(&self.permissions)
    }
}

impl RoleFields {
    fn checked(input: UpdateDeveloperTeamRoleInput) -> Result<Self> {
        let name = input.name.not_null("name")?;
        let description = input.description.into_change();
        let description = description
            .map(|given| fields::description(given.as_deref(), fields::MAX_ROLE_DESCRIPTION_LENGTH));
        let permissions = input.permissions.not_null("permissions")?;
        Ok(Self {
            name: name
                .map(|name| validate::text("name", &name, 1, fields::MAX_ROLE_NAME_LENGTH))
                .transpose()?,
            description: description.transpose()?,
            permissions: permissions.map(|given| fields::permissions(&given)).transpose()?,
        })
    }
}

fn name_taken() -> ApiError {
    ApiError::conflict("Role name already in use")
}
