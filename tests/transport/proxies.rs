//! Proxies before the API, and requests of scanners (reference/limits.md#client-address).

use std::collections::BTreeMap;

use lumio_tests::{Program, TestApp, TestAppBuilder};
use reqwest::Method;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

fn deployed() -> TestAppBuilder {
    TestApp::builder()
        .with("LUMIO_ENV", "staging")
        .with("LUMIO_PUBLIC_URL", "https://api.example.com")
        .with("LUMIO_JWT_SECRET", "a secret of this test that is long enough")
        .with("LUMIO_ENCRYPTION_KEYS", "k1:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
}

/// Value of the metric after one request with and one without the header.
async fn ignored(app: &TestApp) -> Option<String> {
    let anonymous = app.anonymous();
    anonymous.get("/v1").await.expect(200);
    let request = anonymous.request(Method::GET, "/v1").header("x-forwarded-for", "203.0.113.7");
    anonymous.send(request).await.expect(200);
    let metrics = anonymous.at(app.metrics_url()).get("/metrics").await.text;
    let line = metrics.lines().find(|line| line.starts_with("lumio_forwarded_for_ignored_total{"));
    line.and_then(|line| line.rsplit(' ').next()).map(str::to_owned)
}

#[tokio::test]
async fn proxies_that_are_not_configured_are_counted_outside_development() {
    assert_eq!(ignored(&deployed().start().await).await.as_deref(), Some("1"));
    let trusted = deployed().with("LUMIO_TRUSTED_PROXY_HOPS", 1).start().await;
    assert_eq!(ignored(&trusted).await.as_deref(), Some("0"));
    assert_eq!(ignored(&TestApp::start().await).await.as_deref(), Some("0"));
}

/// Log lines of a separate process while requests are sent to it.
async fn logged(app: &TestApp, variables: &[(&str, &str)], ask: impl AsyncFnOnce(String)) -> Vec<String> {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("log");
    let more: BTreeMap<String, String> =
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let (program, url): (Program, String) = app.second_process_logging(&path, &more).await;
    ask(url).await;
    drop(program);
    std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn proxies_that_are_not_configured_are_logged_once_a_minute() {
    let app = deployed().start().await;
    let owner = app.owner().await;
    let lines = logged(&app, &[("LUMIO_LOG_JSON", "true")], async |url| {
        let caller = owner.at(&url);
        for _ in 0..3 {
            let request = caller.request(Method::GET, "/v1/users/me");
            caller.send(request.header("x-forwarded-for", "203.0.113.7")).await.expect(200);
        }
    })
    .await;
    let warnings: Vec<&String> =
        lines.iter().filter(|line| line.contains("LUMIO_TRUSTED_PROXY_HOPS")).collect();
    assert_eq!(warnings.len(), 1, "{lines:#?}");
    assert!(warnings[0].contains("WARN"), "{}", warnings[0]);
    let answered: Vec<&String> =
        lines.iter().filter(|line| line.contains("answered") && line.contains("/v1/users/me")).collect();
    assert_eq!(answered.len(), 3, "{lines:#?}");
    for line in answered {
        for part in [owner.user_id.to_string(), owner.account_id.to_string(), "127.0.0.0".to_owned()] {
            assert!(line.contains(&part), "{part} in {line}");
        }
        assert!(!line.contains("127.0.0.1"), "{line}");
    }
}

#[tokio::test]
async fn proxies_and_scanners_without_http_log_no_error() {
    let app = TestApp::start().await;
    let lines = logged(&app, &[], async |url| {
        let address = url.replace("http://", "");
        for nonsense in ["GET / HTTP/1.1\r\nBad Header\r\n\r\n", "\u{16}\u{3}\u{1}", "NONSENSE\r\n\r\n"] {
            let mut stream = TcpStream::connect(&address).await.unwrap();
            stream.write_all(nonsense.as_bytes()).await.unwrap();
            stream.shutdown().await.unwrap();
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).await.unwrap();
        }
        app.anonymous().at(&url).get("/v1").await.expect(200);
    })
    .await;
    assert!(lines.iter().any(|line| line.contains("answered")), "{lines:#?}");
    assert!(!lines.iter().any(|line| line.contains("ERROR")), "{lines:#?}");
}
