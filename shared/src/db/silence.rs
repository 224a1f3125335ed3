//! Servers that fall silent: frozen, or behind a network that swallows what it is given.
//!
//! Such a server closes no connection, so a query that was sent to it waits without end. While connections of a pool
//! are in use, another one asks for a sign of life; when none comes, neither there nor over a new connection, all
//! connections of the pool are cut. Whoever waits on one gets an error, and the next checkout connects anew.

use std::time::{Duration, Instant};

use diesel::{
    ConnectionError, ConnectionResult,
    connection::{Instrumentation, InstrumentationEvent, get_default_instrumentation},
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use tokio::{sync::watch, time::timeout};
use tokio_postgres::{NoTls, Socket, tls::NoTlsStream};

/// Cuts connections, those too that are just being made.
#[derive(Debug, Clone)]
pub(super) struct Scissors(watch::Sender<LastCut>);

/// When connections were cut last.
type LastCut = Option<Instant>;

/// The least that a server may be silent, whatever callers wait: networks lose a packet and repeat it.
const MIN_SILENCE: Duration = Duration::from_secs(2);
/// For so long after a cut, those who connect do it a little apart.
const CROWDED: Duration = Duration::from_secs(2);
/// The most that one of them waits.
const APART: Duration = Duration::from_millis(100);

/// How long a server may be silent, in parts that together stay below what a caller waits for a connection, unless that
/// is very short.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// Between two looks whether connections are in use.
    look_every: Duration,
    /// Then a new connection is tried as well.
    doubt_after: Duration,
    answer_within: Duration,
}

impl Patience {
    pub fn within(pool_timeout: Duration) -> Self {
        let whole = pool_timeout.max(MIN_SILENCE);
        Self { look_every: whole / 8, doubt_after: whole / 4, answer_within: whole * 5 / 8 }
    }
}

impl Scissors {
    pub fn new() -> Self {
        Self(watch::Sender::new(None))
    }

    /// Connects within a time.
    ///
    /// # Errors
    /// When the server refuses, cannot be reached, or says nothing.
    pub async fn connect(&self, url: &str, within: Duration) -> ConnectionResult<AsyncPgConnection> {
        let cut = self.0.subscribe();
        let last_cut: LastCut = *self.0.borrow();
        let connecting = async {
            if last_cut.is_some_and(|at| at.elapsed() < CROWDED) {
                tokio::time::sleep(APART.min(within / 8).mul_f64(rand::random_range(0.0..1.0))).await;
            }
            let (client, connection) = tokio_postgres::connect(url, NoTls).await.map_err(unreachable)?;
            tokio::spawn(drive(connection, cut));
            let mut connection = AsyncPgConnection::try_from(client).await?;
            tell_instrumentation(&mut connection, url);
            Ok(connection)
        };
        timeout(within, connecting)
            .await
            .unwrap_or_else(|_| Err(ConnectionError::BadConnection("the server does not answer".to_owned())))
    }

    fn cut(&self) {
        self.0.send_replace(Some(Instant::now()));
    }

    /// Watches a server for as long as it is polled. `is_in_use` tells whether somebody may be waiting for it.
    pub async fn watch(self, url: String, patience: Patience, is_in_use: impl Fn() -> bool) {
        let mut client = None;
        loop {
            tokio::time::sleep(patience.look_every).await;
            if !is_in_use() {
                continue;
            }
            let mut asking = Box::pin(any_sign_of_life(client.take(), &url, patience.doubt_after));
            let answered = match timeout(patience.answer_within, &mut asking).await {
                Ok(answered) => Ok(answered),
                // The answer may be here and this task may have been kept from reading it.
                Err(_) => timeout(patience.look_every, &mut asking).await,
            };
            match answered {
                Ok(Ok(alive)) => client = Some(alive),
                // It says something: what it refuses, the callers are told themselves.
                Ok(Err(error)) => {
                    tracing::debug!(%error, "a database refuses to be asked for a sign of life")
                }
                Err(_) => {
                    tracing::warn!("a database is silent: its connections are cut");
                    self.cut();
                }
            }
        }
    }
}

/// Whoever watches statements knows by the address where they go, as with connections that diesel makes.
fn tell_instrumentation(connection: &mut AsyncPgConnection, url: &str) {
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

/// A sign of life over the connection at hand, or over a new one when that one is slow: it alone may be stuck behind a
/// packet that was lost.
async fn any_sign_of_life(
    client: Option<tokio_postgres::Client>,
    url: &str,
    doubt_after: Duration,
) -> Result<tokio_postgres::Client, tokio_postgres::Error> {
    let known = sign_of_life(client, url);
    tokio::pin!(known);
    if let Ok(answered) = timeout(doubt_after, &mut known).await {
        return answered;
    }
    let fresh = sign_of_life(None, url);
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

async fn sign_of_life(
    client: Option<tokio_postgres::Client>,
    url: &str,
) -> Result<tokio_postgres::Client, tokio_postgres::Error> {
    let client = match client.filter(|client| !client.is_closed()) {
        Some(client) => client,
        None => {
            let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
            // Ends with the client, whose holder gives it up when no answer comes.
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
    fn a_database_is_not_given_up_sooner_than_a_network_repeats_a_packet() {
        for (pool_timeout, silent) in [(50, 1750), (2000, 1750), (8000, 7000)] {
            let patience = Patience::within(Duration::from_millis(pool_timeout));
            // The look before, the answer, and the time in which it may lie unread.
            let whole = patience.look_every * 2 + patience.answer_within;
            assert_eq!(whole, Duration::from_millis(silent), "{pool_timeout}");
            assert!(patience.doubt_after < patience.answer_within);
        }
    }

    /// Says just enough to be taken for a server, on every connection but the first `silent` ones.
    async fn server(silent: usize) -> String {
        const AUTHENTICATED_AND_READY: &[u8] = b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";
        const EMPTY_AND_READY: &[u8] = b"I\0\0\0\x04Z\0\0\0\x05I";
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            for index in 0.. {
                let (mut client, _) = listener.accept().await.unwrap();
                tokio::spawn(async move {
                    let (mut piece, mut said) = ([0; 1024], 0);
                    while let Ok(1..) = client.read(&mut piece).await {
                        let answer = if said == 0 { AUTHENTICATED_AND_READY } else { EMPTY_AND_READY };
                        said += 1;
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
    async fn a_connection_that_is_stuck_is_no_silent_server_while_a_new_one_answers() {
        let doubt_after = Duration::from_millis(50);
        let alive = |url: String| async move {
            let asking = any_sign_of_life(None, &url, doubt_after);
            timeout(Duration::from_millis(1500), asking).await.is_ok_and(|answer| answer.is_ok())
        };
        assert!(alive(server(0).await).await);
        assert!(alive(server(1).await).await, "the second connection answers");
        assert!(!alive(server(usize::MAX).await).await, "nobody does");
    }
}
