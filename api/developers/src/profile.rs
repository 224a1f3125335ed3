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
    let profile = developer_profiles::table
        .filter(developer_profiles::user_id.eq(user))
        .select(Profile::as_select())
        .first(connection)
        .await
        .optional()?;
    profile.ok_or_else(|| ApiError::forbidden("Developer profile required"))
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
