//! Queries over the files of versions.

use api_core::{
    Result, Timestamp,
    graphql::Int64,
    http::{Caching, StoredFile},
};
use diesel::{
    QueryableByName,
    prelude::*,
    sql_query,
    sql_types::{Bool, Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::schema::extension_files::{self, dsl};
use uuid::Uuid;

use super::{BundleFile, Reader, VisibleVersion};

/// Bound of the list; a bundle has fewer files.
const MAX_FILES: i64 = 5000;

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = extension_files)]
struct Row {
    id: Uuid,
    version_id: Uuid,
    file_path: String,
    content_type: String,
    size_bytes: i64,
    content_hash: String,
    created_at: Timestamp,
}

impl From<Row> for BundleFile {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            version_id: row.version_id,
            file_path: row.file_path,
            content_type: row.content_type,
            size_bytes: Int64(row.size_bytes),
            content_hash: row.content_hash,
            created_at: row.created_at,
        }
    }
}

/// A version, with the reader's relation to it.
#[derive(Debug, QueryableByName)]
pub(super) struct FoundVersion {
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    #[diesel(sql_type = Text)]
    pub status: String,
    #[diesel(sql_type = Bool)]
    pub is_suspended: bool,
    #[diesel(sql_type = Bool)]
    pub is_developer: bool,
    #[diesel(sql_type = Bool)]
    pub is_tester: bool,
    /// True when the reader's install runs the version.
    #[diesel(sql_type = Bool)]
    pub is_running: bool,
    /// Newest version that is not published, for a developer in dev mode.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub dev_mode_version: Option<Uuid>,
}

pub(super) async fn version(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    version: &str,
    reader: Reader,
) -> Result<Option<FoundVersion>> {
    let (user, install) = match reader {
        Reader::Person(user) => (Some(user), None),
        Reader::Install(install, user) => (user, Some(install)),
        Reader::Anybody | Reader::System => (None, None),
    };
    // The token of an install gives no access to other extensions.
    let found: Option<FoundVersion> = sql_query(
        "WITH reader AS (
             SELECT $3::uuid AS user_id, installs.version_id
             FROM (SELECT) AS one LEFT JOIN extension_installs AS installs
                  ON installs.id = $4::uuid AND installs.extension_id = $1
             WHERE $4::uuid IS NULL OR installs.id IS NOT NULL)
         SELECT versions.id, versions.status, extensions.status = 'suspended' AS is_suspended,
                coalesce(developers.user_id = reader.user_id OR members.id IS NOT NULL, false) AS is_developer,
                EXISTS (SELECT FROM extension_testers AS testers WHERE testers.extension_id = versions.extension_id
                        AND testers.user_id = reader.user_id) AS is_tester,
                coalesce(reader.version_id = versions.id, false) AS is_running,
                (SELECT newest.id FROM extension_versions AS newest
                 JOIN users ON users.id = reader.user_id AND users.extension_dev_mode
                 WHERE newest.extension_id = versions.extension_id
                   AND (developers.user_id = users.id OR members.id IS NOT NULL)
                   AND newest.status IN ('pending', 'draft', 'testing', 'pending_publish')
                 ORDER BY newest.id DESC LIMIT 1) AS dev_mode_version
         FROM extension_versions AS versions
         JOIN extensions ON extensions.id = versions.extension_id
         LEFT JOIN developer_profiles AS developers ON developers.id = extensions.owner_developer_id
         LEFT JOIN reader ON true
         LEFT JOIN developer_team_members AS members
             ON members.team_id = extensions.owner_team_id AND members.user_id = reader.user_id
         WHERE versions.extension_id = $1 AND versions.version = $2",
    )
    .bind::<SqlUuid, _>(extension)
    .bind::<Text, _>(version)
    .bind::<Nullable<SqlUuid>, _>(user)
    .bind::<Nullable<SqlUuid>, _>(install)
    .get_result(connection)
    .await
    .optional()?;
    Ok(found)
}

/// First of these files that the version has.
pub(super) async fn file(
    connection: &mut AsyncPgConnection,
    version: VisibleVersion,
    paths: &[&str],
) -> Result<Option<StoredFile>> {
    let rows: Vec<(String, String, i64, String, String)> = dsl::extension_files
        .filter(dsl::version_id.eq(version.id).and(dsl::file_path.eq_any(paths)))
        .select((dsl::file_path, dsl::content_type, dsl::size_bytes, dsl::content_hash, dsl::storage_key))
        .load(connection)
        .await?;
    let wanted = paths.iter().find_map(|path| rows.iter().find(|row| row.0 == *path));
    Ok(wanted.cloned().map(|(_, content_type, size_bytes, content_hash, storage_key)| StoredFile {
        content_type,
        size_bytes: u64::try_from(size_bytes).unwrap_or_default(),
        content_hash,
        storage_key,
        caching: if version.is_public { Caching::Public } else { Caching::Nothing },
    }))
}

pub(super) async fn files(connection: &mut AsyncPgConnection, version: Uuid) -> Result<Vec<BundleFile>> {
    let rows: Vec<Row> = dsl::extension_files
        .filter(dsl::version_id.eq(version))
        .order(dsl::file_path)
        .limit(MAX_FILES)
        .select(Row::as_select())
        .load(connection)
        .await?;
    Ok(rows.into_iter().map(BundleFile::from).collect())
}
