//! Opening of connections: one host of a URL after the other, each within its part of the time
//! (reference/storage.md#several-hosts).

use std::{
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    time::Duration,
};

use tokio::time::{Instant, timeout};
use tokio_postgres::{
    Client, Config, NoTls, SimpleQueryMessage,
    config::{LoadBalanceHosts, TargetSessionAttrs},
    error::SqlState,
};

use super::{
    driver::{ConnectError, Driver},
    inline,
};

/// Handling of prepared statements (reference/storage.md#connection-poolers).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Statements {
    /// The server keeps them by name.
    Named,
    /// Each execution sends the text, because the next one may reach another server process.
    Inline,
}

/// Hosts of one database.
#[derive(Debug)]
pub(crate) struct Hosts {
    /// Configuration for each host, or the reason why the URL has none.
    each: Result<Vec<Config>, String>,
    /// Host that was connected to last. The next attempt begins with it.
    last: AtomicUsize,
    statements: Statements,
}

impl Hosts {
    /// Reads a URL. A malformed one fails each connection.
    pub fn new(url: &str, statements: Statements) -> Self {
        let parse = |url: String| url.parse::<Config>().map_err(|error| error.to_string());
        let each = url_of_each_host(url).into_iter().map(parse).collect();
        Self { each, last: AtomicUsize::new(0), statements }
    }

    /// Connects to the first host that answers and has the role of the URL.
    ///
    /// # Errors
    /// The reason of the last host. A host that did not answer counts more than one that refused: it may be the one
    /// that was meant.
    pub async fn connect(&self, within: Duration) -> Result<(Client, Driver), ConnectError> {
        self.connect_to_one(within).await.map(|(opened, _)| opened)
    }

    /// Host that connections lead to; `None` where they are spread.
    pub fn present(&self) -> Option<usize> {
        let each = self.each.as_ref().ok()?;
        let is_spread = |host: &Config| host.get_load_balance_hosts() == LoadBalanceHosts::Random;
        (!each.first().is_some_and(is_spread)).then(|| self.last.load(Relaxed))
    }

    /// Connects as [`Hosts::connect`] does. Returns the number of the host as well.
    ///
    /// # Errors
    /// Those of [`Hosts::connect`].
    pub async fn connect_to_one(&self, within: Duration) -> Result<((Client, Driver), usize), ConnectError> {
        let each = self.each.as_ref().map_err(|reason| ConnectError::Url(reason.clone()))?;
        let (deadline, mut failure) = (Instant::now() + within, None);
        let order = each.iter().enumerate().cycle().skip(self.first(each)).take(each.len());
        for (tried, (index, host)) in order.enumerate() {
            let left = u32::try_from(each.len() - tried).unwrap_or(u32::MAX);
            let share = deadline.saturating_duration_since(Instant::now()) / left;
            match timeout(share, self.open(host)).await {
                Ok(Ok(opened)) => {
                    self.last.store(index, Relaxed);
                    return Ok((opened, index));
                }
                // It answers and is full. A lost host after it must not make it count as silent.
                Ok(Err(ConnectError::Postgres(error)))
                    if error.code() == Some(&SqlState::TOO_MANY_CONNECTIONS) && self.present().is_some() =>
                {
                    return Err(ConnectError::Postgres(error));
                }
                Ok(Err(_)) if matches!(failure, Some(ConnectError::Silent)) => {}
                Ok(Err(error)) => failure = Some(error),
                Err(_elapsed) => failure = Some(ConnectError::Silent),
            }
        }
        Err(failure.unwrap_or(ConnectError::Silent))
    }

    fn first(&self, each: &[Config]) -> usize {
        self.present().unwrap_or_else(|| rand::random_range(0..each.len()))
    }

    async fn open(&self, host: &Config) -> Result<(Client, Driver), ConnectError> {
        match self.statements {
            Statements::Named => {
                let (client, connection) = host.connect(NoTls).await.map_err(ConnectError::Postgres)?;
                let driver: Driver = Box::pin(connection);
                Ok((client, driver))
            }
            Statements::Inline => {
                let (client, mut driver) = inline::connect(host).await?;
                check_role(&client, &mut driver, host.get_target_session_attrs()).await?;
                Ok((client, driver))
            }
        }
    }
}

/// Checks the role of a server. Only a connection over a stream of ours needs it: the client checks its own.
async fn check_role(
    client: &Client,
    driver: &mut Driver,
    wanted: TargetSessionAttrs,
) -> Result<(), ConnectError> {
    if wanted == TargetSessionAttrs::Any {
        return Ok(());
    }
    let rows = tokio::select! {
        rows = client.simple_query("SHOW transaction_read_only") => rows.map_err(ConnectError::Postgres)?,
        ended = &mut *driver => return Err(ended.map_or_else(ConnectError::Postgres, |()| ConnectError::Silent)),
    };
    let is_on =
        |row: &SimpleQueryMessage| matches!(row, SimpleQueryMessage::Row(row) if row.get(0) == Some("on"));
    match (wanted, rows.iter().any(is_on)) {
        (TargetSessionAttrs::ReadWrite, true) => Err(ConnectError::Role("database does not allow writes")),
        (TargetSessionAttrs::ReadOnly, false) => Err(ConnectError::Role("database is not read only")),
        _ => Ok(()),
    }
}

/// URLs with one of the hosts each. A URL whose hosts are parameters stays whole.
pub(super) fn url_of_each_host(url: &str) -> Vec<String> {
    let whole = || vec![url.to_owned()];
    let Some((scheme, rest)) = url.split_once("://") else { return whole() };
    let (credentials, rest) = match rest.split_once('@') {
        Some((credentials, rest)) => (format!("{credentials}@"), rest),
        None => (String::new(), rest),
    };
    let (hosts, rest) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    if hosts.contains(',') {
        hosts.split(',').map(|host| format!("{scheme}://{credentials}{host}{rest}")).collect()
    } else {
        whole()
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[test]
    fn url_of_each_host_keeps_everything_else() {
        for (url, each) in [
            ("postgres://u:p@a/d", vec!["postgres://u:p@a/d"]),
            ("postgres://u:p@a:1,b/d?x=1", vec!["postgres://u:p@a:1/d?x=1", "postgres://u:p@b/d?x=1"]),
            ("postgres://[::1]:1,b?x=a,b", vec!["postgres://[::1]:1?x=a,b", "postgres://b?x=a,b"]),
            ("host=a,b", vec!["host=a,b"]),
        ] {
            assert_eq!(url_of_each_host(url), each);
        }
    }

    #[tokio::test]
    async fn hosts_bound_the_wait_for_each_and_report_a_silent_one() {
        // It accepts connections and sends nothing; nothing listens at the other address.
        let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let silent_address = silent.local_addr().unwrap();
        for statements in [Statements::Named, Statements::Inline] {
            let failure = async |hosts: String| {
                let hosts = Hosts::new(&format!("postgres://u@{hosts}/d"), statements);
                hosts.connect(Duration::from_millis(200)).await.err().map(|error| error.to_string())
            };
            let silence = Some("the server does not answer".to_owned());
            for hosts in [format!("{silent_address},{closed}"), format!("{closed},{silent_address}")] {
                assert_eq!(failure(hosts.clone()).await, silence, "{hosts}");
            }
            let refused = failure(format!("{closed},{closed}")).await.unwrap();
            assert!(refused.contains("refused"), "{refused}");
        }
        let malformed = Hosts::new("postgres://a:port/d", Statements::Named);
        assert!(matches!(malformed.connect(Duration::from_secs(1)).await, Err(ConnectError::Url(_))));
    }
}
