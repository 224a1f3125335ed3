//! Migrations, embedded in the binary so that a deployment needs no files (reference/storage.md#migrations).

use diesel::{
    migration::{MigrationSource, MigrationVersion},
    pg::Pg,
};
use diesel_async::{AsyncConnection, AsyncMigrationHarness, AsyncPgConnection};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use shared::{Error, Result, config::DatabasesConfig, secret::Secret};

const POSTGRES: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");
const TIMESERIES: EmbeddedMigrations = embed_migrations!("../../migrations/timeseries");

/// One of the two sets of migrations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schema {
    /// Migrations of the main database.
    Postgres,
    /// Migrations of the time-series database.
    Timeseries,
}

/// Migration of this program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Migration {
    /// Version: the first part of the name of its folder, without dashes.
    pub version: String,
    /// Name of its folder.
    pub name: String,
}

/// Names of the migrations that a command ran, each with its database.
pub type Ran = Vec<(Schema, String)>;

impl Schema {
    /// Both sets, in the order in which they run.
    pub const ALL: [Self; 2] = [Self::Postgres, Self::Timeseries];

    /// Name of the database in health and metrics.
    #[must_use]
    pub const fn store(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::Timeseries => "timescaledb",
        }
    }

    /// All migrations, oldest first.
    ///
    /// # Errors
    /// None in practice: the migrations are part of the program.
    pub fn migrations(self) -> Result<Vec<Migration>> {
        let named = |migration: &Embedded| Migration {
            version: migration.name().version().to_string(),
            name: migration.name().to_string(),
        };
        let all = sorted(self.source()).map_err(|error| Error::Internal(format!("migrations: {error}")))?;
        Ok(all.iter().map(named).collect())
    }

    const fn source(self) -> EmbeddedMigrations {
        match self {
            Self::Postgres => POSTGRES,
            Self::Timeseries => TIMESERIES,
        }
    }

    fn url(self, config: &DatabasesConfig) -> &Secret {
        match self {
            Self::Postgres => &config.direct_postgres,
            Self::Timeseries => &config.direct_timescaledb,
        }
    }
}

/// Brings both databases to the newest schema.
///
/// # Errors
/// An unreachable database or a failed migration. Migrations that ran before it are kept.
pub async fn migrate(config: &DatabasesConfig) -> Result<Ran> {
    let mut ran = Ran::new();
    for schema in Schema::ALL {
        let names = run(schema.url(config).clone(), move |harness| apply_missing(harness, schema)).await?;
        ran.extend(names.into_iter().map(|name| (schema, name)));
    }
    Ok(ran)
}

/// Reverts every migration of both databases, newest first. Tests use it to prove that each can be reverted.
///
/// # Errors
/// An unreachable database, or a migration that cannot be reverted.
pub async fn revert(config: &DatabasesConfig) -> Result<Ran> {
    let mut ran = Ran::new();
    for schema in [Schema::Timeseries, Schema::Postgres] {
        let names = run(schema.url(config).clone(), move |harness| revert_applied(harness, schema)).await?;
        ran.extend(names.into_iter().map(|name| (schema, name)));
    }
    Ok(ran)
}

fn apply_missing(harness: &mut Harness, schema: Schema) -> MigrationResult<Vec<String>> {
    let applied = harness.applied_migrations()?;
    let missing = |migration: &Embedded| !is_among(&applied, migration);
    let migrations: Vec<Embedded> = sorted(schema.source())?.into_iter().filter(missing).collect();
    for migration in &migrations {
        harness.run_migration(migration)?;
    }
    Ok(names(&migrations))
}

/// Reverts the applied migrations of a schema. The method of the harness fails on the other set when both are
/// in one database.
fn revert_applied(harness: &mut Harness, schema: Schema) -> MigrationResult<Vec<String>> {
    let applied = harness.applied_migrations()?;
    let there = |migration: &Embedded| is_among(&applied, migration);
    let migrations: Vec<Embedded> = sorted(schema.source())?.into_iter().rev().filter(there).collect();
    for migration in &migrations {
        harness.revert_migration(migration)?;
    }
    Ok(names(&migrations))
}

type Embedded = Box<dyn diesel::migration::Migration<Pg>>;

/// Sorts migrations, oldest first.
fn sorted(source: EmbeddedMigrations) -> MigrationResult<Vec<Embedded>> {
    let mut migrations = MigrationSource::<Pg>::migrations(&source)?;
    migrations.sort_unstable_by(|a, b| a.name().version().cmp(&b.name().version()));
    Ok(migrations)
}

fn is_among(applied: &[MigrationVersion<'static>], migration: &Embedded) -> bool {
    applied.contains(&migration.name().version().as_owned())
}

fn names(migrations: &[Embedded]) -> Vec<String> {
    migrations.iter().map(|migration| migration.name().to_string()).collect()
}

type Harness = AsyncMigrationHarness<AsyncPgConnection>;
type MigrationResult<T> = diesel::migration::Result<T>;

/// Runs on its own thread and runtime. The harness blocks, which the single-threaded runtimes of the callers
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
