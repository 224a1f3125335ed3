//! Developer profiles as several resources need them. The row of a profile is the lock of everything that a
//! developer has here: verification, payout settings and payouts.

use api_core::{ApiError, Result, Timestamp};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{id::UserId, schema::developer_profiles};
use uuid::Uuid;

/// Fields of a profile that rules need.
#[derive(Clone, Queryable, Selectable)]
#[diesel(table_name = developer_profiles)]
pub(crate) struct Developer {
    /// Id.
    pub id: Uuid,
    /// Person.
    pub user_id: UserId,
    /// True when staff has verified the developer.
    pub verified: bool,
    /// Time of creation.
    pub created_at: Timestamp,
}

/// Profile of a person.
///
/// # Errors
/// 404 `Developer profile not found`.
pub(crate) async fn of_person(connection: &mut AsyncPgConnection, user: UserId) -> Result<Developer> {
    let found = developer_profiles::table
        .filter(developer_profiles::user_id.eq(user))
        .select(Developer::as_select())
        .first(connection)
        .await
        .optional()?;
    found.ok_or_else(not_found)
}

/// Profile of a person, locked until the transaction ends; `None` without one.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub(crate) async fn lock_of_person(
    connection: &mut AsyncPgConnection,
    user: UserId,
) -> Result<Option<Developer>> {
    Ok(developer_profiles::table
        .filter(developer_profiles::user_id.eq(user))
        .select(Developer::as_select())
        .for_no_key_update()
        .first(connection)
        .await
        .optional()?)
}

/// Profile of an id, locked until the transaction ends; `None` when there is none.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub(crate) async fn lock(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<Developer>> {
    Ok(developer_profiles::table
        .find(id)
        .select(Developer::as_select())
        .for_no_key_update()
        .first(connection)
        .await
        .optional()?)
}

/// 404 for a person without a profile.
pub(crate) fn not_found() -> ApiError {
    ApiError::not_found("Developer profile not found")
}
