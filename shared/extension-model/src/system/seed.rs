//! Writes the built-in extensions of this release into a database, and installs them in accounts.

use diesel::{
    QueryableByName, insert_into,
    prelude::*,
    sql_query,
    sql_types::{Array, BigInt, Bool, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{BOT_MODULES, SystemFile, SystemModule, SystemWidget, WIDGETS};
use crate::{Manifest, bundle_key, content_type};
use shared::{Result, id, schema::extension_files};

/// Roles that built-in modules exempt unless the account decides otherwise (reference/bots.md#exempt-roles).
pub const DEFAULT_EXEMPT_ROLES: [&str; 1] = ["moderator"];

/// A built-in extension of this release.
struct Release {
    extension_id: Uuid,
    short_id: &'static str,
    slug: &'static str,
    manifest_text: &'static str,
    manifest: Manifest,
    code: Option<&'static str>,
    files: Vec<SystemFile>,
}

#[derive(QueryableByName)]
struct VersionId {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

/// Writes the extensions of this release, moves every install to them, and installs them where they are
/// missing. A repeated call changes nothing. The files of the bundles must be in the store already, see
/// [`put_files`](super::put_files).
///
/// # Errors
/// Database failure.
pub async fn seed(connection: &mut AsyncPgConnection) -> Result<()> {
    let modules = BOT_MODULES.iter().map(Release::of_module);
    for release in modules.chain(WIDGETS.iter().map(Release::of_widget)) {
        let release = release?;
        release.write_extension(connection).await?;
        let version = release.write_version(connection).await?;
        sql_query("UPDATE extensions SET current_version_id = $2 WHERE id = $1 AND current_version_id IS DISTINCT FROM $2")
            .bind::<SqlUuid, _>(release.extension_id)
            .bind::<SqlUuid, _>(version)
            .execute(connection)
            .await?;
        sql_query(
            "UPDATE extension_installs SET version_id = $2, pinned_version = NULL, granted_permissions = $3
             WHERE extension_id = $1 AND version_id <> $2",
        )
        .bind::<SqlUuid, _>(release.extension_id)
        .bind::<SqlUuid, _>(version)
        .bind::<Array<Text>, _>(&release.manifest.permissions)
        .execute(connection)
        .await?;
    }
    install(connection, None).await
}

/// Installs the extensions that every account has, in one account or in every account that lacks them. Bot
/// modules are switched off, because they act by themselves. Widgets are switched on, because they show only
/// where they are placed.
///
/// # Errors
/// Database failure.
pub async fn install(connection: &mut AsyncPgConnection, account: Option<Uuid>) -> Result<()> {
    let installed = WIDGETS.iter().filter(|widget| widget.is_installed);
    let (ids, enabled): (Vec<Uuid>, Vec<bool>) = BOT_MODULES
        .iter()
        .map(|module| (module.extension_id, false))
        .chain(installed.map(|widget| (widget.extension_id, true)))
        .unzip();
    // Each a microsecond later than the one before: modules run in the order of their installation.
    sql_query(
        "INSERT INTO extension_installs (id, account_id, extension_id, version_id, enabled, granted_permissions,
                                         exempt_roles, created_at, updated_at)
         SELECT gen_random_uuid(), accounts.id, extensions.id, versions.id, wanted.enabled,
                ARRAY(SELECT jsonb_array_elements_text(coalesce(versions.manifest -> 'permissions', '[]'))),
                CASE WHEN wanted.enabled THEN '{}' ELSE $4 END,
                clock.now + wanted.place * interval '1 microsecond',
                clock.now + wanted.place * interval '1 microsecond'
         FROM unnest($1, $2) WITH ORDINALITY AS wanted (extension_id, enabled, place)
         CROSS JOIN (SELECT clock_timestamp() AS now) AS clock
         JOIN extensions ON extensions.id = wanted.extension_id
         JOIN extension_versions AS versions ON versions.id = extensions.current_version_id
         CROSS JOIN accounts
         WHERE ($3::uuid IS NULL OR accounts.id = $3)
           AND NOT EXISTS (SELECT FROM extension_installs AS present
                           WHERE present.account_id = accounts.id AND present.extension_id = extensions.id)",
    )
    .bind::<Array<SqlUuid>, _>(&ids)
    .bind::<Array<Bool>, _>(&enabled)
    .bind::<Nullable<SqlUuid>, _>(account)
    .bind::<Array<Text>, _>(DEFAULT_EXEMPT_ROLES.as_slice())
    .execute(connection)
    .await?;
    Ok(())
}

impl Release {
    fn of_module(module: &SystemModule) -> Result<Self> {
        Ok(Self {
            extension_id: module.extension_id,
            short_id: module.short_id,
            slug: module.slug,
            manifest_text: module.manifest,
            manifest: module.manifest()?,
            code: Some(module.code),
            files: Vec::new(),
        })
    }

    fn of_widget(widget: &SystemWidget) -> Result<Self> {
        Ok(Self {
            extension_id: widget.extension_id,
            short_id: widget.short_id,
            slug: widget.slug,
            manifest_text: widget.manifest,
            manifest: widget.manifest()?,
            code: None,
            files: widget.files().to_vec(),
        })
    }

    async fn write_extension(&self, connection: &mut AsyncPgConnection) -> Result<()> {
        sql_query(
            "INSERT INTO extensions (id, short_id, slug, name, short_description, description, category, visibility,
                                     status, published_at)
             VALUES ($1, $2, $3, $4, $5, $5, $6, 'system', 'approved', now())
             ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name, short_description = EXCLUDED.short_description,
                    description = EXCLUDED.description
             WHERE (extensions.name, extensions.description) IS DISTINCT FROM (EXCLUDED.name, EXCLUDED.description)",
        )
        .bind::<SqlUuid, _>(self.extension_id)
        .bind::<Text, _>(self.short_id)
        .bind::<Text, _>(self.slug)
        .bind::<Text, _>(&self.manifest.name)
        .bind::<Text, _>(&self.manifest.description)
        .bind::<Text, _>(self.manifest.category.as_str())
        .execute(connection)
        .await?;
        Ok(())
    }

    /// Writes the version's row and those of its files.
    async fn write_version(&self, connection: &mut AsyncPgConnection) -> Result<Uuid> {
        let version = self.version();
        let mut stored: Value = serde_json::from_str(self.manifest_text)?;
        stored["version"] = version.clone().into();
        let bytes = self.files.iter().map(|file| file.content).chain(self.code).map(str::len).sum::<usize>();
        let inserted = sql_query(
            "INSERT INTO extension_versions (id, extension_id, version, status, manifest, bundle_size_bytes,
                                             handler_code, submitted_at, approved_at)
             VALUES ($1, $2, $3, 'approved', $4, $5, $6, $7, $7)
             ON CONFLICT (extension_id, version) DO NOTHING",
        )
        .bind::<SqlUuid, _>(id::new())
        .bind::<SqlUuid, _>(self.extension_id)
        .bind::<Text, _>(&version)
        .bind::<Jsonb, _>(&stored)
        .bind::<BigInt, _>(i64::try_from(bytes).unwrap_or(i64::MAX))
        .bind::<Nullable<Text>, _>(self.code)
        .bind::<Timestamptz, _>(chrono::DateTime::<chrono::Utc>::UNIX_EPOCH)
        .execute(connection)
        .await?;
        let row: VersionId =
            sql_query("SELECT id FROM extension_versions WHERE extension_id = $1 AND version = $2")
                .bind::<SqlUuid, _>(self.extension_id)
                .bind::<Text, _>(&version)
                .get_result(connection)
                .await?;
        if inserted > 0 && !self.files.is_empty() {
            self.write_files(connection, row.id).await?;
        }
        Ok(row.id)
    }

    async fn write_files(&self, connection: &mut AsyncPgConnection, version: Uuid) -> Result<()> {
        let rows: Vec<_> = self
            .files
            .iter()
            .map(|file| {
                let content_hash = file.content_hash();
                (
                    extension_files::id.eq(id::new()),
                    extension_files::version_id.eq(version),
                    extension_files::file_path.eq(file.path),
                    extension_files::content_type.eq(content_type(file.path)),
                    extension_files::size_bytes.eq(i64::try_from(file.content.len()).unwrap_or(i64::MAX)),
                    extension_files::storage_key.eq(bundle_key(&content_hash)),
                    extension_files::content_hash.eq(content_hash),
                )
            })
            .collect();
        insert_into(extension_files::table).values(rows).execute(connection).await?;
        Ok(())
    }

    /// Name of the version. It carries a digest of manifest, code and files, because a version never changes
    /// its content: workers cache compiled code by the version's id, and browsers cache files by its name.
    fn version(&self) -> String {
        let mut digest = Sha256::new();
        digest.update(self.manifest_text);
        for part in self.code.into_iter().chain(self.files.iter().map(|file| file.content)) {
            digest.update([0]);
            digest.update(part);
        }
        format!("{}+{}", self.manifest.version, hex::encode(&digest.finalize()[..4]))
    }
}
