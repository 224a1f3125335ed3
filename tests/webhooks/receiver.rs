//! HTTP server that receives deliveries and answers as a test wants.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use lumio_tests::{TestApp, TestAppBuilder};
use reqwest::header::HeaderMap;
use serde_json::Value;
use standardwebhooks::Webhook;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::Notify,
    task::JoinHandle,
};

/// Request as it arrived.
#[derive(Debug, Clone)]
pub struct Received {
    pub path: String,
    pub headers: BTreeMap<String, String>,
    pub text: String,
}

/// Answer to the requests of a path.
#[derive(Debug, Clone)]
pub enum Reply {
    /// Status without a body.
    Status(u16),
    /// Status with header lines and a body.
    Full(u16, &'static str, String),
    /// None, until the receiver is released; then 200.
    Held,
    /// None, until the receiver is released; then a status with a body.
    Late(u16, String),
}

/// Receiver with an address of its own.
pub struct Receiver {
    address: String,
    parts: Arc<Parts>,
    accepting: JoinHandle<()>,
}

#[derive(Default)]
struct Parts {
    received: Mutex<Vec<Received>>,
    replies: Mutex<BTreeMap<String, Reply>>,
    released: Notify,
}

impl Receiver {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let parts = Arc::<Parts>::default();
        let of_connections = Arc::clone(&parts);
        let accepting = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(serve(socket, Arc::clone(&of_connections)));
            }
        });
        Self { address, parts, accepting }
    }

    /// A builder of a server that may send here.
    pub fn builder(&self) -> TestAppBuilder {
        TestApp::builder().with("LUMIO_EGRESS_TEST_HOSTS", &self.address)
    }

    /// Address of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Sets the answer to the requests of a path; without one it is 200.
    pub fn reply(&self, path: &str, reply: Reply) {
        self.parts.replies.lock().unwrap().insert(path.to_owned(), reply);
    }

    /// Answers the requests that are held.
    pub fn release(&self) {
        self.parts.released.notify_waiters();
    }

    /// Requests of a path, oldest first.
    pub fn received(&self, path: &str) -> Vec<Received> {
        let received = self.parts.received.lock().unwrap();
        received.iter().filter(|request| request.path == path).cloned().collect()
    }

    /// Ids of the events in the requests of a path, oldest first.
    pub fn events(&self, path: &str) -> Vec<String> {
        let id = |request: &Received| request.body()["data"]["id"].as_str().expect("an event").to_owned();
        self.received(path).iter().map(id).collect()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Received {
    pub fn body(&self) -> Value {
        serde_json::from_str(&self.text).expect("JSON")
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(String::as_str).unwrap_or_default()
    }

    /// True when the verifier of Standard Webhooks accepts the request for a secret.
    pub fn is_verified_by(&self, secret: &str) -> bool {
        let mut headers = HeaderMap::new();
        for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
            headers.insert(name, self.header(name).parse().expect("a value"));
        }
        Webhook::new(secret).expect("a secret").verify(self.text.as_bytes(), &headers).is_ok()
    }

    /// Numbers of signatures, and true when one is made with a secret. The verifier compares with the time of the machine;
    /// this does not.
    pub fn signatures(&self, secret: &str) -> (usize, bool) {
        let timestamp = self.header("webhook-timestamp").parse().expect("seconds");
        let webhook = Webhook::new(secret).expect("a secret");
        let own =
            webhook.sign(self.header("webhook-id"), timestamp, self.text.as_bytes()).expect("a signature");
        let all: Vec<&str> = self.header("webhook-signature").split(' ').collect();
        (all.len(), all.contains(&own.as_str()))
    }
}

async fn serve(socket: TcpStream, parts: Arc<Parts>) -> Option<()> {
    let mut socket = BufReader::new(socket);
    let request = request(&mut socket).await?;
    let reply = parts.replies.lock().unwrap().get(&request.path).cloned().unwrap_or(Reply::Status(200));
    // Before the request is shown, so that a release after it is not missed.
    let released = parts.released.notified();
    tokio::pin!(released);
    released.as_mut().enable();
    parts.received.lock().unwrap().push(request);
    let (status, fields, body) = match reply {
        Reply::Status(status) => (status, "", String::new()),
        Reply::Full(status, fields, body) => (status, fields, body),
        Reply::Held => {
            released.await;
            (200, "", String::new())
        }
        Reply::Late(status, body) => {
            released.await;
            (status, "", body)
        }
    };
    let length = body.len();
    let answer =
        format!("HTTP/1.1 {status} X\r\n{fields}content-length: {length}\r\nconnection: close\r\n\r\n{body}");
    socket.write_all(answer.as_bytes()).await.ok()
}

/// Next request with its body, whose length the head names.
async fn request(socket: &mut BufReader<TcpStream>) -> Option<Received> {
    let (mut headers, mut path) = (BTreeMap::new(), String::new());
    loop {
        let mut line = String::new();
        socket.read_line(&mut line).await.ok().filter(|bytes| *bytes > 0)?;
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        match line.split_once(": ") {
            Some((name, value)) => _ = headers.insert(name.to_ascii_lowercase(), value.to_owned()),
            None => path = line.split(' ').nth(1)?.to_owned(),
        }
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    socket.read_exact(&mut body).await.ok()?;
    Some(Received { path, headers, text: String::from_utf8(body).ok()? })
}
