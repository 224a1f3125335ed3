//! The developer behind a caller.

use api_core::{ApiError, Result};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    db::schema::{developer_profiles, extensions},
    id::UserId,
};
use uuid::Uuid;

/// A developer profile, as far as rules need it.
#[derive(Debug, Clone, Queryable, Selectable)]
#[diesel(table_name = developer_profiles)]
pub(crate) struct Profile {
    pub id: Uuid,
    pub verified: bool,
}

/// The caller's developer profile.
///
/// # Errors
/// 403 `Developer profile required`.
pub(crate) async fn required(connection: &mut AsyncPgConnection, user: UserId) -> Result<Profile> {
    let profile = find(connection, user).await?;
    profile.ok_or_else(|| ApiError::forbidden("Developer profile required"))
}

/// The developer profile of a person, if they have one.
///
/// # Errors
/// When the database fails.
pub(crate) async fn find(connection: &mut AsyncPgConnection, user: UserId) -> Result<Option<Profile>> {
    Ok(developer_profiles::table
        .filter(developer_profiles::user_id.eq(user))
        .select(Profile::as_select())
        .first(connection)
        .await
        .optional()?)
}

/// The developer profile of somebody who asks for an extension of their own.
///
/// # Errors
/// 404: who is no developer has no extension, and a key without a person neither.
pub(crate) async fn owner(connection: &mut AsyncPgConnection, user: Option<UserId>) -> Result<Profile> {
    let not_found = || ApiError::not_found("Extension not found");
    find(connection, user.ok_or_else(not_found)?).await?.ok_or_else(not_found)
}

/// Whether an extension is the person's own.
///
/// # Errors
/// 404 when it is not, or does not exist.
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
