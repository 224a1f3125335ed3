use std::collections::BTreeMap;

use super::*;

fn egress() -> HttpEgress {
    HttpEgress {
        guarded: client().dns_resolver(Arc::new(PublicResolver)).https_only(true).build().unwrap(),
        unguarded: client().build().unwrap(),
        rule: HostRule::default(),
        test_hosts: Arc::default(),
        own_hosts: Arc::new(HashSet::from(["api.lumio.example".to_owned()])),
    }
}

fn request(method: &str, url: &str) -> HttpRequest {
    HttpRequest { method: method.to_owned(), url: url.to_owned(), headers: BTreeMap::new(), body: None }
}

async fn refused(request: &HttpRequest) -> String {
    egress().send(request).await.unwrap_err().message
}

#[tokio::test]
async fn http_egress_refuses_hosts_inside_the_network_in_every_spelling() {
    for host in [
        "127.0.0.1",
        "2130706433",
        "0x7f.1",
        "017700000001",
        "127.1",
        "10.0.0.1",
        "169.254.169.254",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[fd00::1]",
        "[64:ff9b::a9fe:a9fe]",
        "localhost",
        "localhost.",
        "redis",
        "db.internal",
        "API.lumio.example",
        "api.lumio.example.",
    ] {
        let message = refused(&request("GET", &format!("https://{host}/"))).await;
        assert_eq!(message, "The host is not on the public internet", "{host}");
    }
}

#[tokio::test]
async fn http_egress_refuses_other_schemes_and_malformed_requests() {
    for (url, message) in [
        ("http://example.com/", "url must begin with https://"),
        ("ftp://example.com/", "url must begin with https://"),
        ("file:///etc/passwd", "url must name a host"),
        ("nowhere", "url must be an address"),
        ("https://ada:secret@example.com/", "url must not hold a user name or password"),
    ] {
        assert_eq!(refused(&request("GET", url)).await, message, "{url}");
    }
    assert!(refused(&request("TRACE", "https://example.com/")).await.starts_with("method must be GET"));
    let long = format!("https://example.com/{}", "x".repeat(MAX_URL_BYTES));
    assert_eq!(refused(&request("GET", &long)).await, "url must have at most 2048 bytes");
    let body = Some(json!("x".repeat(MAX_REQUEST_BYTES + 1)));
    let large = HttpRequest { body, ..request("POST", "https://example.com/") };
    assert_eq!(refused(&large).await, "body must have at most 65536 bytes");
}

#[tokio::test]
async fn http_egress_refuses_headers_of_the_connection() {
    for name in ["Host", "transfer-encoding", "X-Forwarded-For", "proxy-authorization", "Sec-Fetch-Site"] {
        let headers = BTreeMap::from([(name.to_owned(), "x".to_owned())]);
        let request = HttpRequest { headers, ..request("GET", "https://example.com/") };
        assert_eq!(refused(&request).await, format!("The header {} cannot be set", name.to_lowercase()));
    }
    let headers = BTreeMap::from([("x-a".to_owned(), "v\r\nhost: inside".to_owned())]);
    let injected = HttpRequest { headers, ..request("GET", "https://example.com/") };
    assert_eq!(refused(&injected).await, "The value of the header \"x-a\" is not valid");
    let many = (0..33).map(|number| (format!("x-{number}"), String::new())).collect();
    let many = HttpRequest { headers: many, ..request("GET", "https://example.com/") };
    assert!(refused(&many).await.starts_with("headers must have at most 32 fields"));
}

#[test]
fn next_hop_drops_headers_at_another_origin_and_bodies_of_gets() {
    let names = ["authorization", "private-token", "accept"];
    let headers = BTreeMap::from(names.map(|name| (name.to_owned(), "Bearer x".to_owned())));
    let post =
        HttpRequest { headers, body: Some(json!({ "a": 1 })), ..request("POST", "https://a.example/") };
    let same = next_hop(first_hop(&post).unwrap(), StatusCode::TEMPORARY_REDIRECT, "/other").unwrap();
    assert!(same.headers.contains_key("authorization") && same.body.is_some());
    let other = next_hop(first_hop(&post).unwrap(), StatusCode::FOUND, "https://b.example/").unwrap();
    assert!(!other.headers.contains_key("authorization") && !other.headers.contains_key("private-token"));
    assert!(other.headers.contains_key("accept") && other.body.is_none());
    assert_eq!(other.method, Method::GET);
}
