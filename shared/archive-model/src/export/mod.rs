//! Export of an account (reference/archives.md#export).

mod cursor;
mod objects;
mod pages;
mod secrets;
mod snapshot;
mod watch;

use std::time::Duration;

use chrono::{DateTime, Utc};
use foundation::{crypto::Keyring, db::Database, storage::Storage};
use tokio::time::timeout;
use uuid::Uuid;

use crate::{
    Error, Result,
    manifest::{FILE, FORMAT, Manifest, VERSION},
    sealing::PublicKey,
    tables::{Home, tables},
    writer::{ArchiveWriter, Target, Written},
};
use snapshot::Head;
pub use watch::Run;
pub(crate) use watch::Watch;

/// Longest time that one snapshot of the main database may last: it delays the removal of dead rows.
pub const SNAPSHOT_TIMEOUT: Duration = Duration::from_secs(900);

/// Stores that an export reads.
#[derive(Clone, Copy)]
pub struct Stores<'a> {
    /// Main database.
    pub postgres: &'a Database,
    /// Database of rows over time.
    pub timescaledb: &'a Database,
    /// Stored objects.
    pub storage: &'a Storage,
    /// Keys of the stored secrets.
    pub keyring: &'a Keyring,
}

/// Account to export.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The account.
    pub account: Uuid,
    /// Key that the secrets are sealed to; `None` leaves them out.
    pub secrets_key: Option<&'a PublicKey>,
    /// Time of the export.
    pub now: DateTime<Utc>,
    /// Public address of the deployment.
    pub deployment: &'a str,
    /// Version of the program.
    pub program_version: &'a str,
    /// Size in bytes above which the export fails.
    pub max_bytes: u64,
    /// Time within which the rows of the main database are read: [`SNAPSHOT_TIMEOUT`], unless a test shortens it.
    pub snapshot_timeout: Duration,
    /// Run for a stored archive: the export ends when the archive does.
    pub run: Option<Run>,
}

/// Writes the archive of an account.
///
/// Rows of the main database are of one snapshot. Rows over time are read afterwards, in short statements.
///
/// # Errors
/// An unknown account, a limit that is exceeded, an archive that has ended meanwhile, or a store or the target that fails. Nothing is left of an object
/// then; a file keeps what was written.
pub async fn export(stores: Stores<'_>, request: Request<'_>, target: Target) -> Result<Written> {
    let watch = request.run.map(|run| Watch::new(stores.postgres.clone(), run));
    let mut writer = ArchiveWriter::new(target, request.max_bytes, watch);
    match write(stores, request, &mut writer).await {
        Ok(()) => writer.finish().await,
        Err(error) => {
            writer.abort().await;
            Err(error)
        }
    }
}

async fn write(stores: Stores<'_>, request: Request<'_>, writer: &mut ArchiveWriter) -> Result<()> {
    let snapshot = snapshot::write(stores, request, writer);
    let Head { name, plan, secrets, object_keys } =
        timeout(request.snapshot_timeout, snapshot).await.map_err(|_elapsed| Error::TooSlow)??;
    for table in tables().filter(|table| table.home == Home::TimeSeries) {
        if let Some(rows) = table.exported_rows() {
            pages::write(stores.timescaledb, request, table, rows, writer).await?;
        }
    }
    objects::write(stores.storage, request.account, &object_keys, writer).await?;
    let manifest = Manifest {
        format: FORMAT.to_owned(),
        version: VERSION,
        account_id: request.account,
        account_name: name,
        exported_at: request.now,
        deployment: request.deployment.to_owned(),
        program_version: request.program_version.to_owned(),
        plan,
        secrets,
        files: writer.files().to_vec(),
    };
    writer.begin_bytes(FILE).await?;
    writer.bytes(&serde_json::to_vec_pretty(&manifest)?).await?;
    writer.end().await
}
