//! Host that handlers reach.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use lumio_tests::{TestApp, TestAppBuilder};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    task::JoinHandle,
};

/// Host that counts requests and answers each with 200, `/away` with a redirect to a host that no handler may reach, and
/// `/held` not at all.
pub struct Host {
    pub address: String,
    received: Arc<AtomicUsize>,
    accepting: JoinHandle<()>,
}

impl Host {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let received = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&received);
        let accepting = tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                let counted = Arc::clone(&counted);
                tokio::spawn(async move {
                    let mut request = [0; 4096];
                    // The handlers' requests have no body, and their headers come in one piece.
                    if socket.read(&mut request).await.is_ok_and(|read| read > 0) {
                        counted.fetch_add(1, Ordering::SeqCst);
                        if request.starts_with(b"GET /held ") {
                            // Until who asks is gone.
                            while socket.read(&mut request).await.is_ok_and(|read| read > 0) {}
                            return;
                        }
                        let head = if request.starts_with(b"GET /away ") {
                            "302 Found\r\nlocation: https://unlisted.example/"
                        } else {
                            "200 OK"
                        };
                        let answer =
                            format!("HTTP/1.1 {head}\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok");
                        socket.write_all(answer.as_bytes()).await.ok();
                    }
                });
            }
        });
        Self { address, received, accepting }
    }

    /// A server whose handlers reach the host.
    pub async fn app(&self) -> TestApp {
        self.builder().start().await
    }

    /// A builder of such a server.
    pub fn builder(&self) -> TestAppBuilder {
        TestApp::builder().with("LUMIO_EGRESS_TEST_HOSTS", &self.address)
    }

    /// Number of requests.
    pub fn received(&self) -> usize {
        self.received.load(Ordering::SeqCst)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}
