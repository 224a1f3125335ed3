//! A rolling restart under load: two API processes behind a balancer, each terminated and replaced in turn.

use std::{
    collections::BTreeMap,
    net::TcpListener as Port,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use foundation::events::{Channel, Event};
use lumio_tests::{Caller, Heard, Program, Socket, SocketRequest, TestApp, is_slow};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use uuid::Uuid;

use super::eventually;

const CLIENTS: usize = 4;
const SOCKETS: usize = 6;
const MAX_REQUEST_BYTES: usize = 64 * 1024;

/// An API process that can be replaced by another at the same address.
struct Api {
    port: u16,
    program: Program,
    variables: BTreeMap<String, String>,
}

impl Api {
    async fn start(app: &TestApp) -> Self {
        let port = free_port();
        let mut variables = app.variables();
        variables.insert("LUMIO_HTTP_BIND".into(), format!("127.0.0.1:{port}"));
        let program = Program::start("lumio-api", &["serve"], &variables);
        let api = Self { port, program, variables };
        api.serves(app).await;
        api
    }

    /// SIGTERM, a graceful end, and a new process.
    async fn replace(&mut self, app: &TestApp) {
        self.program.terminate();
        assert!(self.program.ended().await.success(), "it drains");
        self.program = Program::start("lumio-api", &["serve"], &self.variables);
        self.serves(app).await;
    }

    async fn serves(&self, app: &TestApp) {
        let anybody = app.anonymous().at(format!("http://127.0.0.1:{}", self.port));
        let port = self.port;
        eventually("it listens", async || TcpStream::connect(("127.0.0.1", port)).await.is_ok()).await;
        anybody.get("/v1/health").await.expect(200);
    }
}

fn free_port() -> u16 {
    Port::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port").port()
}

/// Passes each connection to the next server that takes it. As balancers do, it tries another one when a server ends
/// the connection without a byte of a response: then it has not read the request.
async fn balancer(ports: Vec<u16>) -> (String, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let round = Arc::new(AtomicUsize::new(0));
    let serving = tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let (ports, round) = (ports.clone(), round.fetch_add(1, Relaxed));
            tokio::spawn(pass_on(client, ports, round));
        }
    });
    (url, serving)
}

async fn pass_on(mut client: TcpStream, ports: Vec<u16>, round: usize) -> Option<()> {
    let request = request(&mut client).await?;
    for attempt in 0..20 * ports.len() {
        let port = ports[(round + attempt) % ports.len()];
        if let Some((mut server, first)) = answered(port, &request).await {
            client.write_all(&first).await.ok()?;
            copy_bidirectional(&mut client, &mut server).await.ok()?;
            return Some(());
        }
        if attempt % ports.len() + 1 == ports.len() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    None
}

/// A whole request: its head, and a body of the announced length.
async fn request(client: &mut TcpStream) -> Option<Vec<u8>> {
    let (mut request, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let head = request.windows(4).position(|end| end == b"\r\n\r\n");
        if let Some(head) = head {
            let text = String::from_utf8_lossy(&request[..head]).to_lowercase();
            let length =
                text.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
            if request.len() >= head + 4 + length.unwrap_or(0_usize) {
                return Some(request);
            }
        }
        let read = client.read(&mut piece).await.ok()?;
        if read == 0 || request.len() > MAX_REQUEST_BYTES {
            return None;
        }
        request.extend_from_slice(&piece[..read]);
    }
}

/// Beginning of a server's response, and the connection for the rest.
async fn answered(port: u16, request: &[u8]) -> Option<(TcpStream, Vec<u8>)> {
    let mut server = TcpStream::connect(("127.0.0.1", port)).await.ok()?;
    server.write_all(request).await.ok()?;
    let mut first = vec![0; 4096];
    let read = server.read(&mut first).await.ok().filter(|read| *read > 0)?;
    first.truncate(read);
    Some((server, first))
}

/// Reads and writes through the balancer until the end; returns the number of requests.
async fn load(caller: Caller, account: Uuid, client: usize, is_over: Arc<AtomicBool>) -> usize {
    let (account, mut requests) = (format!("/v1/accounts/{account}"), 0);
    while !is_over.load(Relaxed) {
        // A connection each, so that none is closed while it waits for the next request.
        let once = |request: reqwest::RequestBuilder| caller.send(request.header("connection", "close"));
        once(caller.request(reqwest::Method::GET, "/v1/accounts")).await.expect(200);
        let name = json!({ "name": format!("Name {client} {requests}") });
        once(caller.request(reqwest::Method::PATCH, &account).json(&name)).await.expect(200);
        let document = json!({ "query": "{ accounts { id } }" });
        let answer = once(caller.request(reqwest::Method::POST, "/v1/gql").json(&document)).await;
        assert!(answer.expect(200)["errors"].is_null(), "{}", answer.text);
        requests += 1;
    }
    requests
}

/// A socket client that reconnects through the balancer.
struct Listener {
    url: String,
    token: String,
    channel: String,
    /// Counts clients that listen for the first time.
    subscribed: Arc<AtomicUsize>,
}

impl Listener {
    /// Listens until the event `last` arrives; returns the received events and the number of reconnects.
    async fn until(self, last: u64) -> (Vec<u64>, usize) {
        let (mut heard, mut cursor, mut returns) = (Vec::new(), None::<Uuid>, 0);
        let request = SocketRequest::to(self.url).bearer(&self.token);
        let mut socket: Socket = request.connect().await;
        socket.subscribe(&self.channel).await;
        self.subscribed.fetch_add(1, Relaxed);
        loop {
            match socket.hear().await {
                Heard::Frame(frame) if frame["type"] == "subscribed" => {
                    assert_eq!(frame["recovered"], true, "nothing is missing");
                }
                Heard::Frame(frame) => {
                    assert_eq!(frame["type"], "event", "{frame}");
                    let n = frame["data"]["n"].as_u64().expect("a number");
                    heard.push(n);
                    cursor = Some(frame["id"].as_str().and_then(|id| id.parse().ok()).expect("an id"));
                    if n == last {
                        return (heard, returns);
                    }
                }
                Heard::Closed(code) => {
                    assert_eq!(code, 1001, "it is told to come back");
                    returns += 1;
                    socket = request.connect().await;
                    let cursor = cursor.expect("it has heard something to resume from");
                    // The next server may close it immediately.
                    let resume = json!({ "type": "subscribe", "channel": self.channel, "after": cursor });
                    socket.send(resume).await;
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rolling_restart_under_load_fails_no_request_and_loses_no_event() {
    let rounds = if is_slow() { 3 } else { 1 };
    // It owns the databases and gets no requests.
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let mut apis = [Api::start(&app).await, Api::start(&app).await];
    let (url, balancing) = balancer(apis.iter().map(|api| api.port).collect()).await;
    let channel = Channel::Chat(owner.account_id);

    let (is_over, subscribed) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let last = u64::MAX >> 12;
    let listener = || Listener {
        url: url.clone(),
        token: owner.token().to_owned(),
        channel: channel.to_string(),
        subscribed: Arc::clone(&subscribed),
    };
    let sockets: Vec<_> = (0..SOCKETS).map(|_| tokio::spawn(listener().until(last))).collect();
    eventually("all sockets listen", async || subscribed.load(Relaxed) == SOCKETS).await;

    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| tokio::spawn(load(owner.at(&url), owner.account_id, client, Arc::clone(&is_over))))
        .collect();
    let publisher = {
        let (events, clock, is_over) = (app.state.events.clone(), app.clock.clone(), Arc::clone(&is_over));
        tokio::spawn(async move {
            let mut n = 0_u64;
            while !is_over.load(Relaxed) {
                let event = Event::new(channel, "test:event", json!({ "n": n }), clock.now());
                events.append(&event).await.expect("the log takes it");
                n += 1;
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            n
        })
    };
    tokio::time::sleep(Duration::from_millis(300)).await;
    for _ in 0..rounds {
        for api in &mut apis {
            api.replace(&app).await;
        }
    }
    is_over.store(true, Relaxed);
    let published = publisher.await.unwrap();
    let mut requests = 0;
    for client in clients {
        requests += client.await.expect("no request fails");
    }
    let event = Event::new(channel, "test:event", json!({ "n": last }), app.clock.now());
    app.state.events.append(&event).await.unwrap();
    let mut returns = 0;
    for socket in sockets {
        let (heard, came_back) = socket.await.expect("no socket is lost");
        let expected: Vec<u64> = (0..published).chain([last]).collect();
        assert_eq!(heard, expected, "each event once, in order");
        returns += came_back;
    }
    assert!(returns >= SOCKETS, "every socket met a restart: {returns}");
    let renamed = app.audited("account:updated").await;
    assert_eq!(renamed.len(), requests, "every write has its effect once");
    eprintln!("{requests} rounds of requests, {published} events, {returns} returns of {SOCKETS} sockets");
    balancing.abort();
    app.stop().await;
}
