//! Teams of developers (reference/teams.md#team).

mod changes;
pub(crate) mod db;
pub mod graphql;
mod input;
pub mod profile;
pub mod rest;

use api_core::{
    ApiError, Code, Cx, Input, Operation, Result, Timestamp,
    access::{AnyOperation, Grants, SignedIn, TeamCaller, team_not_found},
    validate,
};
use developer_access::{
    credentials::carries,
    profile::required,
    slugs,
    teams::{self, NewTeam},
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, Permission, TeamPermission},
    id::UserId,
};
use utoipa::ToSchema;
use uuid::Uuid;

pub use changes::{
    DELETE_DEVELOPER_TEAM, UPDATE_DEVELOPER_TEAM, delete_developer_team, update_developer_team,
};
pub use input::UpdateDeveloperTeamInput;

use crate::fields::{self, TeamRoleName};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &CREATE_DEVELOPER_TEAM,
    &DEVELOPER_TEAMS,
    &DEVELOPER_TEAM_PERMISSIONS,
    &DEVELOPER_TEAM,
    &UPDATE_DEVELOPER_TEAM,
    &DELETE_DEVELOPER_TEAM,
    &profile::PUBLIC_DEVELOPER_TEAM_PROFILE,
];

/// Maximum number of teams that a person belongs to (reference/teams.md#limits).
pub(crate) const MAX_TEAMS: i64 = 50;

/// A team of developers as its member sees it.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct DeveloperTeam {
    /// Id.
    pub id: Uuid,
    /// Name.
    pub name: String,
    /// Slug, unique among developers and teams.
    pub slug: String,
    /// Description, or null.
    pub description: Option<String>,
    /// Address at GitHub, or null.
    pub github_url: Option<String>,
    /// Address of the website, or null.
    pub website_url: Option<String>,
    /// Upload of the picture, or null.
    pub avatar_key: Option<String>,
    /// Person who owns the team.
    pub owner_id: Uuid,
    /// Number of members, the owner included.
    pub member_count: i32,
    /// Role of the caller.
    pub my_role: TeamRoleName,
    /// Permissions of the caller, sorted.
    pub my_permissions: Vec<String>,
    /// Time of creation.
    pub created_at: Timestamp,
}

/// A permission that a role of a team may hold.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct DeveloperTeamPermissionInfo {
    /// Text `resource:action`.
    pub permission: String,
    /// Resource of the permission.
    pub category: String,
    /// Readable name.
    pub label: String,
}

/// A team to create.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "name": "Night Shift", "slug": "night-shift" }))]
pub struct CreateDeveloperTeamInput {
    /// 1 to 60 characters.
    #[schema(extensions(("maxLength" = json!(fields::MAX_TEAM_NAME_LENGTH))))]
    pub name: String,
    /// 3 to 50 lower-case letters, digits and hyphens, the first one a letter.
    #[schema(extensions(("minLength" = json!(slugs::MIN_LENGTH)), ("maxLength" = json!(slugs::MAX_LENGTH))))]
    pub slug: String,
    /// At most 2,000 characters.
    #[schema(extensions(("maxLength" = json!(fields::MAX_TEAM_DESCRIPTION_LENGTH))))]
    pub description: Option<String>,
    /// An https address.
    #[schema(extensions(("maxLength" = json!(fields::MAX_URL_LENGTH))))]
    pub github_url: Option<String>,
    /// An https address.
    #[schema(extensions(("maxLength" = json!(fields::MAX_URL_LENGTH))))]
    pub website_url: Option<String>,
    /// Upload of an image in the caller's account.
    pub avatar_key: Option<Uuid>,
}

pub static CREATE_DEVELOPER_TEAM: Operation<SignedIn> =
    Operation::first_party("createDeveloperTeam", Grants::TeamPermissions).idempotent();

/// Creates a team of developers.
///
/// The caller owns the team and is its first member. It has the roles Owner, Admin and Member.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for an invalid field.
/// - 403 for a caller without a developer profile, and for a key that does not carry `extension-dev:edit`.
/// - 403 `PLAN_LIMIT_REACHED` above 50 teams.
/// - 404 when the account has no such image.
/// - 409 when a developer, a team or a pending application has the slug.
#[api_core::operation]
pub async fn create_developer_team(cx: &Cx, input: Input<CreateDeveloperTeamInput>) -> Result<DeveloperTeam> {
    let caller = cx.authorize(&CREATE_DEVELOPER_TEAM).await?;
    carries(cx, AccountPermission::ExtensionDevEdit)?;
    let input = input?;
    let avatar = input.avatar_key;
    let new = checked(input, &caller, cx)?;
    let mut connection = caller.db().await?;
    required(&mut connection, caller.user).await?;
    connection
        .transaction(async |connection| {
            if let Some(avatar) = avatar {
                db::check_image(connection, caller.account, avatar).await?;
            }
            if slugs::is_taken(connection, &new.slug).await? {
                return Err(slugs::taken());
            }
            require_room(connection, caller.user).await?;
            let slug = new.slug.clone();
            let team = teams::create(connection, new).await?;
            let mut entry = crate::fields::audit(cx, "developer_team:created", "developer_team", team);
            entry.metadata = json!({ "slug": slug });
            foundation::audit::record(connection, entry).await?;
            db::find(connection, caller.user, team).await?.ok_or_else(team_not_found)
        })
        .await
}

fn checked(input: CreateDeveloperTeamInput, caller: &SignedIn, cx: &Cx) -> Result<NewTeam> {
    slugs::check(&input.slug)?;
    Ok(NewTeam {
        owner: caller.user,
        name: validate::text("name", &input.name, 1, fields::MAX_TEAM_NAME_LENGTH)?,
        slug: input.slug,
        description: fields::description(input.description.as_deref(), fields::MAX_TEAM_DESCRIPTION_LENGTH)?,
        github_url: fields::https("github_url", input.github_url.as_deref())?,
        website_url: fields::https("website_url", input.website_url.as_deref())?,
        avatar_key: input.avatar_key.map(|key| key.to_string()),
        now: cx.state().clock.now(),
    })
}

/// Checks that the person may belong to one more team. It locks the person, so that concurrent checks wait.
///
/// # Errors
/// 403 `PLAN_LIMIT_REACHED`.
pub(crate) async fn require_room(connection: &mut AsyncPgConnection, user: UserId) -> Result<()> {
    if db::count_locked(connection, user).await? >= MAX_TEAMS {
        return Err(ApiError::new(Code::PlanLimitReached, "Team limit reached"));
    }
    Ok(())
}

pub static DEVELOPER_TEAMS: Operation<SignedIn> = Operation::first_party("developerTeams", Grants::Nothing);

/// Lists the teams of the caller, the first joined one first.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 for a caller without a developer profile, and for a key that does not carry `extension-dev:read`.
#[api_core::operation]
pub async fn developer_teams(cx: &Cx) -> Result<Vec<DeveloperTeam>> {
    let caller = cx.authorize(&DEVELOPER_TEAMS).await?;
    carries(cx, AccountPermission::ExtensionDevRead)?;
    let mut connection = caller.db().await?;
    required(&mut connection, caller.user).await?;
    db::list(&mut connection, caller.user).await
}

pub static DEVELOPER_TEAM_PERMISSIONS: Operation<SignedIn> =
    Operation::first_party("developerTeamPermissions", Grants::Nothing);

/// Lists the permissions that a role of a team may hold, in the order of the catalogue.
///
/// # Errors
/// - 401 or 403 by the access rule.
#[api_core::operation]
pub async fn developer_team_permissions(cx: &Cx) -> Result<Vec<DeveloperTeamPermissionInfo>> {
    cx.authorize(&DEVELOPER_TEAM_PERMISSIONS).await?;
    let info = |permission: &TeamPermission| DeveloperTeamPermissionInfo {
        permission: permission.text().to_owned(),
        category: permission.resource().to_owned(),
        label: permission.label(),
    };
    Ok(TeamPermission::ALL.iter().map(info).collect())
}

pub static DEVELOPER_TEAM: Operation<TeamCaller> =
    Operation::team("developerTeam", TeamPermission::TeamSettingsRead, Grants::Nothing);

/// Returns a team of the caller.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 for a key that does not carry `extension-dev:read`.
/// - 404 when the caller does not belong to the team.
#[api_core::operation]
pub async fn developer_team(cx: &Cx, id: Input<Uuid>) -> Result<DeveloperTeam> {
    let caller = cx.authorize(&DEVELOPER_TEAM).await?;
    carries(cx, AccountPermission::ExtensionDevRead)?;
    let member = caller.member_of(id?).await?;
    let found = db::find(&mut *member.db().await?, member.user, member.team).await?;
    found.ok_or_else(team_not_found)
}
