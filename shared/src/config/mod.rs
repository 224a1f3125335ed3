//! Configuration: environment variables read once into typed sections. A wrong value is refused at start with a
//! message that names the variable. `.env.example` lists every variable with its default.

mod connections;
mod ingest;
mod mail;
mod platforms;
mod reader;
mod secrets;

use std::{net::SocketAddr, time::Duration};

use url::Url;

pub use connections::ConnectionsConfig;
pub use ingest::{EventSubTransport, IngestConfig};
pub use mail::{MailConfig, MailDelivery};
pub use reader::Reader;
pub use secrets::{JwtKey, SecretsConfig};

use crate::{platforms::PlatformsConfig, secret::Secret};

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

/// The public listener and what surrounds it.
#[derive(Debug, Clone)]
pub struct HttpConfig {
    pub bind: SocketAddr,
    pub metrics_bind: SocketAddr,
    /// Origin under which clients reach the API; platform callbacks are built from it.
    pub public_url: Url,
    /// Origin of the dashboard, which links in mails lead to.
    pub web_url: Url,
    /// Origin of the operators' dashboard, if there is one: browsers may be sent back to it.
    pub admin_url: Option<Url>,
    /// Origins of browsers that may call with credentials, as browsers write them.
    pub allowed_origins: Vec<String>,
    /// How many proxies in front may be believed about `X-Forwarded-For` (specification C §2.4).
    pub trusted_proxy_hops: usize,
    /// `actix-web` worker threads; 0 means one a core.
    pub threads: usize,
    /// The text of `/.well-known/security.txt`.
    pub security_txt: String,
}

/// The two databases (specification A §4.1, health). They may be the same one.
#[derive(Debug, Clone)]
pub struct DatabasesConfig {
    pub postgres: Secret,
    pub timescaledb: Secret,
    pub pool_size: u32,
    /// Longest wait for a connection before a request fails with `DATABASE_ERROR`.
    pub pool_timeout: Duration,
}

/// Redis.
#[derive(Debug, Clone)]
pub struct RedisConfig {
    pub url: Secret,
    /// First part of every key and channel, so that several deployments or tests can share a server.
    pub prefix: String,
    pub pool_size: u32,
}

/// Requests per minute by tier (specification A §8, C §2.4). System keys are not limited.
#[derive(Debug, Clone)]
pub struct RateLimitsConfig {
    pub anonymous: u32,
    pub session: u32,
    pub api_key: u32,
    pub service_key: u32,
    pub popout: u32,
    pub overlay: u32,
    pub surface: u32,
    pub auth_exchange: u32,
    /// Chat messages of an account on one platform in 30 seconds (specification C B13).
    pub chat_send: u32,
}

/// Which documents and explorers are served (specification A §4.1).
#[derive(Debug, Clone)]
pub struct ExplorersConfig {
    pub graphiql: bool,
    pub swagger_ui: bool,
    pub api_doc: bool,
    pub openapi: bool,
    /// The AsyncAPI document of the WebSocket protocol.
    pub asyncapi: bool,
    /// The page that shows a live channel.
    pub live: bool,
    /// Folder with the files of GraphiQL, which `scripts/graphiql` fetches.
    pub graphiql_dir: String,
}

/// Logs, metrics and traces.
#[derive(Debug, Clone)]
pub struct TelemetryConfig {
    /// Filter in the syntax of `tracing`'s `EnvFilter`.
    pub log: String,
    pub json_logs: bool,
    /// Base URL of an OTLP collector; traces stay home when it is not set.
    pub otlp_url: Option<Url>,
}

/// What accounts pay for (specification C §8.2). The service never calls a payment provider.
#[derive(Debug, Clone)]
pub struct BillingConfig {
    /// Whether owners may move to plans that cost something without paying. Development only.
    pub manual_plan_change: bool,
}

/// What the daemons need beyond the rest.
#[derive(Debug, Clone)]
pub struct WorkersConfig {
    pub metrics_bind: SocketAddr,
    /// Origin of the API as the workers reach it.
    pub api_url: Url,
    /// Credential of the workers for `/v1/internal/*`.
    pub system_key: Option<Secret>,
    /// Folder with the JavaScript engine (`engine.wasm`) and its compiled form.
    pub engine_dir: String,
    /// Handler invocations that may run at once in one process.
    pub runtime_concurrency: usize,
    /// Handler invocations of one install per minute (specification B §8).
    pub runtime_invocations_per_minute: u32,
    /// Hosts, beside public ones, that handlers may reach: `host:port` of stand-ins in development and tests.
    pub egress_test_hosts: Vec<String>,
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
        let http = http(reader);
        Self {
            environment,
            connections: connections::read(reader, &http.public_url),
            http,
            databases: databases(reader, environment),
            redis: redis(reader),
            secrets: secrets::read(reader, environment),
            storage_url: url(reader, "LUMIO_STORAGE_URL", DEFAULT_STORAGE),
            rate_limits: rate_limits(reader),
            explorers: explorers(reader, environment),
            telemetry: telemetry(reader, environment),
            platforms: platforms::read(reader, environment),
            ingest: ingest::read(reader),
            billing: billing(reader, environment),
            workers: workers(reader, environment),
            mail: mail::read(reader, environment),
        }
    }
}

const DEFAULT_DATABASE: &str = "postgres://lumio@127.0.0.1:5432/lumio";
const DEFAULT_STORAGE: &str = "file:///var/lib/lumio/storage";

fn http(reader: &mut Reader) -> HttpConfig {
    HttpConfig {
        bind: address(reader, "LUMIO_HTTP_BIND", ([127, 0, 0, 1], 8080)),
        metrics_bind: address(reader, "LUMIO_METRICS_BIND", ([127, 0, 0, 1], 9100)),
        public_url: url(reader, "LUMIO_PUBLIC_URL", "http://localhost:8080"),
        web_url: url(reader, "LUMIO_WEB_URL", "http://localhost:3000"),
        admin_url: optional_url(reader, "LUMIO_ADMIN_URL"),
        allowed_origins: allowed_origins(reader),
        trusted_proxy_hops: reader.within("LUMIO_TRUSTED_PROXY_HOPS", 0, 0, 8),
        threads: reader.within("LUMIO_HTTP_THREADS", 0, 0, 256),
        security_txt: reader.text("LUMIO_SECURITY_TXT", "Contact: mailto:security@localhost\n"),
    }
}

fn allowed_origins(reader: &mut Reader) -> Vec<String> {
    const NAME: &str = "LUMIO_ALLOWED_ORIGINS";
    let origins: Option<Vec<String>> = reader.list(NAME).iter().map(|text| origin(text)).collect();
    if origins.is_none() {
        reader.mistake(
            NAME,
            "must be origins such as https://app.example, several separated by commas; `*` is none",
        );
    }
    origins.unwrap_or_default()
}

/// An origin as browsers write it: scheme, host, and the port unless it is the scheme's.
fn origin(text: &str) -> Option<String> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let is_bare =
        url.path() == "/" && url.query().is_none() && url.fragment().is_none() && !holds_userinfo(&url);
    // A `*` in the host parses, but no browser sends such an origin.
    (is_bare && !text.contains('*')).then(|| url.origin().ascii_serialization())
}

fn databases(reader: &mut Reader, environment: Environment) -> DatabasesConfig {
    let postgres = reader.optional("DATABASE_URL");
    if postgres.is_none() && environment.is_deployment() {
        reader.mistake("DATABASE_URL", "must be set outside development");
    }
    let postgres = postgres.unwrap_or_else(|| DEFAULT_DATABASE.to_owned());
    DatabasesConfig {
        timescaledb: Secret::new(reader.text("LUMIO_TIMESCALEDB_URL", &postgres)),
        postgres: Secret::new(postgres),
        pool_size: reader.within("LUMIO_DATABASE_POOL", 16, 1, 500),
        pool_timeout: Duration::from_millis(reader.within(
            "LUMIO_DATABASE_POOL_TIMEOUT_MS",
            2000,
            50,
            60_000,
        )),
    }
}

fn redis(reader: &mut Reader) -> RedisConfig {
    let prefix = reader.text("LUMIO_REDIS_PREFIX", "lumio");
    if !prefix.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-') {
        reader.mistake("LUMIO_REDIS_PREFIX", "must consist of letters, digits, `_` and `-`");
    }
    RedisConfig {
        url: Secret::new(reader.text("REDIS_URL", "redis://127.0.0.1:6379")),
        prefix,
        pool_size: reader.within("LUMIO_REDIS_POOL", 16, 1, 500),
    }
}

fn rate_limits(reader: &mut Reader) -> RateLimitsConfig {
    let mut per_minute = |name: &str, default| reader.within(name, default, 1, 1_000_000_000);
    RateLimitsConfig {
        anonymous: per_minute("LUMIO_RATE_ANONYMOUS", 120),
        session: per_minute("LUMIO_RATE_SESSION", 600),
        api_key: per_minute("LUMIO_RATE_API_KEY", 1200),
        service_key: per_minute("LUMIO_RATE_SERVICE_KEY", 1200),
        popout: per_minute("LUMIO_RATE_POPOUT", 600),
        overlay: per_minute("LUMIO_RATE_OVERLAY", 600),
        surface: per_minute("LUMIO_RATE_SURFACE", 600),
        auth_exchange: per_minute("LUMIO_RATE_AUTH_EXCHANGE", 60),
        chat_send: reader.within("LUMIO_RATE_CHAT_SEND", 20, 1, 1_000_000_000),
    }
}

fn explorers(reader: &mut Reader, environment: Environment) -> ExplorersConfig {
    let default = environment == Environment::Development;
    ExplorersConfig {
        graphiql: reader.flag("LUMIO_GRAPHIQL", default),
        swagger_ui: reader.flag("LUMIO_SWAGGER_UI", default),
        api_doc: reader.flag("LUMIO_API_DOC", default),
        openapi: reader.flag("LUMIO_OPENAPI", default),
        asyncapi: reader.flag("LUMIO_ASYNCAPI", default),
        live: reader.flag("LUMIO_LIVE", default),
        graphiql_dir: reader.text("LUMIO_GRAPHIQL_DIR", "/var/lib/lumio/graphiql"),
    }
}

fn telemetry(reader: &mut Reader, environment: Environment) -> TelemetryConfig {
    TelemetryConfig {
        log: reader.text("LUMIO_LOG", "info"),
        json_logs: reader.flag("LUMIO_LOG_JSON", environment != Environment::Development),
        otlp_url: optional_url(reader, "LUMIO_OTLP_URL"),
    }
}

fn billing(reader: &mut Reader, environment: Environment) -> BillingConfig {
    const NAME: &str = "LUMIO_BILLING_MANUAL_PLAN_CHANGE";
    let manual_plan_change = reader.flag(NAME, false);
    if manual_plan_change && environment.is_deployment() {
        reader.mistake(NAME, "must not be set outside development");
    }
    BillingConfig { manual_plan_change }
}

fn workers(reader: &mut Reader, environment: Environment) -> WorkersConfig {
    WorkersConfig {
        metrics_bind: address(reader, "LUMIO_WORKER_METRICS_BIND", ([127, 0, 0, 1], 9101)),
        api_url: url(reader, "LUMIO_API_URL", "http://127.0.0.1:8080"),
        system_key: reader.secret("LUMIO_SYSTEM_KEY"),
        engine_dir: reader.text("LUMIO_ENGINE_DIR", "/var/lib/lumio/engine"),
        runtime_concurrency: reader.within("LUMIO_RUNTIME_CONCURRENCY", 64, 1, 1000),
        runtime_invocations_per_minute: reader.within(
            "LUMIO_RUNTIME_INVOCATIONS_PER_MINUTE",
            300,
            1,
            1_000_000,
        ),
        egress_test_hosts: egress_test_hosts(reader, environment),
    }
}

/// These hosts lie inside the network, so only where nobody else's extensions run may handlers reach them.
fn egress_test_hosts(reader: &mut Reader, environment: Environment) -> Vec<String> {
    const NAME: &str = "LUMIO_EGRESS_TEST_HOSTS";
    let hosts = reader.list(NAME);
    if !hosts.is_empty() && environment.is_deployment() {
        reader.mistake(NAME, "must not be set outside development");
    }
    let has_port = |host: &String| host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    if !hosts.iter().all(has_port) {
        reader.mistake(NAME, "must be `host:port`, several separated by commas");
    }
    hosts
}

fn address(reader: &mut Reader, name: &str, default: ([u8; 4], u16)) -> SocketAddr {
    reader.value(name, SocketAddr::from(default), "an address and a port such as 127.0.0.1:8080")
}

fn url(reader: &mut Reader, name: &str, default: &str) -> Url {
    optional_url(reader, name).unwrap_or_else(|| parse_default(default))
}

fn optional_url(reader: &mut Reader, name: &str) -> Option<Url> {
    match reader.optional(name).map(|text| Url::parse(&text)) {
        None => None,
        // These URLs are printed and logged as they are.
        Some(Ok(url)) if holds_userinfo(&url) => {
            reader.mistake(name, "must not hold a user name or a password");
            None
        }
        Some(Ok(url)) => Some(url),
        Some(Err(error)) => {
            reader.mistake(name, format_args!("must be an absolute URL ({error})"));
            None
        }
    }
}

fn holds_userinfo(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

#[expect(clippy::expect_used, reason = "a literal of this file; the tests read every default")]
fn parse_default(text: &str) -> Url {
    Url::parse(text).expect("a default URL parses")
}

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
