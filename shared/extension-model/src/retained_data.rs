//! Data of an uninstalled extension. It is kept for 30 days, taken over when the extension is installed
//! again, and then deleted (reference/extensions.md#data-after-uninstall).

use chrono::{DateTime, Duration, Utc};
use diesel::{
    QueryableByName,
    prelude::*,
    sql_query,
    sql_types::{Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use foundation::invalidation::Invalidation;
use shared::{Result, schema::extension_uninstalls};

/// Time that data is kept after its install was removed.
pub const RETENTION: Duration = Duration::days(30);

/// Tables with data of an install, and the column of the install's id.
const BY_INSTALL: [(&str, &str); 4] = [
    ("extension_storage", "install_id"),
    ("extension_rows", "install_id"),
    ("extension_values", "subject"),
    ("extension_usage", "subject"),
];

/// Deleted token.
#[derive(QueryableByName)]
struct Revoked {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

/// Records that an install was removed, which starts the retention of its data. Call it in the transaction
/// that removes the install.
///
/// # Errors
/// Database failure.
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

/// Gives a new install the data that is still kept of the account's last install of the extension. Call it in
/// the transaction that creates the install.
///
/// # Errors
/// Database failure.
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

/// Deletes the data of one install whose retention has ended, and the account's shared data when no install
/// and no kept data of the extension is left in it. Returns false when there is none. Call it, each time in a
/// transaction of its own, until it returns false.
///
/// # Errors
/// Database failure.
pub async fn delete_expired(connection: &mut AsyncPgConnection, now: DateTime<Utc>) -> Result<bool> {
    type Gone = (Uuid, Uuid, Uuid);
    let gone: Option<Gone> = extension_uninstalls::table
        .filter(extension_uninstalls::uninstalled_at.lt(now - RETENTION))
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
        .bind::<Timestamptz, _>(now - RETENTION)
        .execute(connection)
        .await?;
    }
    Ok(true)
}

/// Deletes the tokens of an install's pages, and those of widgets that ended with an install of the account.
/// Call it after the install is deleted, and announce the returned invalidations after the commit.
///
/// # Errors
/// Database failure.
pub async fn revoke_tokens(
    connection: &mut AsyncPgConnection,
    account_id: Uuid,
    install_id: Uuid,
) -> Result<Vec<Invalidation>> {
    let revoked: Vec<Revoked> = sql_query(
        "DELETE FROM surface_tokens WHERE account_id = $1 AND ((kind = 'extension' AND subject = $2)
            OR (kind = 'widget' AND NOT EXISTS (SELECT FROM widgets WHERE widgets.account_id = $1
                AND widgets.id::text = surface_tokens.subject)))
        RETURNING id",
    )
    .bind::<SqlUuid, _>(account_id)
    .bind::<Text, _>(install_id.to_string())
    .get_results(connection)
    .await?;
    Ok(revoked.into_iter().map(|token| Invalidation::Credential { id: token.id }).collect())
}
