//! Servers that fall silent: frozen, or behind a network that swallows what it is given.
//!
//! Such a server closes no connection, so a query that was sent to it waits without end. While connections of a pool
//! are in use, another one asks for a sign of life; when none comes, all connections of the pool are cut. Whoever
//! waits on one gets an error, and the next checkout connects anew.

use std::time::Duration;

use diesel::{
    ConnectionError, ConnectionResult,
    connection::{Instrumentation, InstrumentationEvent, get_default_instrumentation},
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use tokio::{sync::watch, time::timeout};
use tokio_postgres::{NoTls, Socket, tls::NoTlsStream};

/// Cuts connections, those too that are just being made.
#[derive(Debug, Clone)]
pub(super) struct Scissors(watch::Sender<()>);

/// How long a server may be silent, in parts that together stay below what a caller waits for a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// Between two looks whether connections are in use.
    look_every: Duration,
    answer_within: Duration,
}

impl Patience {
    pub fn within(pool_timeout: Duration) -> Self {
        Self { look_every: pool_timeout / 8, answer_within: pool_timeout * 5 / 8 }
    }
}

impl Scissors {
    pub fn new() -> Self {
        Self(watch::Sender::new(()))
    }

    /// Connects within a time.
    ///
    /// # Errors
    /// When the server refuses, cannot be reached, or says nothing.
    pub async fn connect(&self, url: &str, within: Duration) -> ConnectionResult<AsyncPgConnection> {
        let cut = self.0.subscribe();
        let connecting = async {
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
        self.0.send_replace(());
    }

    /// Watches a server for as long as it is polled. `is_in_use` tells whether somebody may be waiting for it.
    pub async fn watch(self, url: String, patience: Patience, is_in_use: impl Fn() -> bool) {
        let mut client = None;
        loop {
            tokio::time::sleep(patience.look_every).await;
            if !is_in_use() {
                continue;
            }
            let mut asking = Box::pin(sign_of_life(client.take(), &url));
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
async fn drive(connection: tokio_postgres::Connection<Socket, NoTlsStream>, mut cut: watch::Receiver<()>) {
    tokio::select! {
        ended = connection => {
            if let Err(error) = ended {
                tracing::debug!(%error, "a database connection has ended");
            }
        }
        _ = cut.changed() => {}
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
