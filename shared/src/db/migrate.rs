//! Migrations, embedded in the binary so that a deployment needs no files.

use diesel::{
    migration::{MigrationSource, MigrationVersion},
    pg::Pg,
};
use diesel_async::{AsyncConnection, AsyncMigrationHarness, AsyncPgConnection};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use crate::{Error, Result, config::DatabasesConfig, secret::Secret};

const POSTGRES: EmbeddedMigrations = embed_migrations!("../migrations/postgres");
const TIMESERIES: EmbeddedMigrations = embed_migrations!("../migrations/timeseries");

/// One of the two sets of migrations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schema {
    Postgres,
    Timeseries,
}

/// A migration of this program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Migration {
    pub version: String,
    /// The name of its folder.
    pub name: String,
}

/// What a command did to the schemas: the names of migrations, with the database in which they ran.
pub type Ran = Vec<(Schema, String)>;

impl Schema {
    pub const ALL: [Self; 2] = [Self::Postgres, Self::Timeseries];

    /// The database, as health and metrics name it.
    #[must_use]
    pub const fn store(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::Timeseries => "timescaledb",
        }
    }

    /// Every migration, oldest first.
    ///
    /// # Errors
    /// Never in practice: they are part of the program.
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
            Self::Postgres => &config.postgres,
            Self::Timeseries => &config.timescaledb,
        }
    }
}

/// Brings both databases to the newest schema.
///
/// # Errors
/// When a database cannot be reached or a migration fails; what ran before it stays.
pub async fn migrate(config: &DatabasesConfig) -> Result<Ran> {
    let mut ran = Ran::new();
    for schema in Schema::ALL {
        let names = run(schema.url(config).clone(), move |harness| apply_missing(harness, schema)).await?;
        ran.extend(names.into_iter().map(|name| (schema, name)));
    }
    Ok(ran)
}

/// Undoes every migration of both databases, newest first: the tests' proof that each can be undone.
///
/// # Errors
/// When a database cannot be reached or a migration cannot be undone.
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

/// Undoes what of a schema is applied. The harness's own way would stumble over the other set when both live in one
/// database.
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

/// Oldest first.
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
