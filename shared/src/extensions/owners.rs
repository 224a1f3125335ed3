//! Who is told what concerns the developer of an extension.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::{
    Result,
    db::schema::{developer_profiles, extensions},
    id::UserId,
};

/// An extension's name and the people who develop it; nobody does one that is built in.
///
/// # Errors
/// When the database fails or there is no such extension.
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
