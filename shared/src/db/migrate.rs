//! Migrations, embedded in the binary so that a deployment needs no files.

use diesel::migration::MigrationSource;
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
    let mut ran =
        run(config.postgres.clone(), |harness| names(harness.run_pending_migrations(POSTGRES)?)).await?;
    ran.extend(
        run(config.timescaledb.clone(), |harness| names(harness.run_pending_migrations(TIMESERIES)?)).await?,
    );
    Ok(ran)
}

/// Undoes every migration of both databases, newest first: the tests' proof that each can be undone.
///
/// # Errors
/// When a database cannot be reached or a migration cannot be undone.
pub async fn revert(config: &DatabasesConfig) -> Result<()> {
    run(config.timescaledb.clone(), |harness| revert_applied(harness, TIMESERIES)).await?;
    run(config.postgres.clone(), |harness| revert_applied(harness, POSTGRES)).await
}

/// Undoes what of `source` is applied. The harness's own way would stumble over the other set when both live in one
/// database.
fn revert_applied(harness: &mut Harness, source: EmbeddedMigrations) -> MigrationResult<()> {
    let applied = harness.applied_migrations()?;
    let mut migrations = MigrationSource::<diesel::pg::Pg>::migrations(&source)?;
    migrations.retain(|migration| applied.contains(&migration.name().version().as_owned()));
    migrations.sort_unstable_by(|a, b| b.name().version().cmp(&a.name().version()));
    for migration in &migrations {
        harness.revert_migration(migration)?;
    }
    Ok(())
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
