//! Number of statements that a process sends to PostgreSQL, by a proxy before the server.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use anyhow::{Context, Result};
use bytes::BytesMut;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

const DEFAULT_PORT: u16 = 5432;
const BUFFER_BYTES: usize = 16 * 1024;

/// Proxy that counts statements. `BEGIN` and `COMMIT` count too.
pub struct StatementCounter {
    /// URL of the database through the proxy.
    pub url: String,
    statements: Arc<AtomicU64>,
    accepting: JoinHandle<()>,
}

impl StatementCounter {
    /// Starts a proxy to the server of a URL; `None` for one that is reached by a Unix socket.
    pub async fn before(url: &str) -> Result<Option<Self>> {
        let start = url.find("://").context("a database URL")? + "://".len();
        let end = url[start..].find(['/', '?']).map_or(url.len(), |length| start + length);
        let start = url[start..end].rfind('@').map_or(start, |sign| start + sign + 1);
        let host = &url[start..end];
        if host.is_empty() || host.contains('%') {
            return Ok(None);
        }
        let server = if host.contains(':') { host.to_owned() } else { format!("{host}:{DEFAULT_PORT}") };
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("{}{}{}", &url[..start], listener.local_addr()?, &url[end..]);
        let statements = Arc::<AtomicU64>::default();
        let accepting = tokio::spawn(accept(listener, server, Arc::clone(&statements)));
        Ok(Some(Self { url, statements, accepting }))
    }

    /// Statements until now.
    pub fn count(&self) -> u64 {
        self.statements.load(Ordering::Relaxed)
    }
}

impl Drop for StatementCounter {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, server: String, statements: Arc<AtomicU64>) {
    while let Ok((client, _)) = listener.accept().await {
        let (server, statements) = (server.clone(), Arc::clone(&statements));
        tokio::spawn(async move {
            // The process reports a lost connection itself.
            forward(client, &server, &statements).await.ok();
        });
    }
}

/// Forwards a connection in both directions until one side ends it.
async fn forward(client: TcpStream, server: &str, statements: &AtomicU64) -> io::Result<()> {
    let server = TcpStream::connect(server).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let ((mut from_client, mut to_client), (mut from_server, mut to_server)) =
        (client.into_split(), server.into_split());
    let requests = async {
        let (mut messages, mut buffer) = (Messages::default(), vec![0; BUFFER_BYTES]);
        loop {
            let length = from_client.read(&mut buffer).await?;
            if length == 0 {
                return Ok(());
            }
            statements.fetch_add(messages.statements_in(&buffer[..length]), Ordering::Relaxed);
            to_server.write_all(&buffer[..length]).await?;
        }
    };
    tokio::select! {
        ended = requests => ended,
        ended = tokio::io::copy(&mut from_server, &mut to_client) => ended.map(drop),
    }
}

/// Messages of a client without TLS (PostgreSQL protocol 3): a byte for the kind, except in the first one, then four
/// bytes for the length of themselves and the body.
#[derive(Default)]
struct Messages {
    bytes: BytesMut,
    has_begun: bool,
}

impl Messages {
    /// Number of statements that a piece completes.
    fn statements_in(&mut self, piece: &[u8]) -> u64 {
        const QUERY: u8 = b'Q';
        const EXECUTE: u8 = b'E';
        self.bytes.extend_from_slice(piece);
        let mut statements = 0;
        while let Some(kind) = self.next() {
            statements += u64::from(matches!(kind, Some(QUERY | EXECUTE)));
        }
        statements
    }

    /// Kind of the next complete message; the first one has none.
    fn next(&mut self) -> Option<Option<u8>> {
        let start = usize::from(self.has_begun);
        let length = self.bytes.get(start..start + 4)?.try_into().ok()?;
        let end = start + usize::try_from(u32::from_be_bytes(length)).ok()?;
        if self.bytes.len() < end {
            return None;
        }
        let message = self.bytes.split_to(end);
        let has_kind = std::mem::replace(&mut self.has_begun, true);
        Some(message.first().copied().filter(|_| has_kind))
    }
}
