//! Reports through shared links (reference/history.md#shared-reports).

use std::collections::BTreeMap;

use chrono::Duration;
use diesel::{prelude::*, update};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, TestApp};
use reqwest::Method;
use serde_json::{Value, json};
use shared::schema::stream_shared_links;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpSocket,
};
use uuid::Uuid;

use super::{
    exports::store,
    scene::{
        Planted, REPORT, SAMPLE, hours_ago, id_of, link, link_path, links_path, listed_sample, lowered,
        report_path, sample, samples, text,
    },
};

pub const REFUSED: &str = "Invalid share link or password";

pub fn shared_path(token: &str) -> String {
    format!("/v1/history/shared/{token}")
}

/// Reads a shared report, with a password.
pub async fn open(caller: &Caller, token: &str, password: Option<&str>) -> Answer {
    at(caller, &shared_path(token), password).await
}

async fn at(caller: &Caller, path: &str, password: Option<&str>) -> Answer {
    let request = caller.request(Method::GET, path);
    let request = match password {
        Some(password) => request.header("x-share-password", password.as_bytes()),
        None => request,
    };
    caller.send(request).await
}

async fn gql_open(caller: &Caller, token: &str, password: Option<&str>) -> Answer {
    let document = format!(
        "query($token: String!, $password: String) {{ sharedReport(token: $token, password: $password) {{
            report {REPORT} samples {SAMPLE} allowExport }} }}"
    );
    caller.graphql(&document, json!({ "token": token, "password": password })).await
}

/// Moves the end of a link into the past.
pub async fn expire(app: &TestApp, id: Uuid) {
    let ended = app.clock.now() - Duration::seconds(1);
    update(stream_shared_links::table.find(id))
        .set(stream_shared_links::expires_at.eq(ended))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

#[tokio::test]
async fn shared_report_shows_report_and_samples_without_ids_of_chatters() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let start = hours_ago(&app, 3);
    let planted = Planted::of(owner.account_id, start);
    let report = planted.plant(&app).await;
    sample(&app, owner.account_id, "twitch", start, Some(10)).await;
    let password = "пароль für alle";
    let created = link(&owner, report, Some(password), true).await;
    let token = text(&created["token"]);
    let mut stored = planted.report(report);
    stored.top_chatters[0].avatar_url = Some("https://cdn.example/chatter-77.png".to_owned());
    store(&app, &stored).await;
    let mut expected = serde_json::to_value(stored).unwrap();
    for field in ["platform_user_id", "avatar_url"] {
        assert!(text(&expected["top_chatters"][0][field].take()).contains("chatter-77"), "{field}");
    }
    let expected = json!({
        "report": expected, "samples": [listed_sample("twitch", start, Some(10))], "allow_export": true,
    });
    let (anonymous, stranger) = (app.anonymous(), app.owner().await);
    for caller in [&anonymous, &stranger.caller] {
        let rest = open(caller, token, Some(password)).await;
        assert_eq!(*rest.data(), expected);
        assert!(!rest.text.contains("chatter-77"));
        assert_eq!(rest.header("cache-control"), "private, no-store");
        assert_eq!(rest.body["_links"], json!({ "self": shared_path(token) }));
        let gql = gql_open(caller, token, Some(password)).await;
        assert_eq!(lowered(gql.field("sharedReport")), expected);
    }
    let file = at(&anonymous, &format!("{}/export?format=json", shared_path(token)), Some(password)).await;
    assert_eq!(file.status, 200, "{}", file.text);
    assert!(file.text.contains("Ada") && !file.text.contains("chatter-77"));
    app.stop().await;
}

/// Everything of an answer that may depend on the request: status, body, and headers but those that count or
/// name the request.
fn shape(answer: &Answer) -> (u16, String, BTreeMap<String, String>) {
    let counting =
        ["date", "x-request-id", "traceparent", "x-ratelimit-remaining", "ratelimit", "x-ratelimit-reset"];
    let headers = answer.headers.iter().filter(|(name, _)| !counting.contains(&name.as_str()));
    let headers = headers.map(|(name, value)| (name.to_string(), format!("{value:?}"))).collect();
    (answer.status, answer.text.clone(), headers)
}

#[tokio::test]
async fn shared_report_has_one_answer_to_everything_that_is_wrong() {
    let app = TestApp::start().await;
    let (owner, switched_off, dissolved) = (app.owner().await, app.owner().await, app.owner().await);
    let of = async |account: Uuid| Planted::of(account, hours_ago(&app, 3)).plant(&app).await;
    let report = of(owner.account_id).await;
    let deleted_report = of(owner.account_id).await;
    let secret = "open sesame";
    let token_of = |link: &Value| text(&link["token"]).to_owned();
    let protected = token_of(&link(&owner, report, Some(secret), true).await);
    let unprotected = token_of(&link(&owner, report, None, true).await);
    let (revoked, expired) =
        (link(&owner, report, None, true).await, link(&owner, report, Some(secret), true).await);
    owner.delete(&link_path(id_of(&revoked))).await.expect(204);
    expire(&app, id_of(&expired)).await;
    let of_deleted = token_of(&link(&owner, deleted_report, None, true).await);
    owner.delete(&report_path(deleted_report)).await.expect(204);
    let off = token_of(&link(&switched_off, of(switched_off.account_id).await, None, true).await);
    app.override_feature(switched_off.account_id, "feature:stream_history", false).await;
    let of_dissolved = token_of(&link(&dissolved, of(dissolved.account_id).await, None, true).await);
    let dissolve = format!("/v1/accounts/{}/dissolve", dissolved.account_id);
    dissolved.post(&dissolve, json!({ "confirm_name": "Test account" })).await.expect(200);

    let mut altered = protected.clone();
    altered.replace_range(20..21, if &protected[20..21] == "A" { "B" } else { "A" });
    let unknown = "A".repeat(43);
    let (revoked, expired) = (token_of(&revoked), token_of(&expired));
    let wrong: Vec<(&str, Option<&str>)> = vec![
        (&unknown, None),
        (&unknown, Some(secret)),
        (&altered, Some(secret)),
        ("x", None),
        ("%00%ff", Some(secret)),
        (&protected[..42], Some(secret)),
        (&protected, None),
        (&protected, Some("")),
        (&protected, Some("open sesam")),
        (&protected, Some("Open sesame")),
        (&revoked, None),
        (&expired, Some(secret)),
        (&of_deleted, None),
        (&off, None),
        (&of_dissolved, None),
    ];
    let anonymous = app.anonymous();
    let first = open(&anonymous, wrong[0].0, wrong[0].1).await;
    assert_eq!(first.status, 401);
    first.refused("UNAUTHORIZED", REFUSED);
    let gql_first = gql_open(&anonymous, wrong[0].0, wrong[0].1).await;
    gql_first.refused("UNAUTHORIZED", REFUSED);
    for (token, password) in wrong {
        let case = format!("{token} {password:?}");
        assert_eq!(shape(&open(&anonymous, token, password).await), shape(&first), "{case}");
        for query in ["?format=json", "?format=xml", ""] {
            let path = format!("{}/export{query}", shared_path(token));
            assert_eq!(shape(&at(&anonymous, &path, password).await), shape(&first), "export{query} {case}");
        }
        assert_eq!(shape(&gql_open(&anonymous, token, password).await), shape(&gql_first), "{case}");
    }
    open(&anonymous, &protected, Some(secret)).await.expect(200);
    open(&anonymous, &protected, Some("  open sesame ")).await.expect(200);
    open(&anonymous, &unprotected, Some("a password that it does not have")).await.expect(200);
    app.stop().await;
}

#[tokio::test]
async fn shared_report_counts_an_address_as_one_view() {
    let app = TestApp::builder().with("LUMIO_TRUSTED_PROXY_HOPS", 1).start().await;
    let owner = app.owner().await;
    let report = Planted::of(owner.account_id, hours_ago(&app, 3)).plant(&app).await;
    let created = link(&owner, report, Some("open sesame"), true).await;
    let token = text(&created["token"]).to_owned();
    let from = async |address: &str, path: String, password: &str| {
        let request = app.anonymous().request(Method::GET, &path).header("x-forwarded-for", address);
        app.anonymous().send(request.header("x-share-password", password)).await
    };
    let counted = async || {
        let link = owner.get(&links_path(report)).await.data()[0].clone();
        (link["view_count"].as_i64().expect("a count"), link["last_viewed_at"].is_null())
    };
    let secret = "open sesame";
    from("203.0.113.7", shared_path(&token), "wrong password").await.expect(401);
    let export = format!("{}/export?format=json", shared_path(&token));
    assert_eq!(from("203.0.113.7", export, secret).await.status, 200);
    assert_eq!(counted().await, (0, true), "neither refusals nor exports are views");
    for (address, views) in [("203.0.113.7", 1), ("203.0.113.7", 1), ("203.0.113.8", 2)] {
        from(address, shared_path(&token), secret).await.expect(200);
        assert_eq!(counted().await, (views, false), "{address}");
    }
    // IPv6 addresses of one network are one viewer.
    for address in ["2001:db8:1:2::1", "2001:db8:1:2::9"] {
        from(address, shared_path(&token), secret).await.expect(200);
    }
    assert_eq!(counted().await.0, 3);
    // Each link counts for itself.
    let other = link(&owner, report, None, false).await;
    from("203.0.113.7", shared_path(text(&other["token"])), "").await.expect(200);
    assert_eq!(counted().await.0, 1);
    app.stop().await;
}

#[tokio::test]
async fn shared_report_is_limited_by_address() {
    let app = TestApp::builder().with("LUMIO_TRUSTED_PROXY_HOPS", 1).start().await;
    let owner = app.owner().await;
    let report = Planted::of(owner.account_id, hours_ago(&app, 3)).plant(&app).await;
    let token = text(&link(&owner, report, None, true).await["token"]).to_owned();
    app.begin_a_window(60);
    let (anonymous, path) = (app.anonymous(), shared_path(&token));
    let from = async |address: &str, path: &str| {
        anonymous.send(anonymous.request(Method::GET, path).header("x-forwarded-for", address)).await
    };
    // Both routes and both protocols count together.
    let fields: String =
        (0..19).map(|n| format!("a{n}: sharedReport(token: \"{token}\") {{ allowExport }} ")).collect();
    for _ in 0..6 {
        let request = anonymous.request(Method::POST, "/v1/gql").header("x-forwarded-for", "203.0.113.7");
        let answer = anonymous.send(request.json(&json!({ "query": format!("{{ {fields} }}") }))).await;
        assert!(answer.body["errors"].is_null(), "{}", answer.text);
    }
    for _ in 0..5 {
        from("203.0.113.7", &path).await.expect(200);
    }
    assert_eq!(from("203.0.113.7", &format!("{path}/export?format=json")).await.status, 200);
    for path in [&path, &shared_path("unknown"), &format!("{path}/export?format=json")] {
        let refused = from("203.0.113.7", path).await;
        assert_eq!(refused.status, 429);
        refused.refused("RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
        assert!(!refused.header("retry-after").is_empty());
        assert_eq!(refused.header("x-ratelimit-limit"), "120");
    }
    from("203.0.113.8", &path).await.expect(200);
    app.stop().await;
}

#[tokio::test]
async fn export_shared_report_needs_a_link_that_allows_it_and_a_session_that_has_ended() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let report = Planted::of(owner.account_id, hours_ago(&app, 3)).plant(&app).await;
    let live = Planted::live(owner.account_id, hours_ago(&app, 1)).plant(&app).await;
    let anonymous = app.anonymous();
    let export = async |link: &Value, query: &str| {
        anonymous.get(&format!("{}/export{query}", shared_path(text(&link["token"])))).await
    };
    let closed = link(&owner, report, None, false).await;
    let refused = export(&closed, "?format=json").await;
    assert_eq!(refused.status, 403);
    refused.refused("FORBIDDEN", "The link does not allow exports");
    let allowed = link(&owner, report, None, true).await;
    export(&allowed, "").await.refused("VALIDATION_ERROR", "Missing field: format");
    let message = "Invalid format: must be one of csv, txt, json, pdf";
    export(&allowed, "?format=doc").await.refused("VALIDATION_ERROR", message);
    let file = export(&allowed, "?format=json").await;
    assert_eq!(file.status, 200, "{}", file.text);
    assert!(file.header("content-disposition").starts_with("attachment"));
    let of_live = link(&owner, live, None, true).await;
    let refused = export(&of_live, "?format=json").await;
    assert_eq!(refused.status, 409);
    refused.refused("CONFLICT", "Session is still live");
    let shown = open(&anonymous, text(&of_live["token"]), None).await.data().clone();
    assert_eq!(shown["report"]["is_live"], true);
    app.stop().await;
}

#[tokio::test]
async fn export_shared_report_is_cut_off_when_the_link_is_revoked() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let start = hours_ago(&app, 7 * 24 - 1);
    let end = hours_ago(&app, 1);
    let platforms = vec!["kick", "trovo", "twitch", "youtube"];
    let planted = Planted { ended_at: Some(end), platforms, ..Planted::of(owner.account_id, start) };
    let report = planted.plant(&app).await;
    for platform in ["kick", "trovo", "twitch", "youtube"] {
        samples(&app, owner.account_id, platform, (start, end)).await;
    }
    let created = link(&owner, report, None, true).await;
    let path = format!("{}/export?format=json", shared_path(text(&created["token"])));
    let whole = app.anonymous().get(&path).await;
    assert_eq!(whole.status, 200);
    assert!(whole.text.len() > 3_000_000, "{} bytes", whole.text.len());

    // A client with little space that stops reading.
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(8 * 1024).unwrap();
    let address = app.url().trim_start_matches("http://").parse().unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut received = vec![0; 1024];
    stream.read_exact(&mut received).await.unwrap();
    assert!(received.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&received));
    owner.delete(&link_path(id_of(&created))).await.expect(204);
    // The server notices within a second or two, and before the rest can have been sent.
    let mut buffer = vec![0; 16 * 1024];
    loop {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => break,
            Ok(length) => received.extend_from_slice(&buffer[..length]),
        }
        assert!(received.len() < whole.text.len(), "the whole file arrived");
    }
    assert!(!received.ends_with(b"0\r\n\r\n"), "the end of the file was sent");
    app.anonymous().get(&path).await.refused("UNAUTHORIZED", REFUSED);
    app.stop().await;
}
