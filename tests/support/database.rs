//! A database for one test, cloned from a template that is migrated and seeded once for each schema.

use std::{
    cell::RefCell,
    thread::{self, JoinHandle},
};

use diesel::prelude::*;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::db::Database;
use sha2::{Digest, Sha256};
use shared::{clock::Clock, config::DatabasesConfig, secret::Secret};

use crate::DEADLINE;

thread_local! {
    static DROPPING: RefCell<Dropping> = RefCell::default();
}

/// A database that belongs to one test.
pub struct TestDatabase {
    pub url: String,
    pub name: String,
}

/// The PostgreSQL server that tests may create databases on.
#[must_use]
pub fn database_server() -> String {
    std::env::var("LUMIO_TEST_DATABASE_URL").expect("LUMIO_TEST_DATABASE_URL is not set: run ./scripts/test")
}

/// The Redis server or cluster that tests share, each under its own prefix.
#[must_use]
pub fn redis_url() -> String {
    if on_cluster() {
        return std::env::var("LUMIO_TEST_REDIS_CLUSTER_URL").expect("LUMIO_TEST_REDIS_CLUSTER_URL is set");
    }
    redis_server_url()
}

/// A single Redis server, for tests that put a proxy before it: a cluster names the addresses of its nodes itself.
#[must_use]
pub fn redis_server_url() -> String {
    std::env::var("LUMIO_TEST_REDIS_URL").expect("LUMIO_TEST_REDIS_URL is not set: run ./scripts/test")
}

/// True when the tests run on Redis Clusters.
#[must_use]
pub fn on_cluster() -> bool {
    std::env::var("LUMIO_TEST_CLUSTER").is_ok_and(|value| value == "1")
}

impl TestDatabase {
    /// Clones the template.
    pub async fn create() -> Self {
        let server = database_server();
        let mut admin = connect(&server, "postgres").await;
        let template = template(&mut admin, &server).await;
        let name = format!("lumio_test_{}", uuid::Uuid::now_v7().simple());
        // Copies files: the other strategy writes each block of the template to the log.
        let sql = format!("CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY");
        execute(&mut admin, &sql).await;
        Self { url: url_of(&server, &name), name }
    }

    /// Variables of a program that uses the database. When the tests run behind a connection pooler, so does it.
    #[must_use]
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        if std::env::var("LUMIO_TEST_POOLER").as_deref() != Ok("1") {
            return vec![("DATABASE_URL", self.url.clone())];
        }
        let variable = |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("{name} is set"));
        vec![
            ("DATABASE_URL", url_of(&variable("LUMIO_TEST_POOLER_URL"), &self.name)),
            ("LUMIO_DATABASE_DIRECT_URL", self.url.clone()),
            ("LUMIO_DATABASE_PREPARED", variable("LUMIO_TEST_PREPARED")),
        ]
    }

    /// A database without a schema.
    pub async fn empty() -> Self {
        let server = database_server();
        let name = format!("lumio_test_{}", uuid::Uuid::now_v7().simple());
        execute(&mut connect(&server, "postgres").await, &format!("CREATE DATABASE {name}")).await;
        Self { url: url_of(&server, &name), name }
    }
}

impl Drop for TestDatabase {
    /// A thousand tests would fill a disk with their databases. `LUMIO_TEST_KEEP=1` keeps them for inspection.
    fn drop(&mut self) {
        if std::env::var_os("LUMIO_TEST_KEEP").is_some() {
            return;
        }
        let name = std::mem::take(&mut self.name);
        let dropping = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(drop_database(&name))
        });
        DROPPING.with_borrow_mut(|all| all.0.push(dropping));
    }
}

/// Databases of a thread that are being dropped; awaited when it ends. Not before: PostgreSQL drops a database once
/// every connection has ended, also one that a pool is still opening, which continues after the end of the test's
/// runtime, but not while the runtime waits.
#[derive(Default)]
struct Dropping(Vec<JoinHandle<Outcome>>);

type Outcome = Result<(), Box<dyn std::error::Error + Send + Sync>>;

impl Drop for Dropping {
    fn drop(&mut self) {
        for dropping in self.0.drain(..) {
            // A test may be ending by a panic already; a second one would hide it.
            match dropping.join() {
                Ok(Ok(())) => {}
                Ok(Err(error)) => eprintln!("a test's database stays: {error}"),
                Err(_panic) => eprintln!("a test's database stays"),
            }
        }
    }
}

async fn drop_database(name: &str) -> Outcome {
    let mut admin = AsyncPgConnection::establish(&url_of(&database_server(), "postgres")).await?;
    let sql = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
    let dropping = diesel::sql_query(sql).execute(&mut admin);
    tokio::time::timeout(DEADLINE, dropping).await??;
    Ok(())
}

/// Name of the template for the schema of this source tree; creates it when it is missing. It is valid for one day: its
/// time-series tables have partitions for the days around its creation.
async fn template(admin: &mut AsyncPgConnection, server: &str) -> String {
    let schema = format!("lumio_template_{}", schema_version());
    let name = format!("{schema}_{}", Clock::default().now().format("%Y%m%d"));
    // One test creates it, the others wait.
    execute(admin, "SELECT pg_advisory_lock(7205759403792793600)").await;
    if !exists(admin, &name).await {
        let draft = format!("{name}_draft");
        execute(admin, &format!("DROP DATABASE IF EXISTS {draft}")).await;
        execute(admin, &format!("CREATE DATABASE {draft}")).await;
        migrate(&url_of(server, &draft)).await;
        execute(admin, &format!("ALTER DATABASE {draft} RENAME TO {name}")).await;
        drop_others(admin, &schema, &name).await;
    }
    execute(admin, "SELECT pg_advisory_unlock(7205759403792793600)").await;
    name
}

/// Drops the templates of other days.
async fn drop_others(admin: &mut AsyncPgConnection, schema: &str, name: &str) {
    let others = pg_database::table
        .filter(pg_database::datname.like(format!("{schema}_%")).and(pg_database::datname.ne(name)))
        .select(pg_database::datname)
        .load::<String>(admin)
        .await
        .expect("the catalogue answers");
    for other in others {
        // Around midnight another test may be cloning from it.
        if let Err(error) = diesel::sql_query(format!("DROP DATABASE {other}")).execute(admin).await {
            eprintln!("a template stays: {error}");
        }
    }
}

diesel::table! {
    pg_database (datname) {
        datname -> Text,
    }
}

async fn migrate(url: &str) {
    let config = DatabasesConfig::new(Secret::new(url), Secret::new(url));
    foundation::db::migrate(&config).await.expect("the migrations run");
    let database = Database::new(&config.postgres, 1, DEADLINE);
    lumio_api::seeds::apply(&database).await.expect("the seeds apply");
}

/// A hash of everything that determines the content of a fresh database.
fn schema_version() -> String {
    let mut hash = Sha256::new();
    for folder in [
        "migrations/postgres",
        "migrations/timeseries",
        "shared/src/catalogue",
        "shared/extension-model/src/system",
        "api/server/src/seeds",
    ] {
        let mut files =
            files_below(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder));
        files.sort();
        for file in files {
            hash.update(std::fs::read(file).expect("a readable file"));
        }
    }
    hex::encode(&hash.finalize()[..8])
}

fn files_below(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a readable folder");
    let paths = entries.map(|entry| entry.expect("a readable entry").path());
    paths.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

fn url_of(server: &str, database: &str) -> String {
    let mut url = url::Url::parse(server).expect("LUMIO_TEST_DATABASE_URL is a URL");
    url.set_path(database);
    url.to_string()
}

async fn connect(server: &str, database: &str) -> AsyncPgConnection {
    AsyncPgConnection::establish(&url_of(server, database)).await.expect("the test database server answers")
}

async fn execute(connection: &mut AsyncPgConnection, sql: &str) {
    diesel::sql_query(sql).execute(connection).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
}

async fn exists(connection: &mut AsyncPgConnection, name: &str) -> bool {
    let found = diesel::sql_query(format!("SELECT 1 FROM pg_database WHERE datname = '{name}'"));
    found.execute(connection).await.expect("the catalogue answers") > 0
}
