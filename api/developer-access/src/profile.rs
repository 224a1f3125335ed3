//! Developer profile of a caller (reference/developers.md#developer-profile).

use api_core::{ApiError, Result};
use diesel::{dsl::exists, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::UserId,
    schema::{developer_profiles, developer_team_members},
};
use uuid::Uuid;

/// Fields of a developer profile that rules need.
#[derive(Debug, Clone, Queryable, Selectable)]
#[diesel(table_name = developer_profiles)]
pub struct Profile {
    /// Id.
    pub id: Uuid,
    /// True when the operator has verified the developer.
    pub verified: bool,
}

/// Developer profile of the caller.
///
/// # Errors
/// 403 `Developer profile required`.
pub async fn required(connection: &mut AsyncPgConnection, user: UserId) -> Result<Profile> {
    find(connection, user).await?.ok_or_else(missing)
}

/// Developer profile of a person, or `None`.
///
/// # Errors
/// Database failure.
pub async fn find(connection: &mut AsyncPgConnection, user: UserId) -> Result<Option<Profile>> {
    Ok(developer_profiles::table
        .filter(developer_profiles::user_id.eq(user))
        .select(Profile::as_select())
        .first(connection)
        .await
        .optional()?)
}

/// Checks that the caller is a developer or a member of a team, on the developer API.
///
/// # Errors
/// 403 `Developer profile required`.
pub async fn required_or_member(connection: &mut AsyncPgConnection, user: UserId) -> Result<()> {
    let profile = developer_profiles::table.filter(developer_profiles::user_id.eq(user));
    let member = developer_team_members::table.filter(developer_team_members::user_id.eq(user));
    let (is_developer, is_member): (bool, bool) =
        diesel::select((exists(profile), exists(member))).get_result(connection).await?;
    if is_developer || is_member { Ok(()) } else { Err(missing()) }
}

fn missing() -> ApiError {
    ApiError::forbidden("Developer profile required")
}
