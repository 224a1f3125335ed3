//! Checks of the databases: they reply, and their schema is that of this program.

use std::collections::BTreeSet;

use tokio_postgres::{Client, SimpleQueryMessage, error::SqlState};

use super::{
    ReasonCode,
    findings::{CHECK_TIMEOUT, Findings, Problem},
};
use crate::db::{
    Migration, Schema,
    connect::{Hosts, Statements},
    driver::ConnectError,
};
use shared::{Result, config::DatabasesConfig, secret::Secret};

/// One server, over a separate connection, with the databases of ours that are behind its URL.
pub(super) struct Postgres {
    url: Secret,
    hosts: Hosts,
    schemas: Vec<(Schema, Vec<Migration>)>,
    client: Option<Client>,
}

impl Postgres {
    /// Databases of a process. Both share a connection when they are the same one.
    ///
    /// # Errors
    /// None in practice: the migrations are part of the program.
    pub fn of(config: &DatabasesConfig) -> Result<Vec<Self>> {
        let named = [(Schema::Postgres, &config.postgres), (Schema::Timeseries, &config.timescaledb)];
        let mut servers: Vec<Self> = Vec::new();
        for (schema, url) in named {
            let entry = (schema, schema.migrations()?);
            match servers.iter_mut().find(|server| server.url == *url) {
                Some(server) => server.schemas.push(entry),
                None => servers.push(Self {
                    url: url.clone(),
                    // Simple queries prepare no statement.
                    hosts: Hosts::new(url.expose(), Statements::Named),
                    schemas: vec![entry],
                    client: None,
                }),
            }
        }
        Ok(servers)
    }

    /// Names of the databases, as health and metrics have them.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.schemas.iter().map(|(schema, _)| schema.store())
    }

    /// Reads the migrations that have run.
    pub async fn check(&mut self) -> Findings {
        let client = self.client.take();
        let asked = tokio::time::timeout(CHECK_TIMEOUT, self.ask(client)).await;
        match asked {
            Ok(Ok((client, applied))) => {
                self.client = Some(client);
                let outdated = |migrations: &[Migration]| outdated(migrations, &applied);
                self.schemas.iter().map(|(schema, all)| (schema.store(), outdated(all))).collect()
            }
            Ok(Err(error)) => self.every(|| problem(&error)),
            Err(_elapsed) => self.every(|| problem(&ConnectError::Silent)),
        }
    }

    fn every(&self, problem: impl Fn() -> Problem) -> Findings {
        self.names().map(|name| (name, Some(problem()))).collect()
    }

    /// Versions of the migrations that have run. Empty for an empty database.
    async fn ask(&self, known: Option<Client>) -> Result<(Client, BTreeSet<String>), ConnectError> {
        let client = match known.filter(|client| !client.is_closed()) {
            Some(client) => client,
            None => connect(&self.hosts).await?,
        };
        let rows = match client.simple_query("SELECT version FROM __diesel_schema_migrations").await {
            Ok(rows) => rows,
            Err(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => Vec::new(),
            Err(error) => return Err(ConnectError::Postgres(error)),
        };
        let version = |row: &SimpleQueryMessage| match row {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        };
        Ok((client, rows.iter().filter_map(version).collect()))
    }
}

async fn connect(hosts: &Hosts) -> Result<Client, ConnectError> {
    let (client, driver) = hosts.connect(CHECK_TIMEOUT).await?;
    tokio::spawn(async move {
        if let Err(error) = driver.await {
            tracing::debug!(%error, "the connection of the readiness check has ended");
        }
    });
    Ok(client)
}

fn problem(error: &ConnectError) -> Problem {
    let refusal = match error {
        ConnectError::Postgres(error) => error.as_db_error(),
        _ => None,
    };
    match refusal {
        Some(refusal) => Problem { code: ReasonCode::Refused, detail: refusal.message().to_owned() },
        None => Problem { code: ReasonCode::Unreachable, detail: error.to_string() },
    }
}

fn outdated(migrations: &[Migration], applied: &BTreeSet<String>) -> Option<Problem> {
    let missing: Vec<&Migration> =
        migrations.iter().filter(|migration| !applied.contains(&migration.version)).collect();
    let first = missing.first()?;
    let detail = format!(
        "the schema is older than this program, run `lumio-api migrate`: {} of {} migrations are missing, the first is {}",
        missing.len(),
        migrations.len(),
        first.name
    );
    Some(Problem { code: ReasonCode::SchemaOutdated, detail })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn migration(version: &str) -> Migration {
        Migration { version: version.to_owned(), name: format!("{version}_name") }
    }

    #[test]
    fn outdated_reports_missing_migrations_and_accepts_newer_schemas() {
        let ours = [migration("1"), migration("2")];
        let applied = |versions: &[&str]| versions.iter().map(|version| (*version).to_owned()).collect();
        assert_eq!(outdated(&ours, &applied(&["1", "2"])), None);
        assert_eq!(outdated(&ours, &applied(&["1", "2", "3"])), None, "a newer program has migrated");
        let problem = outdated(&ours, &applied(&["1", "3"])).unwrap();
        assert_eq!(problem.code, ReasonCode::SchemaOutdated);
        assert!(
            problem.detail.ends_with("1 of 2 migrations are missing, the first is 2_name"),
            "{problem:?}"
        );
        assert!(outdated(&ours, &applied(&[])).unwrap().detail.contains("2 of 2"));
    }

    #[test]
    fn postgres_checks_share_a_connection_when_the_databases_are_equal() {
        let config =
            |timescaledb: &str| DatabasesConfig::new(Secret::new("postgres://a/x"), Secret::new(timescaledb));
        let names = |server: &Postgres| server.names().collect::<Vec<_>>();
        let one = Postgres::of(&config("postgres://a/x")).unwrap();
        assert_eq!(one.iter().map(names).collect::<Vec<_>>(), [["postgres", "timescaledb"]]);
        let two = Postgres::of(&config("postgres://b/x")).unwrap();
        assert_eq!(two.iter().map(names).collect::<Vec<_>>(), [["postgres"], ["timescaledb"]]);
    }
}
