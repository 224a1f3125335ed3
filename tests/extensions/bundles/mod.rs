//! Files of versions (reference/extensions.md#bundle-files).

mod origins;
mod unpublished;

use api_core::token::TokenKind;
use lumio_tests::{
    Answer, Caller, TestApp, both_refused,
    extensions::{SERVER, Studio, archive, manifest},
};
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use uuid::Uuid;

use super::{ASKED, id_of, install, reviewer};

const SERVER_MAP: &str =
    r#"{"version":3,"sources":["server.ts"],"sourcesContent":["const price = 1"],"mappings":""}"#;
pub(super) const PUBLIC: &str = "public, max-age=86400, immutable";

/// Uploads a version with a layer that exports `text`, and some assets; returns the version's id.
pub(super) async fn layered(studio: &Studio, extension: Uuid, version: &str, text: &str) -> Uuid {
    let manifest = manifest(extension, version, &json!({ "targets": ["layer"] })).to_string();
    let layer = format!("export default '{text}';");
    let files: [(&str, &[u8]); 8] = [
        ("lumio.config.json", manifest.as_bytes()),
        ("server.js", SERVER.as_bytes()),
        ("server.js.map", SERVER_MAP.as_bytes()),
        ("layer.js", layer.as_bytes()),
        ("assets/icon.svg", b"<svg/>"),
        ("assets/page.html", b"<p>hi</p>"),
        ("assets/data.xyz", b"bytes"),
        ("source.tar.gz", b"sources"),
    ];
    let uploaded = studio.upload(extension, version, &archive(&files)).await;
    uploaded.expect(202)["version"]["id"].as_str().unwrap().parse().unwrap()
}

pub(super) async fn publish(reviewer: &Caller, version: Uuid) {
    reviewer.post(&format!("/v1/admin/extension-versions/{version}/publish"), json!({})).await.data();
}

pub(super) fn file(extension: Uuid, version: &str, path: &str) -> String {
    format!("/v1/extension-bundles/{extension}/{version}/{path}")
}

async fn files_over_graphql(caller: &Caller, extension: Uuid, version: &str) -> Answer {
    let document =
        "query($id: UUID!, $version: String!) { extensionVersionFiles(extensionId: $id, version: $version)
        { id versionId filePath contentType sizeBytes contentHash createdAt } }";
    caller.graphql(document, json!({ "id": extension, "version": version })).await
}

fn varies(answer: &Answer) -> String {
    let values = answer.headers.get_all("vary").iter().map(|value| value.to_str().unwrap().to_lowercase());
    values.collect::<Vec<_>>().join(", ")
}

#[tokio::test]
async fn extension_bundle_file_of_a_published_version_is_public_for_a_day() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = studio.public_extension("Layered").await;
    publish(&reviewer, layered(&studio, extension, "1.0.0", "one").await).await;
    let path = file(extension, "1.0.0", "layer.js");
    let subject = Uuid::now_v7().to_string();
    for caller in [
        app.anonymous(),
        owner.caller.clone(),
        app.system_key().await,
        app.service_key(owner.account_id, &[]).await,
        app.surface_token(TokenKind::Extension, owner.account_id, &subject, None).await,
        app.surface_token(TokenKind::Overlay, owner.account_id, &subject, None).await,
        app.bearer("lm_usr_wrong"),
    ] {
        let served = caller.get(&path).await;
        assert_eq!((served.status, served.text.as_str()), (200, "export default 'one';"));
        assert_eq!(served.header("cache-control"), PUBLIC);
        assert_eq!(served.header("content-type"), "text/javascript; charset=utf-8");
        assert_eq!(served.header("x-content-type-options"), "nosniff");
        assert!(!varies(&served).contains("authorization"), "{}", varies(&served));
    }
    let tag = format!("\"{}\"", hex::encode(Sha256::digest("export default 'one';")));
    assert_eq!(app.anonymous().get(&path).await.header("etag"), tag);
    for known in [tag.clone(), format!("\"other\", W/{tag}"), "*".to_owned()] {
        let request = app.anonymous().request(reqwest::Method::GET, &path).header("if-none-match", known);
        let unchanged = app.anonymous().send(request).await;
        assert_eq!((unchanged.status, unchanged.text.as_str()), (304, ""));
        assert_eq!((unchanged.header("etag"), unchanged.header("cache-control")), (tag.as_str(), PUBLIC));
    }
    let request = app.anonymous().request(reqwest::Method::GET, &path).header("if-none-match", "\"other\"");
    assert_eq!(app.anonymous().send(request).await.status, 200);
}

#[tokio::test]
async fn extension_bundle_file_serves_server_code_of_published_versions() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = studio.public_extension("Layered").await;
    let version = layered(&studio, extension, "1.0.0", "one").await;
    let path = file(extension, "1.0.0", "server.js");
    for caller in [app.anonymous(), owner.caller.clone()] {
        caller.get(&path).await.refused("NOT_FOUND", "Bundle file not found");
    }
    publish(&reviewer, version).await;
    let id = id_of(&install(&owner, extension, &ASKED, &json!({})).await).to_string();
    for caller in [
        app.anonymous(),
        owner.caller.clone(),
        studio.person.caller.clone(),
        app.surface_token(TokenKind::Extension, owner.account_id, &id, None).await,
        app.system_key().await,
    ] {
        for (path, text) in [(path.clone(), SERVER), (format!("{path}.map"), SERVER_MAP)] {
            let served = caller.get(&path).await;
            assert_eq!((served.status, served.text.as_str()), (200, text));
            assert_eq!(served.header("cache-control"), PUBLIC);
        }
        let source = path.replace("server.js", "source.tar.gz");
        caller.get(&source).await.refused("FORBIDDEN", "Source archives are for reviewers only");
    }
    let feed = app.system_key().await.get("/v1/internal/bot-modules/handlers").await;
    let installs = feed.expect(200)["installs"].as_array().unwrap();
    let own = installs.iter().find(|install| install["install_id"] == json!(id)).expect("the install");
    assert_eq!(own["handler_code"], SERVER);
}

#[tokio::test]
async fn extension_bundle_file_sandboxes_documents_and_downloads_unknown_types() {
    let app = TestApp::start().await;
    let (studio, reviewer) = (app.studio().await, reviewer(&app).await);
    let extension = studio.public_extension("Layered").await;
    publish(&reviewer, layered(&studio, extension, "1.0.0", "one").await).await;
    for (path, kind) in
        [("assets/icon.svg", "image/svg+xml"), ("assets/page.html", "text/html; charset=utf-8")]
    {
        let served = app.anonymous().get(&file(extension, "1.0.0", path)).await;
        assert_eq!((served.status, served.header("content-type")), (200, kind));
        assert_eq!(served.header("content-security-policy"), "sandbox allow-scripts");
    }
    let data = app.anonymous().get(&file(extension, "1.0.0", "assets/data.xyz")).await;
    assert_eq!(data.header("content-type"), "application/octet-stream");
    assert_eq!((data.header("content-disposition"), data.text.as_str()), ("attachment", "bytes"));
    let layer = app.anonymous().get(&file(extension, "1.0.0", "layer.js")).await;
    assert_eq!((layer.header("content-disposition"), layer.header("content-security-policy")), ("", ""));
}

#[tokio::test]
async fn extension_bundle_file_refuses_paths_out_of_the_bundle_and_sources() {
    let app = TestApp::start().await;
    let (studio, reviewer) = (app.studio().await, reviewer(&app).await);
    let extension = studio.public_extension("Layered").await;
    publish(&reviewer, layered(&studio, extension, "1.0.0", "one").await).await;
    let anonymous = app.anonymous();
    for (path, message) in [
        ("..%2fserver.js", "path must not contain `..`"),
        ("assets/..%5c..%5cserver.js", "path must not contain `..`"),
        ("layer.js%00.png", "path must not contain null bytes"),
        ("%2fetc/passwd", "path must be relative"),
        ("/etc/passwd", "path must be relative"),
    ] {
        let refused = anonymous.get(&file(extension, "1.0.0", path)).await;
        assert_eq!(refused.status, 400, "{path}: {}", refused.text);
        refused.refused("VALIDATION_ERROR", message);
    }
    for caller in [&anonymous, &studio.person.caller, &app.system_key().await] {
        for extension in [extension, Uuid::nil()] {
            let refused = caller.get(&file(extension, "1.0.0", "source.tar.gz")).await;
            assert_eq!(refused.status, 403);
            refused.refused("FORBIDDEN", "Source archives are for reviewers only");
        }
    }
    for (extension, version, path) in [
        (extension, "1.0.0", "missing.js"),
        (extension, "1.0.0", ""),
        (extension, "9.9.9", "layer.js"),
        (extension, "9.9.9", "bundle.js"),
        (Uuid::nil(), "1.0.0", "layer.js"),
        // The path is decoded once: the rest is part of an ordinary name.
        (extension, "1.0.0", "%252e%252e%252fserver.js"),
    ] {
        let missing = anonymous.get(&file(extension, version, path)).await;
        assert_eq!(missing.status, 404, "{path}: {}", missing.text);
        missing.refused("NOT_FOUND", "Bundle file not found");
    }
    let malformed = anonymous.get("/v1/extension-bundles/zz/1.0.0/layer.js").await;
    malformed.refused("VALIDATION_ERROR", "Invalid UUID: extension_id");

    // A raw request, because clients normalize such a path.
    let address = app.url().trim_start_matches("http://").to_owned();
    let mut raw = tokio::net::TcpStream::connect(&address).await.unwrap();
    let request = format!(
        "GET /v1/extension-bundles/{extension}/1.0.0/assets/../../server.js HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    );
    raw.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    raw.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
}

#[tokio::test]
async fn extension_version_files_lists_the_files_on_both_protocols() {
    let app = TestApp::start().await;
    let (studio, reviewer) = (app.studio().await, reviewer(&app).await);
    let extension = studio.public_extension("Layered").await;
    let version = layered(&studio, extension, "1.0.0", "one").await;
    publish(&reviewer, version).await;
    let path = format!("/v1/extensions/{extension}/versions/1.0.0/files");
    let rest = app.anonymous().get(&path).await;
    assert_eq!(rest.body["_links"]["self"], path);
    let files = rest.data().as_array().unwrap();
    let names: Vec<&str> = files.iter().map(|file| file["file_path"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "assets/data.xyz",
            "assets/icon.svg",
            "assets/page.html",
            "layer.js",
            "lumio.config.json",
            "server.js",
            "server.js.map",
            "source.tar.gz",
        ]
    );
    let icon = &files[1];
    assert_eq!(icon.as_object().unwrap().len(), 7);
    assert_eq!(
        (&icon["version_id"], &icon["content_type"], &icon["size_bytes"], &icon["content_hash"]),
        (&json!(version), &json!("image/svg+xml"), &json!(6), &json!(hex::encode(Sha256::digest("<svg/>"))))
    );
    let graphql = files_over_graphql(&app.anonymous(), extension, "1.0.0").await;
    assert_eq!(&graphql.field("extensionVersionFiles"), rest.data());
    both_refused(
        &app.anonymous().get(&format!("/v1/extensions/{extension}/versions/2.0.0/files")).await,
        &files_over_graphql(&app.anonymous(), extension, "2.0.0").await,
        404,
        "NOT_FOUND",
        "Bundle file not found",
    );
}
