//! Configuration: variables of the environment and of a file, read once into typed sections.
//!
//! A wrong value is refused at start with a message that names the variable. `.env.example` lists every
//! variable with its default.

mod address;
mod archives;
mod billing;
mod connections;
mod descriptions;
mod exports;
pub mod file;
mod http;
mod ingest;
mod limits;
mod mail;
pub mod platforms;
mod reader;
mod secrets;
mod stores;
mod telemetry;
mod variables;
mod workers;

use std::collections::HashSet;

use url::Url;

pub use archives::ArchivesConfig;
pub use billing::BillingConfig;
pub use connections::ConnectionsConfig;
pub use exports::ExportsConfig;
pub use http::{ExplorersConfig, HttpConfig};
pub use ingest::{EventSubTransport, IngestConfig};
pub use limits::RateLimitsConfig;
pub use mail::{MailConfig, MailDelivery};
pub use reader::Reader;
pub use secrets::{JwtKey, SecretsConfig, named_keys_of};
pub use stores::{DatabasesConfig, RedisConfig};
pub use telemetry::TelemetryConfig;
pub use variables::{OTHER_NAMES, OTHER_PREFIXES, Source, Variable};
pub use workers::{SystemKey, WorkersConfig};

use crate::config::platforms::PlatformsConfig;

/// Configuration of a process.
#[derive(Debug, Clone)]
pub struct Config {
    /// Kind of the deployment.
    pub environment: Environment,
    /// The public listener.
    pub http: HttpConfig,
    /// The two databases.
    pub databases: DatabasesConfig,
    /// Redis.
    pub redis: RedisConfig,
    /// Keys and lifetimes of credentials.
    pub secrets: SecretsConfig,
    /// URL of the folder or bucket for objects.
    pub storage_url: Url,
    /// Rate limits of callers.
    pub rate_limits: RateLimitsConfig,
    /// Documents and explorers.
    pub explorers: ExplorersConfig,
    /// Logs, metrics and traces.
    pub telemetry: TelemetryConfig,
    /// Addresses and applications of platforms.
    pub platforms: PlatformsConfig,
    /// Connections to platforms.
    pub connections: ConnectionsConfig,
    /// The live path.
    pub ingest: IngestConfig,
    /// Billing.
    pub billing: BillingConfig,
    /// The daemons.
    pub workers: WorkersConfig,
    /// Outgoing mail.
    pub mail: MailConfig,
    /// Exports of reports.
    pub exports: ExportsConfig,
    /// Archives of accounts.
    pub archives: ArchivesConfig,
}

/// Kind of the deployment (reference/conventions.md#environments). Outside development, development secrets
/// are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Environment {
    /// A machine of a developer, or a test.
    Development,
    /// The deployment that releases are checked in.
    Staging,
    /// A deployment of one change.
    Preview,
    /// The deployment for customers.
    Production,
}

impl Environment {
    /// True when the process serves others than its developer. Then it may not depend on defaults of
    /// development.
    #[must_use]
    pub const fn is_deployment(self) -> bool {
        !matches!(self, Self::Development)
    }

    /// Value of the metric label `env`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Development => "development",
            Self::Staging => "staging",
            Self::Preview => "preview",
            Self::Production => "production",
        }
    }
}

impl std::fmt::Display for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for Environment {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        [Self::Development, Self::Staging, Self::Preview, Self::Production]
            .into_iter()
            .find(|environment| environment.as_str() == text)
            .ok_or(())
    }
}

impl Config {
    /// Reads the configuration from the given variables.
    ///
    /// # Errors
    /// One message for each variable that is wrong.
    pub fn from_variables(
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, Vec<String>> {
        Settings::from_variables(variables).config
    }

    /// Hosts of the deployment itself, which requests on behalf of accounts must not reach: of the public listener, of
    /// the files of extensions, and of the API as workers reach it.
    #[must_use]
    pub fn own_hosts(&self) -> HashSet<String> {
        let urls = [Some(&self.http.public_url), self.http.bundle_url.as_ref(), Some(&self.workers.api_url)];
        urls.into_iter().flatten().filter_map(Url::host_str).map(str::to_owned).collect()
    }

    fn read(reader: &mut Reader) -> Self {
        let environment = reader.value(
            "LUMIO_ENV",
            Environment::Development,
            "`development`, `staging`, `preview` or `production`",
        );
        let http = http::http(reader, environment);
        let secrets = secrets::read(reader, environment);
        if !environment.is_deployment() {
            secrets.check_exposure(reader, http.bind);
        }
        Self {
            environment,
            connections: connections::read(reader, &http.public_url),
            http,
            databases: stores::databases(reader, environment),
            redis: stores::redis(reader),
            secrets,
            storage_url: address::storage_url(reader, "LUMIO_STORAGE_URL", DEFAULT_STORAGE),
            rate_limits: limits::read(reader),
            explorers: http::explorers(reader, environment),
            telemetry: telemetry::read(reader, environment),
            platforms: platforms::read(reader, environment),
            ingest: ingest::read(reader),
            billing: billing::read(reader, environment),
            workers: workers::read(reader, environment),
            mail: mail::read(reader, environment),
            exports: exports::read(reader),
            archives: archives::read(reader),
        }
    }
}

/// Result of reading the variables.
#[derive(Debug)]
pub struct Settings {
    /// The configuration, or one message for each variable that is wrong.
    pub config: Result<Config, Vec<String>>,
    /// All variables, in the order of names.
    pub variables: Vec<Variable>,
    /// Warnings about settings that are probably mistakes, such as a variable that is never read.
    pub warnings: Vec<String>,
}

impl Settings {
    /// Reads the process environment.
    #[must_use]
    pub fn from_env() -> Self {
        Self::read(Reader::of_os(std::env::vars_os()))
    }

    /// Reads the given variables.
    #[must_use]
    pub fn from_variables(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        Self::read(Reader::new(variables))
    }

    fn read(mut reader: Reader) -> Self {
        let config = Config::read(&mut reader);
        let (variables, warnings) = (reader.variables(), reader.warnings());
        Self { config: reader.finish().map(|()| config), variables, warnings }
    }
}

const DEFAULT_STORAGE: &str = "file:///var/lib/lumio/storage";

#[cfg(test)]
mod tests;
