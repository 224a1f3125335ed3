//! Configuration of the databases and of Redis.

use std::time::Duration;

use tokio_postgres::config::Host;
use url::Url;

use super::{Environment, Reader};
use crate::secret::Secret;

/// URLs and pools of the two databases (reference/storage.md#databases). Both URLs may name the same one.
#[derive(Debug, Clone)]
pub struct DatabasesConfig {
    /// URL of the main database.
    pub postgres: Secret,
    /// URL of the time-series database.
    pub timescaledb: Secret,
    /// Connections of each pool.
    pub pool_size: u32,
    /// Longest wait for a connection before a request fails with `DATABASE_ERROR`.
    pub pool_timeout: Duration,
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
    let postgres = database_url(reader, POSTGRES, password.as_ref());
    if postgres.is_none() && environment.is_deployment() {
        reader.mistake(POSTGRES, "must be set outside development");
    }
    reader.default_of(POSTGRES, DEFAULT_DATABASE);
    let postgres =
        postgres.unwrap_or_else(|| with_password(&Secret::new(DEFAULT_DATABASE), password.as_ref()));
    let timescaledb = database_url(reader, TIMESCALEDB, password.as_ref());
    reader.default_of(TIMESCALEDB, postgres.expose());
    DatabasesConfig {
        timescaledb: timescaledb.unwrap_or_else(|| postgres.clone()),
        postgres,
        pool_size: reader.within("LUMIO_DATABASE_POOL", 16, 2, 500),
        pool_timeout: Duration::from_millis(reader.within(
            "LUMIO_DATABASE_POOL_TIMEOUT_MS",
            2000,
            50,
            60_000,
        )),
    }
}

fn database_url(reader: &mut Reader, name: &str, password: Option<&Secret>) -> Option<Secret> {
    let url = reader.secret_url(name)?;
    if !is_database_url(url.expose()) {
        reader.mistake(name, DATABASE_FORM);
    }
    Some(with_password(&url, password))
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

/// Adds the password to a URL that has none.
fn with_password(url: &Secret, password: Option<&Secret>) -> Secret {
    let has_own = |text: &str| {
        text.parse::<tokio_postgres::Config>().is_ok_and(|config| config.get_password().is_some())
    };
    match (password, Url::parse(url.expose())) {
        (Some(password), Ok(mut with)) if !has_own(url.expose()) => {
            match with.set_password(Some(password.expose())) {
                Ok(()) => Secret::new(with),
                Err(()) => url.clone(),
            }
        }
        _ => url.clone(),
    }
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
            for name in ["DATABASE_URL", "LUMIO_TIMESCALEDB_URL"] {
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
        for password in ["p/w@h:x?#%", "plain"] {
            for url in ["postgres://lumio@db/lumio", "postgres://lumio@%2Fvar%2Frun/lumio"] {
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
}
