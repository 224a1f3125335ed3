//! Detection of silent servers: frozen, or behind a network that drops packets.
//!
//! Such a server closes no connection, so a query that was sent to it waits without end. While connections of
//! a pool are in use, a separate connection checks that the server replies. Without a reply there and over a
//! new connection, all connections of the pool are cut. Their users get an error, and the next checkout
//! connects again.

use std::time::{Duration, Instant};

use diesel::{
    ConnectionError, ConnectionResult,
    connection::{Instrumentation, InstrumentationEvent, get_default_instrumentation},
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use tokio::{sync::watch, time::timeout};
use tokio_postgres::{NoTls, Socket, tls::NoTlsStream};

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
    pub async fn connect(&self, url: &str, within: Duration) -> ConnectionResult<AsyncPgConnection> {
        let cut = self.0.subscribe();
        let last_cut: LastCut = *self.0.borrow();
        let connecting = async {
            if last_cut.is_some_and(|at| at.elapsed() < RECONNECT_WINDOW) {
                tokio::time::sleep(MAX_RECONNECT_DELAY.min(within / 8).mul_f64(rand::random_range(0.0..1.0)))
                    .await;
            }
            let (client, connection) = tokio_postgres::connect(url, NoTls).await.map_err(unreachable)?;
            tokio::spawn(drive(connection, cut));
            let mut connection = AsyncPgConnection::try_from(client).await?;
            report_to_instrumentation(&mut connection, url);
            Ok(connection)
        };
        timeout(within, connecting)
            .await
            .unwrap_or_else(|_| Err(ConnectionError::BadConnection("the server does not answer".to_owned())))
    }

    fn cut(&self) {
        self.0.send_replace(Some(Instant::now()));
    }

    /// Watches a server for as long as the future is polled. `is_in_use` returns true when a caller may be
    /// waiting for the server.
    pub async fn watch(self, url: String, timeouts: SilenceTimeouts, is_in_use: impl Fn() -> bool) {
        let mut client = None;
        loop {
            tokio::time::sleep(timeouts.check_interval).await;
            if !is_in_use() {
                continue;
            }
            let mut asking = Box::pin(probe_any(client.take(), &url, timeouts.suspect_after));
            let answered = match timeout(timeouts.answer_within, &mut asking).await {
                Ok(answered) => Ok(answered),
                // The reply may be here while this task was kept from reading it.
                Err(_) => timeout(timeouts.check_interval, &mut asking).await,
            };
            match answered {
                Ok(Ok(alive)) => client = Some(alive),
                // The server is not silent. Callers get its refusal themselves.
                Ok(Err(error)) => {
                    tracing::debug!(%error, "a database refuses the liveness probe")
                }
                Err(_) => {
                    tracing::warn!("a database does not respond: its connections are closed");
                    self.cut();
                }
            }
        }
    }
}

/// Reports the address to the instrumentation, as diesel does for connections that it opens.
fn report_to_instrumentation(connection: &mut AsyncPgConnection, url: &str) {
    if let Some(mut instrumentation) = get_default_instrumentation() {
        instrumentation.on_connection_event(InstrumentationEvent::start_establish_connection(url));
        connection.set_instrumentation(instrumentation);
    }
}

/// Reads and writes for a client until one of the two is gone, or the connection is cut.
async fn drive(
    connection: tokio_postgres::Connection<Socket, NoTlsStream>,
    mut cut: watch::Receiver<LastCut>,
) {
    tokio::select! {
        ended = connection => {
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
    client: Option<tokio_postgres::Client>,
    url: &str,
    suspect_after: Duration,
) -> Result<tokio_postgres::Client, tokio_postgres::Error> {
    let known = probe(client, url);
    tokio::pin!(known);
    if let Ok(answered) = timeout(suspect_after, &mut known).await {
        return answered;
    }
    let fresh = probe(None, url);
    tokio::pin!(fresh);
    tokio::select! {
        answered = &mut known => match answered {
            Ok(alive) => Ok(alive),
            Err(_) => fresh.await,
        },
        answered = &mut fresh => match answered {
            Ok(alive) => Ok(alive),
            Err(_) => known.await,
        },
    }
}

async fn probe(
    client: Option<tokio_postgres::Client>,
    url: &str,
) -> Result<tokio_postgres::Client, tokio_postgres::Error> {
    let client = match client.filter(|client| !client.is_closed()) {
        Some(client) => client,
        None => {
            let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
            // Ends with the client, whose holder drops it when no reply comes.
            tokio::spawn(connection);
            client
        }
    };
    client.batch_execute("").await?;
    Ok(client)
}

fn unreachable(error: tokio_postgres::Error) -> ConnectionError {
    let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
    ConnectionError::BadConnection(format!("{error}{cause}"))
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    use super::*;

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
        let suspect_after = Duration::from_millis(50);
        let alive = |url: String| async move {
            let asking = probe_any(None, &url, suspect_after);
            timeout(Duration::from_millis(1500), asking).await.is_ok_and(|answer| answer.is_ok())
        };
        assert!(alive(server(0).await).await);
        assert!(alive(server(1).await).await, "the second connection answers");
        assert!(!alive(server(usize::MAX).await).await, "nobody does");
    }
}
