//! Requests.

use std::sync::{Arc, Mutex};

use lumio_tests::TestApp;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use super::Scene;

/// Server that answers each request by its path, and its address.
async fn server() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let requests: Arc<Mutex<Vec<String>>> = Arc::default();
    let heard = requests.clone();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut buffer = vec![0; 16 * 1024];
            let length = socket.read(&mut buffer).await.unwrap_or(0);
            let request = String::from_utf8_lossy(&buffer[..length]).into_owned();
            let answer = answer_to(request.split(' ').nth(1).unwrap_or_default());
            heard.lock().unwrap().push(request);
            socket.write_all(answer.as_bytes()).await.ok();
        }
    });
    (address, requests)
}

fn answer_to(path: &str) -> String {
    let redirect = |to: &str| {
        format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
    };
    let body = |status: &str, kind: &str, body: &str| {
        let length = body.len();
        format!(
            "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
        )
    };
    match path {
        "/json" => body("201 Created", "application/json", "{\"a\":1}"),
        "/missing" => body("404 Not Found", "text/plain", "nothing"),
        "/large" => body("200 OK", "text/plain", &"x".repeat(64 * 1024 + 1)),
        "/inside" => redirect("https://169.254.169.254/latest/meta-data"),
        "/plain" => redirect("http://example.com/"),
        "/moved" => redirect("/json"),
        _ => redirect("/loop"),
    }
}

#[tokio::test]
async fn effects_of_http_request_return_status_and_body() {
    let (address, requests) = server().await;
    let scene = Scene::start_with(TestApp::builder().with("LUMIO_EGRESS_TEST_HOSTS", &address)).await;
    let url = |path: &str| format!("http://{address}/{path}");
    let headers = json!({ "x-key": "k" });
    let post = json!({ "method": "POST", "url": url("json"), "headers": headers, "body": { "b": 2 } });
    assert_eq!(scene.output("http_request", post).await, json!({ "status": 201, "body": { "a": 1 } }));
    let sent = requests.lock().unwrap()[0].to_lowercase();
    assert!(sent.starts_with("post /json") && sent.contains("x-key: k"), "{sent}");
    assert!(sent.contains("content-type: application/json") && sent.ends_with("{\"b\":2}"), "{sent}");
    let get = |path: &str| json!({ "method": "GET", "url": url(path) });
    assert_eq!(
        scene.output("http_request", get("missing")).await,
        json!({ "status": 404, "body": "nothing" })
    );
    assert_eq!(scene.output("http_request", get("moved")).await["status"], 201);
    let large = scene.perform("http_request", get("large")).await.unwrap_err();
    assert_eq!(large.message, "The answer has more than 65536 bytes");
    scene.app.stop().await;
}

#[tokio::test]
async fn effects_of_http_request_reach_nothing_inside_the_network() {
    let (address, _) = server().await;
    let scene = Scene::start_with(TestApp::builder().with("LUMIO_EGRESS_TEST_HOSTS", &address)).await;
    let get = |url: String| json!({ "method": "GET", "url": url });
    for (path, message) in [
        ("inside", "The host is not on the public internet"),
        ("plain", "url must begin with https://"),
        ("loop", "More than 3 redirects"),
    ] {
        let failed =
            scene.perform("http_request", get(format!("http://{address}/{path}"))).await.unwrap_err();
        assert_eq!(
            (failed.message.as_str(), failed.unknown),
            (message, true),
            "{path}: the first host had it"
        );
    }
    for url in ["https://127.0.0.1/", "https://[::1]/", "https://2130706433/", "https://localhost/"] {
        let refused = scene.refused("http_request", get(url.to_owned())).await;
        assert_eq!(refused, "The host is not on the public internet", "{url}");
    }
    let host = json!({ "method": "GET", "url": "https://example.com/", "headers": { "Host": "api" } });
    assert_eq!(scene.refused("http_request", host).await, "The header host cannot be set");
    scene.app.stop().await;
}

#[tokio::test]
async fn effects_of_http_request_are_sixty_in_a_minute() {
    let scene = Scene::start().await;
    scene.app.begin_a_window(60);
    let get = json!({ "method": "GET", "url": "https://127.0.0.1/" });
    for _ in 0..60 {
        scene.refused("http_request", get.clone()).await;
    }
    assert_eq!(scene.refused("http_request", get).await, "At most 60 requests in a minute");
    scene.app.stop().await;
}
