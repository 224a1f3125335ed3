//! Recipients of notifications about an extension.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use shared::{
    Result,
    id::UserId,
    schema::{developer_profiles, extensions},
};

/// Returns an extension's name and its developers. A built-in extension has no developer.
///
/// # Errors
/// Database failure, or no such extension.
pub async fn developers(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
) -> Result<(String, Vec<UserId>)> {
    let (name, owner): (String, Option<UserId>) = extensions::table
        .left_join(developer_profiles::table)
        .filter(extensions::id.eq(extension))
        .select((extensions::name, developer_profiles::user_id.nullable()))
        .first(connection)
        .await?;
    Ok((name, owner.into_iter().collect()))
}
