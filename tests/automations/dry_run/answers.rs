//! Server on TLS that answers each request as a dry run assumes it (reference/automations.md#dry-run).

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use lumio_tests::{Program, TestApp, TestAppBuilder};
use serde_json::Value;
use tokio::{
    io::{AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::aws_lc_rs,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    },
};

use crate::wire::message;

/// Certificate for 127.0.0.1, and its key.
const CERTIFICATE: &[u8] = include_bytes!("../../fixtures/tls/localhost.pem");
/// Root of the certificate. Its key is gone.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/tls/root.pem");
/// Variable that names the roots which a process trusts.
const ROOTS: &str = "SSL_CERT_FILE";
/// Status 200 and a body that is null.
const ANSWER: &str = concat!(
    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n",
    "content-length: 4\r\nconnection: close\r\n\r\nnull",
);

pub struct Answers {
    address: String,
    connections: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<String>>>,
    accepting: JoinHandle<()>,
}

impl Answers {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (connections, requests) = (Arc::<AtomicUsize>::default(), Arc::<Mutex<Vec<String>>>::default());
        let (count, received) = (Arc::clone(&connections), Arc::clone(&requests));
        let acceptor = acceptor();
        let accepting = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(answer(acceptor.clone(), socket, Arc::clone(&received)));
            }
        });
        Self { address, connections, requests, accepting }
    }

    /// A builder of a server whose automations may reach this address.
    pub fn builder(&self) -> TestAppBuilder {
        TestApp::builder().with("LUMIO_EGRESS_TEST_HOSTS", &self.address)
    }

    /// A worker that trusts this server and can call the API.
    pub async fn worker(&self, app: &TestApp) -> Program {
        let mut variables: BTreeMap<String, String> = app.variables();
        variables.insert("LUMIO_SYSTEM_KEY".to_owned(), app.system_key().await.token().to_owned());
        variables.insert(ROOTS.to_owned(), ROOT.to_owned());
        Program::start("lumio-worker", &["automations"], &variables)
    }

    /// Begin of the addresses here.
    pub fn origin(&self) -> String {
        format!("https://{}", self.address)
    }

    /// Number of connections until now.
    pub fn connections(&self) -> usize {
        AtomicUsize::load(&self.connections, Ordering::Relaxed)
    }

    /// Requests until now, as [`request`] writes them.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Method, path and body of a request.
pub fn request(method: &str, path: &str, body: &Value) -> String {
    format!("{method} {path} {body}")
}

fn acceptor() -> TlsAcceptor {
    let certificate = CertificateDer::from_pem_slice(CERTIFICATE).expect("a certificate");
    let key = PrivateKeyDer::from_pem_slice(CERTIFICATE).expect("a key");
    // Two providers are linked, so that none is the default of the process.
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions of TLS")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("the key of the certificate");
    Arc::new(config).into()
}

/// Answers the request of a connection. `None`: it is closed.
async fn answer(acceptor: TlsAcceptor, socket: TcpStream, received: Arc<Mutex<Vec<String>>>) -> Option<()> {
    let mut socket = BufReader::new(acceptor.accept(socket).await.ok()?);
    let message = message(&mut socket).await?;
    let text = String::from_utf8_lossy(&message);
    let (head, body) = text.split_once("\r\n\r\n")?;
    let mut line = head.split(' ');
    let (method, path) = (line.next()?, line.next()?);
    let body: Value = serde_json::from_str(body).ok()?;
    received.lock().unwrap().push(request(method, path, &body));
    socket.write_all(ANSWER.as_bytes()).await.ok()?;
    socket.shutdown().await.ok()
}
