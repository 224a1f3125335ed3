//! Bringing the built-in modules of this release into a database, and into accounts.

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{BOT_MODULES, SystemModule};
use crate::{Result, extensions::Manifest, id};

/// Whom built-in modules spare unless the account decides otherwise (C B8).
pub const EXEMPT_AT_START: [&str; 1] = ["moderator"];

#[derive(QueryableByName)]
struct VersionId {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

/// Writes the modules as this release has them, moves every install to them, and installs them where they are
/// missing. Running it again changes nothing.
///
/// # Errors
/// When the database fails.
pub(crate) async fn seed(connection: &mut AsyncPgConnection) -> Result<()> {
    for module in &BOT_MODULES {
        let manifest = module.manifest()?;
        extension(connection, module, &manifest).await?;
        let version = version(connection, module, &manifest).await?;
        sql_query("UPDATE extensions SET current_version_id = $2 WHERE id = $1 AND current_version_id IS DISTINCT FROM $2")
            .bind::<SqlUuid, _>(module.extension_id)
            .bind::<SqlUuid, _>(version)
            .execute(connection)
            .await?;
        sql_query(
            "UPDATE extension_installs SET version_id = $2, pinned_version = NULL, granted_permissions = $3
             WHERE extension_id = $1 AND version_id <> $2",
        )
        .bind::<SqlUuid, _>(module.extension_id)
        .bind::<SqlUuid, _>(version)
        .bind::<Array<Text>, _>(&manifest.permissions)
        .execute(connection)
        .await?;
    }
    install(connection, None).await
}

/// Installs the modules, switched off, in an account, or in every account that lacks them.
///
/// # Errors
/// When the database fails.
pub async fn install(connection: &mut AsyncPgConnection, account: Option<Uuid>) -> Result<()> {
    for module in &BOT_MODULES {
        // One statement a module, by the clock of the statement: modules run in the order of their installation.
        sql_query(
            "INSERT INTO extension_installs (id, account_id, extension_id, version_id, enabled, granted_permissions,
                                             exempt_roles, created_at, updated_at)
             SELECT gen_random_uuid(), accounts.id, extensions.id, versions.id, false,
                    ARRAY(SELECT jsonb_array_elements_text(versions.manifest -> 'permissions')), $3,
                    clock_timestamp(), clock_timestamp()
             FROM accounts
             CROSS JOIN extensions
             JOIN extension_versions AS versions ON versions.id = extensions.current_version_id
             WHERE extensions.id = $1 AND ($2::uuid IS NULL OR accounts.id = $2)
               AND NOT EXISTS (SELECT FROM extension_installs AS present
                               WHERE present.account_id = accounts.id AND present.extension_id = extensions.id)",
        )
        .bind::<SqlUuid, _>(module.extension_id)
        .bind::<Nullable<SqlUuid>, _>(account)
        .bind::<Array<Text>, _>(EXEMPT_AT_START.as_slice())
        .execute(connection)
        .await?;
    }
    Ok(())
}

async fn extension(
    connection: &mut AsyncPgConnection,
    module: &SystemModule,
    manifest: &Manifest,
) -> Result<()> {
    sql_query(
        "INSERT INTO extensions (id, short_id, slug, name, short_description, description, category, visibility,
                                 status, published_at)
         VALUES ($1, $2, $3, $4, $5, $5, $6, 'system', 'approved', now())
         ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name, short_description = EXCLUDED.short_description,
                description = EXCLUDED.description
         WHERE (extensions.name, extensions.description) IS DISTINCT FROM (EXCLUDED.name, EXCLUDED.description)",
    )
    .bind::<SqlUuid, _>(module.extension_id)
    .bind::<Text, _>(module.short_id)
    .bind::<Text, _>(module.slug)
    .bind::<Text, _>(&manifest.name)
    .bind::<Text, _>(&manifest.description)
    .bind::<Text, _>(manifest.category.as_str())
    .execute(connection)
    .await?;
    Ok(())
}

/// The version's row. Its name carries a digest of manifest and code, because one version is one code for ever:
/// workers keep what they compiled by the version's id.
async fn version(
    connection: &mut AsyncPgConnection,
    module: &SystemModule,
    manifest: &Manifest,
) -> Result<Uuid> {
    let mut digest = Sha256::new();
    digest.update(module.manifest);
    digest.update([0]);
    digest.update(module.code);
    let version = format!("{}+{}", manifest.version, hex::encode(&digest.finalize()[..4]));
    let mut stored: Value = serde_json::from_str(module.manifest)?;
    stored["version"] = version.clone().into();
    sql_query(
        "INSERT INTO extension_versions (id, extension_id, version, status, manifest, bundle_size_bytes, handler_code,
                                         submitted_at, approved_at)
         VALUES ($1, $2, $3, 'approved', $4, octet_length($5), $5, $6, $6)
         ON CONFLICT (extension_id, version) DO NOTHING",
    )
    .bind::<SqlUuid, _>(id::new())
    .bind::<SqlUuid, _>(module.extension_id)
    .bind::<Text, _>(&version)
    .bind::<Jsonb, _>(&stored)
    .bind::<Text, _>(module.code)
    .bind::<Timestamptz, _>(chrono::DateTime::<chrono::Utc>::UNIX_EPOCH)
    .execute(connection)
    .await?;
    let row: VersionId =
        sql_query("SELECT id FROM extension_versions WHERE extension_id = $1 AND version = $2")
            .bind::<SqlUuid, _>(module.extension_id)
            .bind::<Text, _>(&version)
            .get_result(connection)
            .await?;
    Ok(row.id)
}
