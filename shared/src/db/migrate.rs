//! Migrations, embedded in the binary so that a deployment needs no files.

use diesel_async::{AsyncConnection, AsyncMigrationHarness, AsyncPgConnection};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use crate::{Error, Result, config::DatabasesConfig, secret::Secret};

const POSTGRES: EmbeddedMigrations = embed_migrations!("../migrations/postgres");
const TIMESERIES: EmbeddedMigrations = embed_migrations!("../migrations/timeseries");

/// Brings both databases to the newest schema. Answers the names of the migrations that ran.
///
/// # Errors
/// When a database cannot be reached or a migration fails; what ran before it stays.
pub async fn migrate(config: &DatabasesConfig) -> Result<Vec<String>> {
    let mut ran = run(config.postgres.clone(), |harness| names(harness.run_pending_migrations(POSTGRES)?)).await?;
    ran.extend(run(config.timescaledb.clone(), |harness| names(harness.run_pending_migrations(TIMESERIES)?)).await?);
    Ok(ran)
}

/// Undoes every migration of both databases, newest first: the tests' proof that each can be undone.
///
/// # Errors
/// When a database cannot be reached or a migration cannot be undone.
pub async fn revert(config: &DatabasesConfig) -> Result<()> {
    run(config.timescaledb.clone(), |harness| harness.revert_all_migrations(TIMESERIES).map(drop)).await?;
    run(config.postgres.clone(), |harness| harness.revert_all_migrations(POSTGRES).map(drop)).await
}

fn names(versions: Vec<diesel::migration::MigrationVersion<'_>>) -> MigrationResult<Vec<String>> {
    Ok(versions.iter().map(ToString::to_string).collect())
}

type Harness = AsyncMigrationHarness<AsyncPgConnection>;
type MigrationResult<T> = diesel::migration::Result<T>;

/// Runs on a thread and a runtime of its own: the harness blocks, which the callers' single-threaded runtimes
/// do not allow.
async fn run<T: Send + 'static>(
    url: Secret,
    work: impl FnOnce(&mut Harness) -> MigrationResult<T> + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(|error| Error::Internal(format!("runtime for migrations: {error}")))?;
        runtime.block_on(async move {
            let connection = AsyncPgConnection::establish(url.expose())
                .await
                .map_err(|error| Error::Pool(error.to_string()))?;
            work(&mut AsyncMigrationHarness::new(connection))
                .map_err(|error| Error::Internal(format!("migration: {error}")))
        })
    })
    .await
    .map_err(|error| Error::Internal(format!("migration: {error}")))?
}
