use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use sandbox::HostErrorKind;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use super::*;

/// HTTP server that responds to every path with the result of `answer` for its request head.
struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    async fn start(answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, requests) = (listener.local_addr().unwrap(), Arc::new(Mutex::new(Vec::new())));
        let (seen, answer) = (requests.clone(), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                let (seen, answer) = (seen.clone(), answer.clone());
                tokio::spawn(async move {
                    let mut buffer = vec![0; 16 * 1024];
                    let read = socket.read(&mut buffer).await.unwrap_or(0);
                    let request = String::from_utf8_lossy(&buffer[..read]).into_owned();
                    let reply = answer(&request);
                    seen.lock().unwrap().push(request);
                    // The client may have closed the connection already, which some tests are about.
                    drop(socket.write_all(&reply).await);
                });
            }
        });
        Self { address, requests }
    }

    fn egress(&self) -> Egress {
        Egress::new(&[self.address.to_string()]).unwrap()
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

fn reply(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
        .into()
}

fn get(url: impl Into<String>) -> FetchRequest {
    FetchRequest {
        url: url.into(),
        method: "GET".to_owned(),
        headers: Vec::new(),
        redirect: Redirect::Follow,
        body: None,
    }
}

fn nothing() -> AllowList {
    AllowList::default()
}

fn listed(hosts: &[&str]) -> AllowList {
    let allow_hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
    AllowList::new(&extension_model::feeds::Egress { allow_hosts, allow_ports: vec![8443] })
}

async fn refusal(egress: &Egress, allowed: &AllowList, url: &str) -> HostError {
    egress.fetch(allowed, get(url), &Budget::default()).await.unwrap_err().error
}

#[tokio::test]
async fn egress_denies_unlisted_addresses_before_sending() {
    let egress = Egress::new(&[]).unwrap();
    for url in [
        "https://other.example/",
        "http://api.example.com/",
        "https://api.example.com:9999/",
        "https://127.0.0.1/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0177.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:169.254.169.254]/",
        "https://169.254.169.254/latest/meta-data/",
        "ftp://api.example.com/",
        "file:///etc/passwd",
        "data:text/plain,x",
    ] {
        let error = refusal(&egress, &listed(&["api.example.com"]), url).await;
        assert_eq!(error.kind, HostErrorKind::Egress, "{url}: {error}");
    }
}

#[tokio::test]
async fn egress_denies_names_of_inner_addresses_without_the_address() {
    let error =
        refusal(&Egress::new(&[]).unwrap(), &AllowList::of_any_name("localhost"), "https://localhost/").await;
    assert_eq!(error, HostError::egress("ctx.fetch: https://localhost is not on the public internet"));
}

#[tokio::test]
async fn egress_returns_the_response_of_a_listed_host() {
    let server = Server::start(|_| reply("201 Created", "x-a: 1\r\n", "hello")).await;
    let response =
        server.egress().fetch(&nothing(), get(server.url("/x")), &Budget::default()).await.unwrap();
    assert_eq!((response.status, response.body.as_slice()), (201, &b"hello"[..]));
    assert!(response.headers.contains(&("x-a".to_owned(), "1".to_owned())));
    assert!(!response.redirected);
}

#[tokio::test]
async fn egress_checks_a_redirect_like_the_first_hop() {
    for target in
        ["http://127.0.0.1:1/", "https://169.254.169.254/", "https://2130706433/", "https://evil.example/"]
    {
        let server = Server::start(move |_| reply("302 Found", &format!("location: {target}\r\n"), "")).await;
        let (egress, allowed) = (server.egress(), listed(&["api.example.com"]));
        let failure = egress.fetch(&allowed, get(server.url("/")), &Budget::default()).await.unwrap_err();
        assert_eq!(failure.error.kind, HostErrorKind::Egress, "{target}: {}", failure.error);
        assert!(failure.is_redirected, "{target}: the first hop was sent");
        // The same target without a redirect is denied before anything is sent.
        let failure = egress.fetch(&allowed, get(target), &Budget::default()).await.unwrap_err();
        assert_eq!((failure.error.kind, failure.is_redirected), (HostErrorKind::Egress, false), "{target}");
    }
}

#[tokio::test]
async fn egress_follows_three_redirects_and_no_fourth() {
    let hop = |request: &str| {
        let step: u32 = request.split(['/', ' ']).nth(2).and_then(|step| step.parse().ok()).unwrap();
        match step {
            0 => reply("200 OK", "", "arrived"),
            _ => reply("302 Found", &format!("location: /{}\r\n", step - 1), ""),
        }
    };
    let server = Server::start(hop).await;
    let response =
        server.egress().fetch(&nothing(), get(server.url("/3")), &Budget::default()).await.unwrap();
    assert_eq!((response.body.as_slice(), response.redirected), (&b"arrived"[..], true));
    assert!(response.url.ends_with("/0"));

    let error = refusal(&server.egress(), &nothing(), &server.url("/4")).await;
    assert_eq!(error.message, "ctx.fetch: more than 3 redirects");
}

#[tokio::test]
async fn egress_drops_credentials_and_bodies_on_redirects() {
    let second = Server::start(|_| reply("200 OK", "", "")).await;
    let target = second.url("/next");
    let first = Server::start(move |_| reply("302 Found", &format!("location: {target}\r\n"), "")).await;
    let egress = Egress::new(&[first.address.to_string(), second.address.to_string()]).unwrap();
    let request = FetchRequest {
        method: "POST".to_owned(),
        headers: vec![
            ("authorization".to_owned(), "Bearer x".to_owned()),
            ("x-api-key".to_owned(), "Key".to_owned()),
            ("x-webhook-secret".to_owned(), "Key".to_owned()),
            ("accept".to_owned(), "text/plain".to_owned()),
        ],
        body: Some(b"body".to_vec()),
        ..get(first.url("/"))
    };
    egress.fetch(&nothing(), request, &Budget::default()).await.unwrap();

    assert!(first.requests()[0].contains("authorization: Bearer x"));
    let followed = &second.requests()[0];
    assert!(followed.starts_with("GET /next") && followed.contains("accept: text/plain"), "{followed}");
    assert!(!followed.contains("authorization") && !followed.contains("body"), "{followed}");
    assert!(!followed.contains("x-api-key") && !followed.contains("x-webhook-secret"), "{followed}");
}

#[tokio::test]
async fn egress_returns_or_refuses_redirects_as_requested() {
    let server = Server::start(|_| reply("307 Temporary Redirect", "location: /next\r\n", "")).await;
    let manual = FetchRequest { redirect: Redirect::Manual, ..get(server.url("/")) };
    assert_eq!(server.egress().fetch(&nothing(), manual, &Budget::default()).await.unwrap().status, 307);
    let refused = FetchRequest { redirect: Redirect::Error, ..get(server.url("/")) };
    assert_eq!(
        server.egress().fetch(&nothing(), refused, &Budget::default()).await.unwrap_err().error.kind,
        HostErrorKind::Network
    );
}

#[tokio::test]
async fn egress_refuses_a_body_over_the_limit_announced_or_not() {
    let announced = Server::start(|_| b"HTTP/1.1 200 OK\r\ncontent-length: 4194305\r\n\r\n".to_vec()).await;
    let streamed = Server::start(|_| {
        let mut reply = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n".to_vec();
        reply.resize(reply.len() + MAX_RESPONSE_BODY_BYTES + 1, b'x');
        reply
    })
    .await;
    for server in [announced, streamed] {
        let error = refusal(&server.egress(), &nothing(), &server.url("/")).await;
        assert_eq!(error.message, "ctx.fetch: the answer is larger than 4194304 bytes");
    }
}

#[tokio::test]
async fn egress_limits_the_responses_of_an_invocation_in_total() {
    let body = "x".repeat(3 * 1024 * 1024);
    let server = Server::start(move |_| reply("200 OK", "", &body)).await;
    let (egress, budget) = (server.egress(), Budget::default());
    for _ in 0..3 {
        egress.fetch(&nothing(), get(server.url("/")), &budget).await.unwrap();
    }
    let error = egress.fetch(&nothing(), get(server.url("/")), &budget).await.unwrap_err().error;
    assert_eq!(error.kind, HostErrorKind::Limit);
    assert!(error.message.contains("10485760 bytes together"), "{error}");
}

#[tokio::test]
async fn egress_ends_a_fetch_after_the_time_limit() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let egress = Egress {
        total_timeout: Duration::from_millis(100),
        ..Egress::new(std::slice::from_ref(&address)).unwrap()
    };
    let error = refusal(&egress, &nothing(), &format!("http://{address}/")).await;
    assert_eq!(error.kind, HostErrorKind::Network);
}

#[tokio::test]
async fn egress_errors_of_invalid_requests_state_the_cause() {
    let egress = Egress::new(&[]).unwrap();
    let allowed = listed(&["api.example.com"]);
    let url = "https://api.example.com/";
    for (request, part) in [
        (get("no url"), "the URL cannot be read"),
        (get("https://user:pass@api.example.com/"), "must not hold a user name"),
        (get(format!("{url}{}", "x".repeat(MAX_URL_BYTES))), "longer than 8192 bytes"),
        (FetchRequest { method: "CONNECT".to_owned(), ..get(url) }, "method must be"),
        (FetchRequest { method: "TRACE".to_owned(), ..get(url) }, "method must be"),
        (
            FetchRequest { headers: vec![("host".to_owned(), "x".to_owned())], ..get(url) },
            "host cannot be set",
        ),
        (
            FetchRequest { body: Some(vec![0; MAX_REQUEST_BODY_BYTES + 1]), ..get(url) },
            "the limit is 1048576",
        ),
    ] {
        let error = egress.fetch(&allowed, request, &Budget::default()).await.unwrap_err().error;
        assert!(error.message.contains(part), "{error}");
    }
}
