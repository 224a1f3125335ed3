//! The document of the pages.

use base64::{Engine, engine::general_purpose::STANDARD};
use lumio_tests::{Answer, TestApp};
use reqwest::Method;
use serde_json::json;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{text, widget};

const HEADERS: [(&str, &str); 6] = [
    ("content-type", "text/html; charset=utf-8"),
    ("cache-control", "no-cache"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("cross-origin-opener-policy", "same-origin"),
    ("set-cookie", ""),
];

/// Directives of the policy of an answer.
fn policy(answer: &Answer) -> Vec<String> {
    let policy = answer.header("content-security-policy");
    policy.split(';').map(|directive| directive.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

async fn one_document(app: &TestApp, paths: &[String], credentials: &[&str]) {
    let anonymous = app.anonymous();
    let first = anonymous.get(&paths[0]).await;
    assert_eq!(first.status, 200, "{}", first.text);
    for path in paths {
        let mut answers =
            vec![anonymous.get(path).await, anonymous.get(&format!("{path}?token=x&a=b")).await];
        for credential in credentials {
            answers.push(app.bearer(*credential).get(path).await);
        }
        for answer in answers {
            assert_eq!((answer.status, &answer.text), (200, &first.text), "{path}");
            assert_eq!(answer.header("etag"), first.header("etag"), "{path}");
            for (name, value) in HEADERS {
                assert_eq!(answer.header(name), value, "{path} {name}");
            }
        }
    }
    let head = anonymous.send(anonymous.request(Method::HEAD, &paths[0])).await;
    assert_eq!((head.status, head.text.as_str(), head.header("etag")), (200, "", first.header("etag")));
    let known = anonymous.request(Method::GET, &paths[0]).header("if-none-match", first.header("etag"));
    let known = anonymous.send(known).await;
    assert_eq!((known.status, known.text.as_str()), (304, ""));
    for token in credentials {
        assert!(!first.text.contains(token));
    }
}

#[tokio::test]
async fn overlay_page_is_one_document_for_every_key() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let made = owner.post("/v1/overlays", json!({ "name": "Mine" })).await.expect(201)["data"].clone();
    let token = owner.get(&format!("/v1/overlays/{}/token", text(&made["id"]))).await.data()["token"].clone();
    let keys = [text(&made["key"]), "AAAAAAAAAAAA", "x", "%20%00", "a..b", "{key}", &"k".repeat(2000)];
    let paths = keys.map(|key| format!("/v1/overlays/{key}/page"));
    one_document(&app, &paths, &["lm_overlay_unknown", text(&token), owner.token()]).await;
    app.anonymous().get("/v1/overlays/a/page/").await.refused_with("NOT_FOUND");
    app.stop().await;
}

#[tokio::test]
async fn widget_page_is_one_document_for_every_id() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let made = widget(&owner, "text", &json!({})).await;
    let unknown = Uuid::now_v7().to_string();
    let ids = [text(&made["id"]), unknown.as_str(), "x", "%20"];
    let paths = ids.map(|id| format!("/v1/widgets/{id}/page"));
    one_document(&app, &paths, &["lm_widget_unknown", text(&made["access_token"])]).await;
    app.stop().await;
}

#[tokio::test]
async fn overlay_page_has_a_policy_with_the_hash_of_its_script() {
    let app = TestApp::start().await;
    let answer = app.anonymous().get("/v1/overlays/key/page").await;
    let (_, script) = answer.text.split_once("<script type=\"module\">").expect("a script");
    let (script, rest) = script.split_once("</script>").expect("its end");
    assert!(!rest.contains("<script"), "one script");
    let hash = format!("'sha256-{}'", STANDARD.encode(Sha256::digest(script)));
    let directives = policy(&answer);
    let scripts = directives.iter().find(|directive| directive.starts_with("script-src ")).expect("scripts");
    assert!(scripts.contains(&hash), "{scripts}");
    for word in ["unsafe-inline", "unsafe-eval", "*", "data:", "http"] {
        assert!(!scripts.contains(word), "{word}: {scripts}");
    }
    for closed in ["default-src", "worker-src", "base-uri", "form-action"] {
        assert!(directives.contains(&format!("{closed} 'none'")), "{closed}: {directives:?}");
    }
    assert!(directives.contains(&"connect-src 'self'".to_owned()), "{directives:?}");
    let permissions = answer.header("permissions-policy");
    assert!(permissions.contains("camera=()") && permissions.contains("microphone=()"), "{permissions}");
    app.stop().await;
}

#[tokio::test]
async fn overlay_page_loads_bundles_from_their_own_origin() {
    let app = TestApp::builder().with("LUMIO_BUNDLE_URL", "https://bundles.example").start().await;
    let answer = app.anonymous().get("/v1/overlays/key/page").await;
    assert!(answer.text.contains("data-bundles=\"https://bundles.example\""));
    for directive in ["script-src", "style-src"] {
        let found =
            policy(&answer).into_iter().find(|found| found.starts_with(directive)).expect("a directive");
        assert!(found.contains("https://bundles.example"), "{found}");
    }
    let caller = app.anonymous();
    let there = caller.request(Method::GET, "/v1/overlays/key/page").header("host", "bundles.example");
    assert_eq!(caller.send(there).await.status, 404, "that origin has files only");
    app.stop().await;
}
