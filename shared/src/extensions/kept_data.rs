//! What becomes of an install's data when the install goes: it is kept for thirty days, in which installing the
//! extension again finds it, and is then deleted (specification C B4).

use chrono::{DateTime, Duration, Utc};
use diesel::{
    prelude::*,
    sql_query,
    sql_types::{Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::{
    Result,
    db::schema::{extension_uninstalls, surface_tokens},
    invalidation::Invalidation,
};

/// How long data outlives its install.
pub const DATA_RETENTION: Duration = Duration::days(30);

/// Tables with data of an install, and how each names it.
const BY_INSTALL: [(&str, &str); 4] = [
    ("extension_storage", "install_id"),
    ("extension_rows", "install_id"),
    ("extension_values", "subject"),
    ("extension_usage", "subject"),
];

/// Notes that an install is gone, so that its data is kept from now on. Call it in the transaction that removes the
/// install.
///
/// # Errors
/// When the database fails.
pub async fn keep_after_uninstall(
    connection: &mut AsyncPgConnection,
    account_id: Uuid,
    extension_id: Uuid,
    install_id: Uuid,
    now: DateTime<Utc>,
) -> Result<()> {
    diesel::insert_into(extension_uninstalls::table)
        .values((
            extension_uninstalls::install_id.eq(install_id),
            extension_uninstalls::account_id.eq(account_id),
            extension_uninstalls::extension_id.eq(extension_id),
            extension_uninstalls::uninstalled_at.eq(now),
        ))
        .execute(connection)
        .await?;
    Ok(())
}

/// Gives a new install the data that is still kept of the account's last one of the extension. Call it in the
/// transaction that makes the install.
///
/// # Errors
/// When the database fails.
pub async fn adopt(
    connection: &mut AsyncPgConnection,
    account_id: Uuid,
    extension_id: Uuid,
    install_id: Uuid,
) -> Result<()> {
    let earlier: Option<Uuid> = extension_uninstalls::table
        .filter(extension_uninstalls::account_id.eq(account_id))
        .filter(extension_uninstalls::extension_id.eq(extension_id))
        .order(extension_uninstalls::uninstalled_at.desc())
        .select(extension_uninstalls::install_id)
        .for_update()
        .first(connection)
        .await
        .optional()?;
    let Some(earlier) = earlier else { return Ok(()) };
    for (table, column) in BY_INSTALL {
        sql_query(format!("UPDATE {table} SET {column} = $1 WHERE {column} = $2 AND account_id = $3"))
            .bind::<SqlUuid, _>(install_id)
            .bind::<SqlUuid, _>(earlier)
            .bind::<SqlUuid, _>(account_id)
            .execute(connection)
            .await?;
    }
    diesel::delete(extension_uninstalls::table.find(earlier)).execute(connection).await?;
    Ok(())
}

/// Deletes the data of one install that has been gone for long enough, and what the account shared when nothing else
/// of the extension is left in it; false when there is none. Call it in a transaction of its own until it answers
/// false.
///
/// # Errors
/// When the database fails.
pub async fn delete_expired(connection: &mut AsyncPgConnection, now: DateTime<Utc>) -> Result<bool> {
    type Gone = (Uuid, Uuid, Uuid);
    let gone: Option<Gone> = extension_uninstalls::table
        .filter(extension_uninstalls::uninstalled_at.lt(now - DATA_RETENTION))
        .order(extension_uninstalls::uninstalled_at)
        .select((
            extension_uninstalls::install_id,
            extension_uninstalls::account_id,
            extension_uninstalls::extension_id,
        ))
        .for_update()
        .skip_locked()
        .first(connection)
        .await
        .optional()?;
    let Some((install_id, account_id, extension_id)) = gone else { return Ok(false) };
    for (table, column) in BY_INSTALL {
        sql_query(format!("DELETE FROM {table} WHERE {column} = $1 AND account_id = $2"))
            .bind::<SqlUuid, _>(install_id)
            .bind::<SqlUuid, _>(account_id)
            .execute(connection)
            .await?;
    }
    diesel::delete(extension_uninstalls::table.find(install_id)).execute(connection).await?;
    for table in ["extension_rows", "extension_usage"] {
        sql_query(format!(
            "DELETE FROM {table} WHERE account_id = $1 AND extension_id = $2
                AND NOT EXISTS (SELECT 1 FROM extension_installs WHERE account_id = $1 AND extension_id = $2)
                AND NOT EXISTS (SELECT 1 FROM extension_uninstalls
                                WHERE account_id = $1 AND extension_id = $2 AND uninstalled_at >= $3)"
        ))
        .bind::<SqlUuid, _>(account_id)
        .bind::<SqlUuid, _>(extension_id)
        .bind::<Timestamptz, _>(now - DATA_RETENTION)
        .execute(connection)
        .await?;
    }
    Ok(true)
}

/// Takes the tokens of an install's pages away; announce what is answered after the commit.
///
/// # Errors
/// When the database fails.
pub async fn revoke_tokens(
    connection: &mut AsyncPgConnection,
    account_id: Uuid,
    install_id: Uuid,
) -> Result<Vec<Invalidation>> {
    let revoked: Vec<Uuid> = diesel::delete(
        surface_tokens::table
            .filter(surface_tokens::kind.eq("extension"))
            .filter(surface_tokens::subject.eq(install_id.to_string()))
            .filter(surface_tokens::account_id.eq(account_id)),
    )
    .returning(surface_tokens::id)
    .get_results(connection)
    .await?;
    Ok(revoked.into_iter().map(|id| Invalidation::Credential { id }).collect())
}
