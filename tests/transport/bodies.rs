//! Bodies that arrive slowly (reference/conventions.md#body-time).

use chrono::TimeDelta;
use lumio_tests::{Caller, TestApp};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

const PERSONAL_KEY: &str = "{\"label\":\"slow\",\"permissions\":[\"chat:read\"]}";

/// A request whose body is written by hand.
struct Slow {
    stream: TcpStream,
}

/// A response, read until the server closed the connection.
struct Returned {
    status: u16,
    head: String,
    body: Value,
}

impl Slow {
    /// `path` includes the method.
    async fn begin(app: &TestApp, path: &str, caller: Option<&Caller>, headers: &str) -> Self {
        let address = app.url().replace("http://", "");
        let mut stream = TcpStream::connect(&address).await.unwrap();
        let bearer = caller.map(|caller| format!("Authorization: Bearer {}\r\n", caller.token()));
        let bearer = bearer.unwrap_or_default();
        let head = format!("{path} HTTP/1.1\r\nHost: {address}\r\n{bearer}{headers}\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        Self { stream }
    }

    async fn send(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).await.unwrap();
    }

    /// Waits until the server has read everything: until the kernel's queues are empty.
    async fn settle(&self) {
        let (own, servers) = (self.stream.local_addr().unwrap(), self.stream.peer_addr().unwrap());
        let ends = [format!(":{:04X}", servers.port()), format!(":{:04X}", own.port())];
        // For each end: unsent and unread bytes.
        let is_empty = |table: &str, local: &str, remote: &str| {
            table.lines().any(|line| {
                let fields: Vec<&str> = line.split_whitespace().collect();
                fields.len() > 4
                    && fields[1].ends_with(local)
                    && fields[2].ends_with(remote)
                    && fields[4] == "00000000:00000000"
            })
        };
        let is_read = || {
            let table = std::fs::read_to_string("/proc/net/tcp").expect("the kernel's table");
            is_empty(&table, &ends[0], &ends[1]) && is_empty(&table, &ends[1], &ends[0])
        };
        for _ in 0..1000 {
            if is_read() {
                // The bytes leave the kernel's queue before the server counts them, in one poll of its connection.
                tokio::time::sleep(std::time::Duration::from_millis(500)).await;
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        panic!("the server does not read");
    }

    /// Everything until the server closes.
    async fn until_closed(mut self) -> Returned {
        let mut bytes = Vec::new();
        let read = self.stream.read_to_end(&mut bytes);
        tokio::time::timeout(std::time::Duration::from_secs(60), read).await.expect("closed").unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_default();
        Returned {
            status: head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default(),
            head: head.to_ascii_lowercase(),
            body: serde_json::from_str(body).unwrap_or_default(),
        }
    }
}

const JSON: &str = "Content-Type: application/json\r\nContent-Length: 100\r\n";

#[tokio::test]
async fn bodies_that_take_too_long_are_408_on_every_route() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let form = "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000\r\n";
    let chunked = "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n";
    let studio = app.studio().await;
    let extension = studio.extension("Slow").await;
    let upload = format!("POST /developer/v1/extensions/{extension}/versions");
    let mut requests = Vec::new();
    for (name, path, caller, headers, part) in [
        ("json", "POST /v1/api-keys", Some(&owner.caller), JSON, "{"),
        ("chunked", "POST /v1/api-keys", Some(&owner.caller), chunked, "1\r\n{\r\n"),
        ("graphql", "POST /v1/gql", None, JSON, "{"),
        ("webhook", "POST /v1/webhooks/twitch", None, JSON, "{"),
        ("upload", upload.as_str(), Some(&studio.key), form, "--x\r\n"),
    ] {
        let mut request = Slow::begin(&app, path, caller, headers).await;
        request.send(part).await;
        request.settle().await;
        requests.push((name, request));
    }
    app.clock.advance(TimeDelta::seconds(31));
    for (name, request) in requests {
        let returned = request.until_closed().await;
        assert_eq!(returned.status, 408, "{name}: {}", returned.head);
        assert!(returned.head.contains("connection: close"), "{name}: {}", returned.head);
        let (code, message) = match name {
            "graphql" => {
                let error = &returned.body["errors"][0];
                (&error["extensions"]["code"], &error["message"])
            }
            "upload" => (&returned.body["error"]["code"], &returned.body["error"]["message"]),
            _ => (&returned.body["error"], &returned.body["message"]),
        };
        let expected = if name == "upload" { "validation_error" } else { "BAD_REQUEST" };
        assert_eq!(code, expected, "{name}: {}", returned.body);
        assert_eq!(message, "Request body took too long", "{name}");
    }
}

#[tokio::test]
async fn bodies_have_a_second_more_for_each_64_kib() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let length = 3 * 64 * 1024 + PERSONAL_KEY.len();
    let headers =
        format!("Content-Type: application/json\r\nConnection: close\r\nContent-Length: {length}\r\n");
    let filling = " ".repeat(3 * 64 * 1024);
    for (seconds, status) in [(29, 201), (32, 201), (34, 408)] {
        let mut request = Slow::begin(&app, "POST /v1/api-keys", Some(&owner.caller), &headers).await;
        request.send(&filling).await;
        request.settle().await;
        app.clock.advance(TimeDelta::seconds(seconds));
        if status == 201 {
            request.send(PERSONAL_KEY).await;
        }
        let returned = request.until_closed().await;
        assert_eq!(returned.status, status, "{seconds}: {}", returned.body);
    }
}

#[tokio::test]
async fn bodies_of_refused_requests_are_not_read() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let chunked = "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n";
    for (headers, part) in [(JSON, "{"), (chunked, "1\r\n{\r\n")] {
        let mut refused = Slow::begin(&app, "POST /v1/api-keys", None, headers).await;
        refused.send(part).await;
        assert_eq!(refused.until_closed().await.status, 401, "{headers}");
        // A response without a body of its own.
        let path = "DELETE /v1/users/me/sessions";
        let mut empty = Slow::begin(&app, path, Some(&owner.caller), headers).await;
        empty.send(part).await;
        assert_eq!(empty.until_closed().await.status, 204, "{headers}");
    }
    owner.get("/v1/users/me").await.expect(200);
}
