//! Configuration of the databases and of Redis.

use std::time::Duration;

use tokio_postgres::config::{Host, TargetSessionAttrs};

use super::{Environment, Reader};
use crate::secret::Secret;

/// URLs and pools of the two databases (reference/storage.md#databases). Both URLs may name the same one.
#[derive(Debug, Clone)]
pub struct DatabasesConfig {
    /// URL of the main database.
    pub postgres: Secret,
    /// URL of the time-series database.
    pub timescaledb: Secret,
    /// URL of a replica of the main database, for reads that may be a second old.
    pub replica: Option<Secret>,
    /// URL of the main database for migrations: without a connection pooler between.
    pub direct_postgres: Secret,
    /// The same of the time-series database.
    pub direct_timescaledb: Secret,
    /// False when a connection pooler between loses prepared statements.
    pub are_statements_prepared: bool,
    /// Connections of each pool.
    pub pool_size: u32,
    /// Longest wait for a connection before a request fails with `DATABASE_ERROR`.
    pub pool_timeout: Duration,
}

impl DatabasesConfig {
    /// Configuration of two databases with the defaults of everything else.
    #[must_use]
    pub fn new(postgres: Secret, timescaledb: Secret) -> Self {
        Self {
            direct_postgres: postgres.clone(),
            direct_timescaledb: timescaledb.clone(),
            postgres,
            timescaledb,
            replica: None,
            are_statements_prepared: true,
            pool_size: DEFAULT_POOL_SIZE,
            pool_timeout: Duration::from_millis(DEFAULT_POOL_TIMEOUT_MS),
        }
    }
}

/// Address and pool of Redis.
#[derive(Debug, Clone)]
pub struct RedisConfig {
    /// URL of the server or of the cluster.
    pub url: Secret,
    /// First part of every key and channel, so that several deployments or tests can share a server.
    pub prefix: String,
    /// Connections of the pool.
    pub pool_size: u32,
    /// Longest wait for a connection of the pool.
    pub pool_timeout: Duration,
}

const DEFAULT_DATABASE: &str = "postgres://lumio@127.0.0.1:5432/lumio";
const DEFAULT_POOL_SIZE: u32 = 16;
const DEFAULT_POOL_TIMEOUT_MS: u64 = 2000;
const DEFAULT_REDIS: &str = "redis://127.0.0.1:6379";
const DATABASE_FORM: &str = "must be postgres://USER:PASSWORD@HOST:5432/DATABASE, with characters such as @ and / of the \
                             password percent-encoded";
const REDIS_FORM: &str = "must be redis://USER:PASSWORD@HOST:6379, redis+unix:///run/redis/redis.sock or, for a Redis \
                          Cluster, redis+cluster://USER:PASSWORD@HOST:6379?node=HOST:6379, with characters such as @ \
                          and / of the password percent-encoded";
/// Waits that a check of the URL needs and that nothing uses: it does not connect.
const NO_TIMEOUTS: redis_servers::Timeouts =
    redis_servers::Timeouts { connect: Duration::ZERO, response: Duration::ZERO };

pub(super) fn databases(reader: &mut Reader, environment: Environment) -> DatabasesConfig {
    const POSTGRES: &str = "DATABASE_URL";
    const TIMESCALEDB: &str = "LUMIO_TIMESCALEDB_URL";
    // Every client of PostgreSQL reads this variable.
    let password = reader.secret("PGPASSWORD");
    let password = password.as_ref();
    let postgres = database_url(reader, POSTGRES, password, Server::Primary);
    if postgres.is_none() && environment.is_deployment() {
        reader.mistake(POSTGRES, "must be set outside development");
    }
    reader.default_of(POSTGRES, DEFAULT_DATABASE);
    let postgres = postgres.unwrap_or_else(|| with_password(DEFAULT_DATABASE.to_owned(), password));
    let timescaledb = database_url(reader, TIMESCALEDB, password, Server::Primary);
    reader.default_of(TIMESCALEDB, postgres.expose());
    let direct_postgres = database_url(reader, "LUMIO_DATABASE_DIRECT_URL", password, Server::Primary);
    let direct_timescaledb = database_url(reader, "LUMIO_TIMESCALEDB_DIRECT_URL", password, Server::Primary);
    let direct_postgres = direct_postgres.unwrap_or_else(|| postgres.clone());
    DatabasesConfig {
        replica: database_url(reader, "LUMIO_DATABASE_REPLICA_URL", password, Server::Replica),
        direct_timescaledb: direct_timescaledb
            .or_else(|| timescaledb.clone())
            .unwrap_or_else(|| direct_postgres.clone()),
        direct_postgres,
        are_statements_prepared: are_statements_prepared(reader),
        pool_size: reader.within("LUMIO_DATABASE_POOL", DEFAULT_POOL_SIZE, 2, 500),
        pool_timeout: Duration::from_millis(reader.within(
            "LUMIO_DATABASE_POOL_TIMEOUT_MS",
            DEFAULT_POOL_TIMEOUT_MS,
            50,
            60_000,
        )),
        timescaledb: timescaledb.unwrap_or_else(|| postgres.clone()),
        postgres,
    }
}

fn are_statements_prepared(reader: &mut Reader) -> bool {
    const NAME: &str = "LUMIO_DATABASE_PREPARED";
    match reader.text(NAME, "1").as_str() {
        "0" | "false" => false,
        "1" | "true" => true,
        _ => {
            reader.mistake(NAME, "must be `1` or `0`");
            true
        }
    }
}

/// Server that a URL leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Server {
    Primary,
    Replica,
}

fn database_url(
    reader: &mut Reader,
    name: &str,
    password: Option<&Secret>,
    server: Server,
) -> Option<Secret> {
    let url = reader.secret_url(name)?;
    let url = url.expose();
    if !is_database_url(url) {
        reader.mistake(name, DATABASE_FORM);
    }
    let url = if server == Server::Primary { of_the_primary(url) } else { url.to_owned() };
    Some(with_password(url, password))
}

/// Of several hosts only the one that accepts writes is used, unless the URL states otherwise
/// (reference/storage.md#several-hosts).
fn of_the_primary(url: &str) -> String {
    let is_open = url.parse::<tokio_postgres::Config>().is_ok_and(|config| {
        config.get_hosts().len() > 1 && config.get_target_session_attrs() == TargetSessionAttrs::Any
    });
    if is_open && !url.contains("target_session_attrs=") {
        with_parameter(url, "target_session_attrs", "read-write")
    } else {
        url.to_owned()
    }
}

fn with_parameter(url: &str, name: &str, value: &str) -> String {
    let separator = if url.contains('?') { '&' } else { '?' };
    format!("{url}{separator}{name}={value}")
}

fn is_database_url(text: &str) -> bool {
    let is_url = ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme));
    is_url
        && text.parse::<tokio_postgres::Config>().is_ok_and(|config| {
            // A password that contains an unescaped `@` would put its rest into the host.
            let is_name =
                |host: &Host| !matches!(host, Host::Tcp(name) if name.is_empty() || name.contains('@'));
            !config.get_hosts().is_empty() && config.get_hosts().iter().all(is_name)
        })
}

/// Adds the password to a URL that has none. As a parameter it fits every form: several hosts, a socket, no user.
fn with_password(url: String, password: Option<&Secret>) -> Secret {
    let has_own = url.parse::<tokio_postgres::Config>().is_ok_and(|config| config.get_password().is_some());
    match password {
        Some(password) if !has_own => {
            Secret::new(with_parameter(&url, "password", &percent_encoded(password.expose())))
        }
        _ => Secret::new(url),
    }
}

fn percent_encoded(text: &str) -> String {
    let encode = |byte: u8| match byte {
        plain if plain.is_ascii_alphanumeric() => char::from(plain).to_string(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(encode).collect()
}

pub(super) fn redis(reader: &mut Reader) -> RedisConfig {
    const URL: &str = "REDIS_URL";
    let prefix = reader.text("LUMIO_REDIS_PREFIX", "lumio");
    if !prefix.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-') {
        reader.mistake("LUMIO_REDIS_PREFIX", "must consist of letters, digits, `_` and `-`");
    }
    reader.default_of(URL, DEFAULT_REDIS);
    let url = reader.secret_url(URL).unwrap_or_else(|| Secret::new(DEFAULT_REDIS));
    if redis_servers::Servers::open(url.expose(), NO_TIMEOUTS).is_err() {
        reader.mistake(URL, REDIS_FORM);
    }
    RedisConfig {
        url,
        prefix,
        pool_size: reader.within("LUMIO_REDIS_POOL", 16, 1, 500),
        pool_timeout: Duration::from_millis(reader.within("LUMIO_REDIS_POOL_TIMEOUT_MS", 500, 50, 60_000)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn read(variables: &[(&str, &str)]) -> Result<Config, Vec<String>> {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Config::from_variables(variables)
    }

    #[test]
    fn stores_refuse_invalid_urls_without_showing_them() {
        for url in [
            "mysql://hunter2@db/x",
            "postgres:db",
            "host=db password=hunter2",
            "db:5432",
            "postgres://u:hunter2@x@db/x",
            "postgres://db:port/x",
            "postgres:///x",
        ] {
            for name in [
                "DATABASE_URL",
                "LUMIO_TIMESCALEDB_URL",
                "LUMIO_DATABASE_REPLICA_URL",
                "LUMIO_DATABASE_DIRECT_URL",
            ] {
                let expected = format!("{name} {DATABASE_FORM}");
                assert_eq!(read(&[(name, url)]).unwrap_err(), [expected], "{url}");
            }
        }
        for url in
            ["localhost:6379", "http://redis", "redis:6379", "redis://:hunter/2@r", "redis+cluster://r/2"]
        {
            assert_eq!(
                read(&[("REDIS_URL", url)]).unwrap_err(),
                [format!("REDIS_URL {REDIS_FORM}")],
                "{url}"
            );
        }
    }

    #[test]
    fn stores_accept_urls_with_sockets_and_encoded_passwords() {
        for url in [
            "postgres://u:p%40%2F@db:5432/x?sslmode=disable",
            "postgresql://db",
            "postgres://u:p@%2Fvar%2Frun%2Fpostgresql/lumio",
        ] {
            assert_eq!(read(&[("DATABASE_URL", url)]).unwrap().databases.postgres.expose(), url);
        }
        for url in [
            "redis://:p@r",
            "redis://redis",
            "redis+unix:///run/redis/redis.sock",
            "redis://r:6379/2",
            "redis+cluster://:p@r:6379?node=s:6379",
        ] {
            assert_eq!(read(&[("REDIS_URL", url)]).unwrap().redis.url.expose(), url);
        }
    }

    #[test]
    fn stores_accept_any_character_in_a_separate_password() {
        for password in ["p/w@h:x?#%", "p%41&x=1", "plain"] {
            for url in [
                "postgres://lumio@db/lumio",
                "postgres://lumio@%2Fvar%2Frun/lumio",
                "postgres://lumio@a:5432,b:5433/lumio?connect_timeout=1",
            ] {
                let config = read(&[("DATABASE_URL", url), ("PGPASSWORD", password)]).unwrap().databases;
                for url in [&config.postgres, &config.timescaledb] {
                    let parsed: tokio_postgres::Config = url.expose().parse().unwrap();
                    assert_eq!(parsed.get_password(), Some(password.as_bytes()));
                    assert_eq!((parsed.get_user(), parsed.get_dbname()), (Some("lumio"), Some("lumio")));
                }
            }
        }
        let own = [("DATABASE_URL", "postgres://u:own@db/x"), ("PGPASSWORD", "other")];
        assert_eq!(read(&own).unwrap().databases.postgres.expose(), "postgres://u:own@db/x");
    }

    #[test]
    fn stores_select_the_writable_one_of_several_hosts() {
        let url =
            |given: &str| read(&[("DATABASE_URL", given)]).unwrap().databases.postgres.expose().to_owned();
        assert_eq!(url("postgres://u@a,b:5433/x"), "postgres://u@a,b:5433/x?target_session_attrs=read-write");
        for chosen in ["postgres://u@a,b/x?target_session_attrs=any", "postgres://u@a/x"] {
            assert_eq!(url(chosen), chosen);
        }
        let replicas = [("LUMIO_DATABASE_REPLICA_URL", "postgres://u@a,b/x?load_balance_hosts=random")];
        assert_eq!(read(&replicas).unwrap().databases.replica.unwrap().expose(), replicas[0].1);
    }

    #[test]
    fn stores_migrate_past_a_pooler() {
        let direct = |variables: &[(&str, &str)]| {
            let config = read(variables).unwrap().databases;
            [config.direct_postgres, config.direct_timescaledb].map(|url| url.expose().to_owned())
        };
        let pooled = ("DATABASE_URL", "postgres://pooler/x");
        let main = ("LUMIO_DATABASE_DIRECT_URL", "postgres://db/x");
        let rows = ("LUMIO_TIMESCALEDB_URL", "postgres://pooler/y");
        let direct_rows = ("LUMIO_TIMESCALEDB_DIRECT_URL", "postgres://rows/y");
        assert_eq!(direct(&[pooled]), ["postgres://pooler/x", "postgres://pooler/x"]);
        assert_eq!(direct(&[pooled, main]), ["postgres://db/x", "postgres://db/x"]);
        assert_eq!(direct(&[pooled, main, rows]), ["postgres://db/x", "postgres://pooler/y"]);
        assert_eq!(direct(&[pooled, main, rows, direct_rows]), ["postgres://db/x", "postgres://rows/y"]);

        let prepared = |value: &str| read(&[("LUMIO_DATABASE_PREPARED", value)]);
        assert!(read(&[]).unwrap().databases.are_statements_prepared);
        assert!(!prepared("0").unwrap().databases.are_statements_prepared);
        assert_eq!(prepared("no").unwrap_err(), ["LUMIO_DATABASE_PREPARED must be `1` or `0`"]);
    }
}
