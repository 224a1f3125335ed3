//! Detection of silent servers: frozen, or behind a network that drops packets.
//!
//! Such a server closes no connection, so a query that was sent to it waits without end. While connections of
//! a pool are in use, a separate connection checks that the server replies. Without a reply there and over a
//! new connection, all connections of the pool are cut. So they are when only another host of the URL replies:
//! those to the silent one would wait. Their users get an error, and the next checkout connects again.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use diesel::{
    ConnectionError, ConnectionResult,
    connection::{Instrumentation, InstrumentationEvent},
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use tokio::{sync::watch, time::timeout};
use tokio_postgres::Client;

use super::{
    connect::Hosts,
    demotion::DemotionWatch,
    driver::{ConnectError, Driver},
};

/// Cuts connections, also those that are being opened.
#[derive(Debug, Clone)]
pub(super) struct ConnectionBreaker(watch::Sender<LastCut>);

/// Time of the last cut.
type LastCut = Option<Instant>;

/// Shortest silence that counts, whatever the callers wait: networks lose packets and repeat them.
const MIN_SILENCE: Duration = Duration::from_secs(2);
/// Period after a cut in which new connections are spread over time.
const RECONNECT_WINDOW: Duration = Duration::from_secs(2);
/// Longest delay of one of them.
const MAX_RECONNECT_DELAY: Duration = Duration::from_millis(100);

/// Connection of the checks.
struct Probe {
    client: Client,
    /// Number of the host that it leads to.
    host: usize,
}

/// Times that a server may be silent. Together they stay below the time that a caller waits for a connection,
/// unless that is very short.
#[derive(Debug, Clone, Copy)]
pub(super) struct SilenceTimeouts {
    /// Interval of the checks whether connections are in use.
    check_interval: Duration,
    /// Silence after which a new connection is tried as well.
    suspect_after: Duration,
    answer_within: Duration,
}

impl SilenceTimeouts {
    /// Splits the time that a caller waits for a connection.
    pub fn within(pool_timeout: Duration) -> Self {
        let whole = pool_timeout.max(MIN_SILENCE);
        Self { check_interval: whole / 8, suspect_after: whole / 4, answer_within: whole * 5 / 8 }
    }
}

impl ConnectionBreaker {
    /// Creates a cutter that has cut nothing.
    pub fn new() -> Self {
        Self(watch::Sender::new(None))
    }

    /// Connects within a time.
    ///
    /// # Errors
    /// A server that refuses, cannot be reached or is silent.
    pub async fn connect(
        &self,
        url: &str,
        hosts: &Hosts,
        within: Duration,
    ) -> ConnectionResult<AsyncPgConnection> {
        let cut = self.0.subscribe();
        let last_cut: LastCut = *self.0.borrow();
        let connecting = async {
            if last_cut.is_some_and(|at| at.elapsed() < RECONNECT_WINDOW) {
                tokio::time::sleep(MAX_RECONNECT_DELAY.min(within / 8).mul_f64(rand::random_range(0.0..1.0)))
                    .await;
            }
            let (client, driver) = hosts.connect(within).await.map_err(unreachable)?;
            tokio::spawn(drive(driver, cut));
            let mut connection = AsyncPgConnection::try_from(client).await?;
            let breaker = self.clone();
            let mut watch = DemotionWatch::new(move || breaker.cut_demoted());
            // As diesel does for connections that it opens.
            watch.on_connection_event(InstrumentationEvent::start_establish_connection(url));
            connection.set_instrumentation(watch);
            Ok(connection)
        };
        timeout(within, connecting).await.unwrap_or_else(|_elapsed| Err(unreachable(ConnectError::Silent)))
    }

    /// Cuts the connections to a server that does not take writes any more, at most once in a while: where no other
    /// one takes them either, each write finds this out anew.
    pub fn cut_demoted(&self) {
        let is_cut = self.0.send_if_modified(|last_cut| {
            let is_due = last_cut.is_none_or(|at| at.elapsed() >= RECONNECT_WINDOW);
            if is_due {
                *last_cut = Some(Instant::now());
            }
            is_due
        });
        if is_cut {
            tracing::warn!("a database takes no writes any more: its connections are closed");
        }
    }

    fn cut(&self) {
        self.0.send_replace(Some(Instant::now()));
    }

    /// Watches a server for as long as the future is polled. `is_in_use` returns true when a caller may be
    /// waiting for the server.
    pub async fn watch(self, hosts: Arc<Hosts>, timeouts: SilenceTimeouts, is_in_use: impl Fn() -> bool) {
        let mut client: Option<Probe> = None;
        loop {
            tokio::time::sleep(timeouts.check_interval).await;
            if !is_in_use() {
                continue;
            }
            let known = client.take().filter(|probe| !probe.client.is_closed());
            let host = known.as_ref().map(|probe| probe.host).or_else(|| hosts.present());
            let mut asking = Box::pin(probe_any(known, &hosts, timeouts));
            let answered = match timeout(timeouts.answer_within, &mut asking).await {
                Ok(answered) => Ok(answered),
                // The reply may be here while this task was kept from reading it.
                Err(_) => timeout(timeouts.check_interval, &mut asking).await,
            };
            match answered {
                Ok(Ok(alive)) => {
                    if host.is_some_and(|host| host != alive.host) {
                        tracing::warn!("another host of a database replies: its connections are closed");
                        self.cut();
                    }
                    client = Some(alive);
                }
                Ok(Err(ConnectError::Silent)) | Err(_) => {
                    tracing::warn!("a database does not respond: its connections are closed");
                    self.cut();
                }
                // The server is not silent. Callers get its refusal themselves.
                Ok(Err(error)) => {
                    tracing::debug!(%error, "a database refuses the liveness probe")
                }
            }
        }
    }
}

/// Reads and writes for a client until one of the two is gone, or the connection is cut.
async fn drive(driver: Driver, mut cut: watch::Receiver<LastCut>) {
    tokio::select! {
        ended = driver => {
            if let Err(error) = ended {
                tracing::debug!(%error, "a database connection has ended");
            }
        }
        _ = cut.changed() => {}
    }
}

/// Checks that the server replies, over the existing connection, or over a new one when that one is slow. The
/// existing one alone may be stuck behind a lost packet.
async fn probe_any(
    client: Option<Probe>,
    hosts: &Hosts,
    timeouts: SilenceTimeouts,
) -> Result<Probe, ConnectError> {
    let host = client.as_ref().map(|probe| probe.host);
    let known = probe(client, hosts, timeouts.answer_within);
    tokio::pin!(known);
    if let Ok(answered) = timeout(timeouts.suspect_after, &mut known).await {
        return answered;
    }
    let fresh = probe(None, hosts, timeouts.answer_within);
    tokio::pin!(fresh);
    tokio::select! {
        answered = &mut known => match answered {
            Ok(alive) => Ok(alive),
            Err(_) => fresh.await,
        },
        answered = &mut fresh => match answered {
            // Another host says nothing about the known one, which has its whole time.
            Ok(alive) if host.is_some_and(|host| host != alive.host) => known.await.or(Ok(alive)),
            Ok(alive) => Ok(alive),
            Err(_) => known.await,
        },
    }
}

async fn probe(known: Option<Probe>, hosts: &Hosts, within: Duration) -> Result<Probe, ConnectError> {
    let probe = match known {
        Some(probe) => probe,
        None => {
            let ((client, driver), host) = hosts.connect_to_one(within).await?;
            // Ends with the client, whose holder drops it when no reply comes.
            tokio::spawn(driver);
            Probe { client, host }
        }
    };
    probe.client.batch_execute("").await.map_err(ConnectError::Postgres)?;
    Ok(probe)
}

fn unreachable(error: ConnectError) -> ConnectionError {
    ConnectionError::BadConnection(error.to_string())
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    use super::{super::connect::Statements, *};

    #[test]
    fn silence_timeouts_exceed_the_retransmission_of_a_packet() {
        for (pool_timeout, silent) in [(50, 1750), (2000, 1750), (8000, 7000)] {
            let timeouts = SilenceTimeouts::within(Duration::from_millis(pool_timeout));
            // The check before, the reply, and the time in which it may be unread.
            let whole = timeouts.check_interval * 2 + timeouts.answer_within;
            assert_eq!(whole, Duration::from_millis(silent), "{pool_timeout}");
            assert!(timeouts.suspect_after < timeouts.answer_within);
        }
    }

    /// Sends just enough to pass for a server, on every connection but the first `silent` ones.
    async fn server(silent: usize) -> String {
        const AUTHENTICATED_AND_READY: &[u8] = b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";
        const EMPTY_AND_READY: &[u8] = b"I\0\0\0\x04Z\0\0\0\x05I";
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            for index in 0.. {
                let (mut client, _) = listener.accept().await.unwrap();
                tokio::spawn(async move {
                    let (mut piece, mut sent) = ([0; 1024], 0);
                    while let Ok(1..) = client.read(&mut piece).await {
                        let answer = if sent == 0 { AUTHENTICATED_AND_READY } else { EMPTY_AND_READY };
                        sent += 1;
                        if index >= silent && client.write_all(answer).await.is_err() {
                            return;
                        }
                    }
                });
            }
        });
        format!("postgres://lumio@127.0.0.1:{port}/none?sslmode=disable")
    }

    #[tokio::test]
    async fn silence_is_not_reported_while_a_new_connection_succeeds() {
        let timeouts = SilenceTimeouts {
            check_interval: Duration::ZERO,
            suspect_after: Duration::from_millis(50),
            answer_within: Duration::from_millis(1500),
        };
        let alive = |url: String| async move {
            let hosts = Hosts::new(&url, Statements::Named);
            let asking = probe_any(None, &hosts, timeouts);
            timeout(timeouts.answer_within, asking).await.is_ok_and(|answer| answer.is_ok())
        };
        assert!(alive(server(0).await).await);
        assert!(alive(server(1).await).await, "the second connection answers");
        assert!(!alive(server(usize::MAX).await).await, "nobody does");
    }
}
