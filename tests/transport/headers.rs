//! Headers of every response.

use lumio_tests::{Answer, TestApp};
use reqwest::Method;

async fn asked_from(app: &TestApp, origin: &str) -> Answer {
    let anonymous = app.anonymous();
    anonymous.send(anonymous.request(Method::GET, "/v1/platforms/enabled").header("origin", origin)).await
}

#[tokio::test]
async fn headers_for_security_are_in_every_answer() {
    let app = TestApp::start().await;
    for path in ["/v1/health", "/v1/nothing", "/v1/api-keys", "/v1/openapi.json", "/.well-known/security.txt"]
    {
        let answer = app.anonymous().get(path).await;
        assert_eq!(answer.headers["x-content-type-options"], "nosniff", "{path}");
        assert_eq!(answer.headers["referrer-policy"], "no-referrer", "{path}");
        assert!(!answer.headers.contains_key("strict-transport-security"), "not in development");
    }
}

#[tokio::test]
async fn headers_demand_transport_security_outside_development() {
    let key = "k1:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
    let app = TestApp::builder()
        .with("LUMIO_ENV", "staging")
        .with("LUMIO_PUBLIC_URL", "https://api.lumio.example")
        .with("LUMIO_JWT_SECRET", "a secret of this test that is long enough")
        .with("LUMIO_ENCRYPTION_KEYS", key)
        .start()
        .await;
    let answer = app.anonymous().get("/v1/health").await;
    assert!(answer.headers["strict-transport-security"].to_str().unwrap().starts_with("max-age=31536000"));
    app.anonymous().get("/v1/graphiql").await.expect(404);
}

#[tokio::test]
async fn headers_echo_or_create_the_request_id() {
    let app = TestApp::start().await;
    let anonymous = app.anonymous();
    let with = async |id: &str| {
        let request = anonymous.request(Method::GET, "/v1/health").header("x-request-id", id);
        anonymous.send(request).await.headers["x-request-id"].to_str().unwrap().to_owned()
    };
    assert_eq!(with("client-1").await, "client-1");
    let long = "x".repeat(200);
    for unsound in ["lm_usr_secret", "two words", long.as_str()] {
        let minted = with(unsound).await;
        assert!(uuid::Uuid::try_parse(&minted).is_ok(), "{unsound} gave {minted}");
    }
}

#[tokio::test]
async fn headers_allow_credentials_for_listed_origins_only() {
    let app = TestApp::builder().with("LUMIO_ALLOWED_ORIGINS", "https://app.lumio.example").start().await;
    let listed = asked_from(&app, "https://app.lumio.example").await;
    assert_eq!(listed.headers["access-control-allow-origin"], "https://app.lumio.example");
    assert_eq!(listed.headers["access-control-allow-credentials"], "true");
    assert!(
        listed.headers["access-control-expose-headers"].to_str().unwrap().contains("x-ratelimit-remaining")
    );

    for other in ["https://evil.example", "https://app.lumio.example.evil.example", "null"] {
        let answer = asked_from(&app, other).await;
        assert!(!answer.headers.contains_key("access-control-allow-origin"), "{other}");
        assert!(!answer.headers.contains_key("access-control-allow-credentials"), "{other}");
    }
}

#[tokio::test]
async fn headers_of_a_preflight_need_no_credential() {
    let app = TestApp::builder().with("LUMIO_ALLOWED_ORIGINS", "https://app.lumio.example").start().await;
    let anonymous = app.anonymous();
    let preflight = |origin: &str| {
        anonymous
            .request(Method::OPTIONS, "/v1/api-keys")
            .header("origin", origin)
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "authorization, content-type")
    };
    let allowed = anonymous.send(preflight("https://app.lumio.example")).await;
    assert_eq!(allowed.status, 200);
    assert!(allowed.headers["access-control-allow-methods"].to_str().unwrap().contains("POST"));
    let refused = anonymous.send(preflight("https://evil.example")).await;
    assert!(!refused.headers.contains_key("access-control-allow-origin"));
}

#[tokio::test]
async fn headers_request_compression_of_large_answers() {
    let app = TestApp::start().await;
    let anonymous = app.anonymous();
    let plain = anonymous.get("/v1/openapi.json").await;
    assert!(!plain.headers.contains_key("content-encoding"));
    let request = anonymous.request(Method::GET, "/v1/openapi.json").header("accept-encoding", "gzip");
    let response = request.send().await.unwrap();
    assert_eq!(response.headers()["content-encoding"], "gzip");
    assert!(response.bytes().await.unwrap().len() * 4 < plain.text.len());
}

#[tokio::test]
async fn headers_of_documents_carry_encoding_and_entity_tag() {
    let app = TestApp::start().await;
    let anonymous = app.anonymous();
    let ask = async |path: &str, headers: &[(&str, &str)]| {
        let request = anonymous.request(Method::GET, path);
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        (status, headers, response.bytes().await.unwrap())
    };
    for path in ["/v1/openapi.json", "/v1/asyncapi.json", "/v1/schema"] {
        let (_, plain, text) = ask(path, &[]).await;
        assert!(!plain.contains_key("content-encoding"), "{path}");
        let (_, packed, bytes) = ask(path, &[("accept-encoding", "gzip")]).await;
        assert_eq!(packed["content-encoding"], "gzip", "{path}");
        assert_eq!(packed["content-type"], plain["content-type"]);
        assert!(bytes.len() * 3 < text.len(), "{path}: {} of {}", bytes.len(), text.len());
        let mut unpacked = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&bytes[..]), &mut unpacked).unwrap();
        assert_eq!(unpacked, text, "{path}");
        for (headers, encoding) in [(&plain, "identity"), (&packed, "gzip")] {
            assert!(headers["vary"].to_str().unwrap().to_lowercase().contains("accept-encoding"), "{path}");
            let tag = headers["etag"].to_str().unwrap();
            let known = [("accept-encoding", encoding), ("if-none-match", tag)];
            let (status, again, nothing) = ask(path, &known).await;
            assert_eq!(
                (status, nothing.len(), &again["etag"]),
                (304, 0, &headers["etag"]),
                "{path} {encoding}"
            );
            let other = [("accept-encoding", encoding), ("if-none-match", "\"other\"")];
            assert_eq!(ask(path, &other).await.0, 200, "{path} {encoding}");
        }
        assert_ne!(plain["etag"], packed["etag"], "a strong tag is of the bytes");
    }
}
