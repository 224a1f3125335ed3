//! What everything is kept in: the databases and Redis.

use std::time::Duration;

use tokio_postgres::config::Host;
use url::Url;

use super::{Environment, Reader};
use crate::secret::Secret;

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
    /// Longest wait for a connection of the pool.
    pub pool_timeout: Duration,
}

const DEFAULT_DATABASE: &str = "postgres://lumio@127.0.0.1:5432/lumio";
const DEFAULT_REDIS: &str = "redis://127.0.0.1:6379";
const DATABASE_FORM: &str = "must be postgres://USER:PASSWORD@HOST:5432/DATABASE, with characters such as @ and / of the \
                             password percent-encoded";
const REDIS_FORM: &str = "must be redis://USER:PASSWORD@HOST:6379 or redis+unix:///run/redis/redis.sock, with \
                          characters such as @ and / of the password percent-encoded";

pub(super) fn databases(reader: &mut Reader, environment: Environment) -> DatabasesConfig {
    const POSTGRES: &str = "DATABASE_URL";
    const TIMESCALEDB: &str = "LUMIO_TIMESCALEDB_URL";
    // As every client of PostgreSQL reads it.
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
        pool_size: reader.within("LUMIO_DATABASE_POOL", 16, 1, 500),
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
            // The rest of a password after its first @ would be taken for the host.
            let is_name =
                |host: &Host| !matches!(host, Host::Tcp(name) if name.is_empty() || name.contains('@'));
            !config.get_hosts().is_empty() && config.get_hosts().iter().all(is_name)
        })
}

/// The URL with a password in it if it has none of its own.
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
    if redis::Client::open(url.expose()).is_err() {
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
    fn urls_of_stores_are_checked_without_showing_them() {
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
        for url in ["localhost:6379", "http://redis", "redis:6379", "redis://:hunter/2@r"] {
            assert_eq!(
                read(&[("REDIS_URL", url)]).unwrap_err(),
                [format!("REDIS_URL {REDIS_FORM}")],
                "{url}"
            );
        }
    }

    #[test]
    fn urls_of_stores_may_name_sockets_and_encode_passwords() {
        for url in [
            "postgres://u:p%40%2F@db:5432/x?sslmode=disable",
            "postgresql://db",
            "postgres://u:p@%2Fvar%2Frun%2Fpostgresql/lumio",
        ] {
            assert_eq!(read(&[("DATABASE_URL", url)]).unwrap().databases.postgres.expose(), url);
        }
        for url in ["redis://:p@r", "redis://redis", "redis+unix:///run/redis/redis.sock", "redis://r:6379/2"]
        {
            assert_eq!(read(&[("REDIS_URL", url)]).unwrap().redis.url.expose(), url);
        }
    }

    #[test]
    fn a_password_beside_the_url_may_hold_any_character() {
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
