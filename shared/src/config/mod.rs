//! Configuration: environment variables read once into typed sections. A wrong value is refused at start with a
//! message that names the variable. `.env.example` lists every variable with its default.

mod address;
mod billing;
mod connections;
mod http;
mod ingest;
mod limits;
mod mail;
mod platforms;
mod reader;
mod secrets;
mod stores;
mod telemetry;
mod workers;

use url::Url;

pub use billing::BillingConfig;
pub use connections::ConnectionsConfig;
pub use http::{ExplorersConfig, HttpConfig};
pub use ingest::{EventSubTransport, IngestConfig};
pub use limits::RateLimitsConfig;
pub use mail::{MailConfig, MailDelivery};
pub use reader::Reader;
pub use secrets::{JwtKey, SecretsConfig};
pub use stores::{DatabasesConfig, RedisConfig};
pub use telemetry::TelemetryConfig;
pub use workers::WorkersConfig;

use crate::platforms::PlatformsConfig;

/// Everything a process is told from outside.
#[derive(Debug, Clone)]
pub struct Config {
    pub environment: Environment,
    pub http: HttpConfig,
    pub databases: DatabasesConfig,
    pub redis: RedisConfig,
    pub secrets: SecretsConfig,
    pub storage_url: Url,
    pub rate_limits: RateLimitsConfig,
    pub explorers: ExplorersConfig,
    pub telemetry: TelemetryConfig,
    pub platforms: PlatformsConfig,
    pub connections: ConnectionsConfig,
    pub ingest: IngestConfig,
    pub billing: BillingConfig,
    pub workers: WorkersConfig,
    pub mail: MailConfig,
}

/// Which deployment this is (specification A §1). Outside development, development secrets are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Environment {
    Development,
    Staging,
    Preview,
    Production,
}

impl Environment {
    /// Whether this serves others than the one who builds it: then nothing may rest on what development provides.
    #[must_use]
    pub const fn is_deployment(self) -> bool {
        !matches!(self, Self::Development)
    }

    /// The value of the metric label `env`.
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
    /// Reads the process environment.
    ///
    /// # Errors
    /// One message for each variable that is wrong.
    pub fn from_env() -> Result<Self, Vec<String>> {
        Self::finish(Reader::of_os(std::env::vars_os()))
    }

    /// Reads given variables.
    ///
    /// # Errors
    /// One message for each variable that is wrong.
    pub fn from_variables(
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, Vec<String>> {
        Self::finish(Reader::new(variables))
    }

    fn finish(mut reader: Reader) -> Result<Self, Vec<String>> {
        let config = Self::read(&mut reader);
        reader.finish().map(|()| config)
    }

    fn read(reader: &mut Reader) -> Self {
        let environment = reader.value(
            "LUMIO_ENV",
            Environment::Development,
            "`development`, `staging`, `preview` or `production`",
        );
        let http = http::http(reader);
        Self {
            environment,
            connections: connections::read(reader, &http.public_url),
            http,
            databases: stores::databases(reader, environment),
            redis: stores::redis(reader),
            secrets: secrets::read(reader, environment),
            storage_url: address::url(reader, "LUMIO_STORAGE_URL", DEFAULT_STORAGE),
            rate_limits: limits::read(reader),
            explorers: http::explorers(reader, environment),
            telemetry: telemetry::read(reader, environment),
            platforms: platforms::read(reader, environment),
            ingest: ingest::read(reader),
            billing: billing::read(reader, environment),
            workers: workers::read(reader, environment),
            mail: mail::read(reader, environment),
        }
    }
}

const DEFAULT_STORAGE: &str = "file:///var/lib/lumio/storage";

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Config, Vec<String>> {
        Config::from_variables(
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
        )
    }

    #[test]
    fn development_needs_no_variable() {
        let config = read(&[]).unwrap();
        assert_eq!(config.environment, Environment::Development);
        assert_eq!(config.http.bind.port(), 8080);
        assert_eq!(config.rate_limits.anonymous, 120);
    }

    #[test]
    fn env_example_lists_every_variable() {
        let mut reader = Reader::new([("LUMIO_JWT_ED25519_PEM".to_owned(), String::new())]);
        Config::read(&mut reader);
        let example = include_str!("../../../.env.example");
        let names = example.lines().filter_map(|line| line.trim_start_matches("# ").split_once('='));
        let listed: std::collections::BTreeSet<String> = names
            .map(|(name, _)| name.to_owned())
            .filter(|name| name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_'))
            .collect();
        assert_eq!(
            listed,
            reader.asked(),
            ".env.example (left) and the configuration (right) name different variables"
        );
    }

    #[test]
    fn every_mistake_is_named_and_no_value_is_shown() {
        let mistakes = read(&[
            ("LUMIO_HTTP_BIND", "nowhere"),
            ("LUMIO_PUBLIC_URL", "s3cret"),
            ("LUMIO_DATABASE_POOL", "0"),
            ("LUMIO_GRAPHIQL", "yes"),
        ])
        .unwrap_err();
        for name in ["LUMIO_HTTP_BIND", "LUMIO_PUBLIC_URL", "LUMIO_DATABASE_POOL", "LUMIO_GRAPHIQL"] {
            assert!(mistakes.iter().any(|mistake| mistake.starts_with(name)), "{name} in {mistakes:?}");
        }
        assert!(!mistakes.concat().contains("s3cret"));
    }

    #[test]
    fn deployments_need_what_development_provides() {
        for environment in ["staging", "preview", "production"] {
            let mistakes = read(&[("LUMIO_ENV", environment), ("LUMIO_TWITCH_CLIENT_ID", "id")]).unwrap_err();
            for name in
                ["LUMIO_JWT_SECRET", "LUMIO_ENCRYPTION_KEYS", "DATABASE_URL", "LUMIO_TWITCH_EVENTSUB_SECRET"]
            {
                assert!(mistakes.iter().any(|mistake| mistake.starts_with(name)), "{name} in {mistakes:?}");
            }
        }
        let copied = secrets::DEVELOPMENT_JWT_SECRET;
        let mistakes = read(&[("LUMIO_ENV", "production"), ("LUMIO_JWT_SECRET", copied)]).unwrap_err();
        assert!(mistakes.iter().any(|mistake| mistake.starts_with("LUMIO_JWT_SECRET")));
    }

    #[test]
    fn handlers_reach_no_inner_host_outside_development() {
        let hosts = ("LUMIO_EGRESS_TEST_HOSTS", "127.0.0.1:9000, localhost:1");
        assert_eq!(read(&[hosts]).unwrap().workers.egress_test_hosts, ["127.0.0.1:9000", "localhost:1"]);
        let wrong = [
            &[("LUMIO_ENV", "production"), hosts][..],
            &[("LUMIO_ENV", "staging"), hosts],
            &[("LUMIO_EGRESS_TEST_HOSTS", "127.0.0.1")],
        ];
        for variables in wrong {
            let mistakes = read(variables).unwrap_err();
            assert!(
                mistakes.iter().any(|mistake| mistake.starts_with("LUMIO_EGRESS_TEST_HOSTS")),
                "{mistakes:?}"
            );
        }
    }

    #[test]
    fn allowed_origins_are_written_as_browsers_write_them() {
        let given = "https://App.Example/, http://localhost:5173,https://a.example:443";
        let config = read(&[("LUMIO_ALLOWED_ORIGINS", given)]).unwrap();
        let expected = ["https://app.example", "http://localhost:5173", "https://a.example"];
        assert_eq!(config.http.allowed_origins, expected);
        for wrong in ["*", "https://*.example", "app.example", "https://a.example/path", "ftp://a.example"] {
            let mistakes = read(&[("LUMIO_ALLOWED_ORIGINS", wrong)]).unwrap_err();
            assert!(
                mistakes[0].starts_with("LUMIO_ALLOWED_ORIGINS must be origins"),
                "{wrong}: {mistakes:?}"
            );
        }
    }

    #[test]
    fn urls_that_are_printed_hold_no_password() {
        for name in ["LUMIO_STORAGE_URL", "LUMIO_OTLP_URL", "LUMIO_PUBLIC_URL", "LUMIO_API_URL"] {
            for url in ["https://user:hunter2@host/", "https://user@host/"] {
                let mistakes = read(&[(name, url)]).unwrap_err();
                assert_eq!(mistakes, [format!("{name} must not hold a user name or a password")]);
            }
        }
    }

    #[test]
    fn only_variables_of_ours_must_be_text() {
        use std::{ffi::OsString, os::unix::ffi::OsStringExt};
        let variable = |name: &[u8]| (OsString::from_vec(name.to_vec()), OsString::from_vec(vec![0xff]));
        let foreign = [variable(b"LS_COLORS"), variable(&[0xfe])];
        assert!(Config::finish(Reader::of_os(foreign)).is_ok());
        let mistakes = Config::finish(Reader::of_os([variable(b"LUMIO_OTLP_URL")])).unwrap_err();
        assert_eq!(mistakes, ["LUMIO_OTLP_URL must be text in UTF-8"]);
    }

    #[test]
    fn printing_a_configuration_shows_no_secret() {
        let config = read(&[
            ("DATABASE_URL", "postgres://u:hunter2@db/x"),
            ("REDIS_URL", "redis://:hunter2@r"),
            ("LUMIO_TWITCH_CLIENT_SECRET", "hunter2"),
            ("LUMIO_SYSTEM_KEY", "hunter2"),
        ])
        .unwrap();
        assert!(!format!("{config:?}").contains("hunter2"));
    }
}
