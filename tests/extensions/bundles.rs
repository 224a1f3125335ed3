//! Files of versions (specification B §4.4, C B1.3, B6).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{
    Answer, Caller, TestApp, both_refused,
    extensions::{SERVER, Studio, archive, manifest},
};
use serde_json::json;
use sha2::{Digest, Sha256};
use shared::{
    db::schema::{extension_versions, users},
    token::TokenKind,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use uuid::Uuid;

use super::{ASKED, id_of, install, reviewer};

const SERVER_MAP: &str =
    r#"{"version":3,"sources":["server.ts"],"sourcesContent":["const price = 1"],"mappings":""}"#;
const PUBLIC: &str = "public, max-age=86400, immutable";

/// Uploads a version with a layer that exports `text`, and some assets; answers the version's id.
async fn layered(studio: &Studio, extension: Uuid, version: &str, text: &str) -> Uuid {
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

async fn publish(reviewer: &Caller, version: Uuid) {
    reviewer.post(&format!("/v1/admin/extension-versions/{version}/publish"), json!({})).await.data();
}

fn file(extension: Uuid, version: &str, path: &str) -> String {
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
async fn published_files_are_everybodys_and_kept_for_a_day() {
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

    let legacy = app.anonymous().get(&file(extension, "1.0.0", "bundle.js")).await;
    assert_eq!((legacy.status, legacy.text.as_str()), (200, "export default 'one';"));
    assert_eq!((legacy.header("etag"), legacy.header("cache-control")), (tag.as_str(), PUBLIC));
}

#[tokio::test]
async fn server_code_of_a_published_version_is_served_like_every_file() {
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

/// What a file says to pages of other origins: policy, allowed origin, and whether with credentials.
fn shared_with(answer: &Answer) -> [String; 3] {
    ["cross-origin-resource-policy", "access-control-allow-origin", "access-control-allow-credentials"]
        .map(|name| answer.header(name).to_owned())
}

#[tokio::test]
async fn pages_of_every_origin_load_published_files_without_credentials() {
    const LISTED: &str = "https://dashboard.example";
    let app = TestApp::builder().with("LUMIO_ALLOWED_ORIGINS", LISTED).start().await;
    let (studio, reviewer) = (app.studio().await, reviewer(&app).await);
    let extension = studio.public_extension("Layered").await;
    let version = layered(&studio, extension, "1.0.0", "one").await;
    let path = file(extension, "1.0.0", "layer.js");
    let get = async |path: &str, origin: &str| {
        let request = studio.person.caller.request(reqwest::Method::GET, path).header("origin", origin);
        studio.person.caller.send(request).await
    };
    // What is not published is shown to a credential, and to listed pages only.
    assert_eq!(shared_with(&get(&path, "null").await), ["", "", ""]);
    assert_eq!(shared_with(&get(&path, LISTED).await), ["", LISTED, "true"]);
    publish(&reviewer, version).await;
    for origin in ["null", "https://elsewhere.example", LISTED] {
        let served = get(&path, origin).await;
        assert_eq!(
            (served.status, shared_with(&served)),
            (200, ["cross-origin", "*", ""].map(str::to_owned))
        );
    }
    let own = get("/v1/users/me", LISTED).await;
    assert_eq!(shared_with(&own), ["", LISTED, "true"], "other answers are as they were");
}

#[tokio::test]
async fn published_files_have_an_origin_of_their_own_where_one_is_configured() {
    let app = TestApp::builder().with("LUMIO_BUNDLE_URL", "https://bundles.example").start().await;
    let (studio, reviewer) = (app.studio().await, reviewer(&app).await);
    let extension = studio.public_extension("Layered").await;
    let version = layered(&studio, extension, "1.0.0", "one").await;
    let path = file(extension, "1.0.0", "layer.js");
    let at = async |host: &str, caller: &Caller, path: &str| {
        caller.send(caller.request(reqwest::Method::GET, path).header("host", host)).await
    };
    let (anonymous, developer) = (app.anonymous(), &studio.person.caller);
    let own = at("api.example", developer, &path).await;
    assert_eq!(
        (own.status, own.text.as_str()),
        (200, "export default 'one';"),
        "not published: with a credential"
    );
    publish(&reviewer, version).await;
    for caller in [&anonymous, developer] {
        for path in [path.clone(), file(extension, "1.0.0", "bundle.js")] {
            let elsewhere = at("api.example", caller, &path).await;
            assert_eq!(elsewhere.status, 307, "{}", elsewhere.text);
            assert_eq!(elsewhere.header("location"), format!("https://bundles.example{path}"));
            assert_eq!(shared_with(&elsewhere), ["cross-origin", "*", ""]);
        }
    }
    for host in ["bundles.example", "BUNDLES.example:443"] {
        let served = at(host, &anonymous, &path).await;
        assert_eq!((served.status, served.text.as_str()), (200, "export default 'one';"), "{host}");
        for other in ["/v1/users/me", "/v1/health", "/v1/live", "/"] {
            let refused = at(host, developer, other).await;
            assert_eq!(refused.status, 404, "{other}: nothing else is served there");
        }
    }
    assert_eq!(
        at("bundles.example:8080", &anonymous, &path).await.status,
        307,
        "another port, another origin"
    );
}

#[tokio::test]
async fn documents_are_shut_in_and_unknown_types_are_downloads() {
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
async fn paths_stay_within_the_bundle_and_sources_are_for_reviewers() {
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
        // One decoding only: what is left is a name like another.
        (extension, "1.0.0", "%252e%252e%252fserver.js"),
    ] {
        let missing = anonymous.get(&file(extension, version, path)).await;
        assert_eq!(missing.status, 404, "{path}: {}", missing.text);
        missing.refused("NOT_FOUND", "Bundle file not found");
    }
    let malformed = anonymous.get("/v1/extension-bundles/zz/1.0.0/layer.js").await;
    malformed.refused("VALIDATION_ERROR", "Invalid UUID: extension_id");

    // As no browser would write it.
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
async fn what_is_not_published_is_for_whom_it_concerns() {
    let app = TestApp::start().await;
    let (studio, other, reviewer) = (app.studio().await, app.studio().await, reviewer(&app).await);
    let extension = studio.extension("Draft").await;
    let version = layered(&studio, extension, "1.0.0", "draft").await;
    let installed = id_of(&install(&studio.person, extension, &ASKED, &json!({})).await);
    let elsewhere = other.extension("Other").await;
    other.version(elsewhere, "1.0.0", &json!({})).await;
    let foreign = id_of(&install(&other.person, elsewhere, &ASKED, &json!({})).await);
    let path = file(extension, "1.0.0", "layer.js");
    let token = async |person: &lumio_tests::Person, install: Uuid| {
        app.surface_token(TokenKind::Extension, person.account_id, &install.to_string(), None).await
    };
    let allowed = [
        studio.person.caller.clone(),
        studio.key.clone(),
        app.personal_key(&studio.person, &["extension-dev:read"]).await,
        token(&studio.person, installed).await,
        app.system_key().await,
    ];
    for caller in &allowed {
        for path in [&path, &file(extension, "1.0.0", "bundle.js")] {
            let served = caller.get(path).await;
            assert_eq!((served.status, served.text.as_str()), (200, "export default 'draft';"));
            assert_eq!(served.header("cache-control"), "private, no-store");
            assert!(varies(&served).contains("authorization, cookie"), "{}", varies(&served));
        }
        let listed = caller.get(&format!("/v1/extensions/{extension}/versions/1.0.0/files")).await;
        assert_eq!(listed.data().as_array().unwrap().len(), 8);
    }
    let refused = [
        app.anonymous(),
        other.person.caller.clone(),
        app.personal_key(&studio.person, &["chat:read"]).await,
        app.service_key(studio.person.account_id, &["extension-dev:read"]).await,
        app.popout(&studio.person, &["extension-dev:read"]).await,
        token(&other.person, foreign).await,
        app.surface_token(TokenKind::Overlay, studio.person.account_id, &installed.to_string(), None).await,
    ];
    for caller in &refused {
        for path in [path.clone(), file(extension, "1.0.0", "bundle.js")] {
            let answer = caller.get(&path).await;
            assert_eq!(answer.status, 404, "{}", answer.text);
            answer.refused("NOT_FOUND", "Bundle file not found");
        }
        both_refused(
            &caller.get(&format!("/v1/extensions/{extension}/versions/1.0.0/files")).await,
            &files_over_graphql(caller, extension, "1.0.0").await,
            404,
            "NOT_FOUND",
            "Bundle file not found",
        );
    }

    // Testers see what is in testing, and nothing before or after.
    let tester = app.owner().await;
    let named = json!({ "username": format!("tester-{}", extension.simple()) });
    diesel::update(users::table.find(tester.user_id))
        .set(users::username.eq(named["username"].as_str().unwrap()))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let invited = studio.person.post(&format!("/v1/developer/extensions/{extension}/testers"), named).await;
    invited.expect(201);
    assert_eq!(tester.get(&path).await.status, 404);
    reviewer.post(&format!("/v1/admin/extension-versions/{version}/approve-testing"), json!({})).await.data();
    assert_eq!(tester.get(&path).await.status, 200);
    studio
        .person
        .post(&format!("/v1/developer/extensions/{extension}/versions/1.0.0/abandon"), json!({}))
        .await
        .data();
    assert_eq!(tester.get(&path).await.status, 404);

    // What security took back is nobody's.
    diesel::update(extension_versions::table.find(version))
        .set(extension_versions::status.eq("revoked"))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    for caller in &allowed {
        assert_eq!(caller.get(&path).await.status, 404);
    }
}

#[tokio::test]
async fn developers_in_dev_mode_load_their_newest_unpublished_version() {
    let app = TestApp::start().await;
    let (studio, reviewer, other) = (app.studio().await, reviewer(&app).await, app.studio().await);
    let extension = studio.public_extension("Layered").await;
    publish(&reviewer, layered(&studio, extension, "1.0.0", "one").await).await;
    layered(&studio, extension, "1.1.0", "next").await;
    let path = file(extension, "1.0.0", "layer.js");
    assert_eq!(studio.person.get(&path).await.text, "export default 'one';");
    for person in [&studio.person, &other.person] {
        person.patch("/v1/users/me", json!({ "extension_dev_mode": true })).await.data();
    }
    let served = studio.person.get(&path).await;
    assert_eq!(
        (served.text.as_str(), served.header("cache-control")),
        ("export default 'next';", "private, no-store")
    );
    for caller in [&app.anonymous(), &other.person.caller] {
        let served = caller.get(&path).await;
        assert_eq!((served.text.as_str(), served.header("cache-control")), ("export default 'one';", PUBLIC));
    }
}

#[tokio::test]
async fn both_protocols_list_the_files_of_a_version() {
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
