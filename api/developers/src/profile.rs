//! Developer profile of a caller (reference/developers.md#developer-profile).

use api_core::{ApiError, Result};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::UserId,
    schema::{developer_profiles, extensions},
};
use uuid::Uuid;

/// Fields of a developer profile that rules need.
#[derive(Debug, Clone, Queryable, Selectable)]
#[diesel(table_name = developer_profiles)]
pub(crate) struct Profile {
    pub id: Uuid,
    pub verified: bool,
}

/// Developer profile of the caller.
///
/// # Errors
/// 403 `Developer profile required`.
pub(crate) async fn required(connection: &mut AsyncPgConnection, user: UserId) -> Result<Profile> {
    let profile = find(connection, user).await?;
    profile.ok_or_else(|| ApiError::forbidden("Developer profile required"))
}

/// Developer profile of a person, or `None`.
///
/// # Errors
/// Database failure.
pub(crate) async fn find(connection: &mut AsyncPgConnection, user: UserId) -> Result<Option<Profile>> {
    Ok(developer_profiles::table
        .filter(developer_profiles::user_id.eq(user))
        .select(Profile::as_select())
        .first(connection)
        .await
        .optional()?)
}

/// Developer profile of a caller who requests an extension of their own.
///
/// # Errors
/// 404 for a credential without a person, and for a person without a profile, because neither owns an
/// extension.
pub(crate) async fn owner(connection: &mut AsyncPgConnection, user: Option<UserId>) -> Result<Profile> {
    let not_found = || ApiError::not_found("Extension not found");
    find(connection, user.ok_or_else(not_found)?).await?.ok_or_else(not_found)
}

/// Checks that an extension is the person's own.
///
/// # Errors
/// 404 when it does not exist or has another owner.
pub(crate) async fn owns(
    connection: &mut AsyncPgConnection,
    user: Option<UserId>,
    extension: Uuid,
) -> Result<()> {
    let not_found = || ApiError::not_found("Extension not found");
    let user = user.ok_or_else(not_found)?;
    let owned: Option<Uuid> = extensions::table
        .inner_join(developer_profiles::table)
        .filter(extensions::id.eq(extension).and(developer_profiles::user_id.eq(user)))
        .select(extensions::id)
        .first(connection)
        .await
        .optional()?;
    owned.map(drop).ok_or_else(not_found)
}
