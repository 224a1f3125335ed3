//! Uploads of versions (reference/developers.md#uploads).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{
    Answer, TestApp,
    extensions::{SERVER, archive, bundle, manifest, multipart},
};
use serde_json::{Value, json};
use shared::schema::{extension_files, extension_versions, extensions};
use uuid::Uuid;

use super::refused;

/// Asserts a refusal that names a field.
#[track_caller]
fn refused_field(answer: &Answer, field: &str, message: &str) {
    refused(answer, 422, "validation_error", message);
    let fields = answer.body["error"]["fields"].as_array().unwrap_or_else(|| panic!("{}", answer.text));
    assert!(fields.contains(&json!({ "field": field, "message": message })), "{}", answer.text);
}

async fn stored(app: &TestApp) -> (i64, i64) {
    let mut db = app.databases.postgres.get().await.unwrap();
    // Built-in extensions do not count.
    let versions = extension_versions::table
        .inner_join(extensions::table.on(extensions::id.eq(extension_versions::extension_id)))
        .filter(extensions::owner_developer_id.is_not_null())
        .count()
        .get_result(&mut *db)
        .await
        .unwrap();
    let files = extension_files::table
        .inner_join(
            extension_versions::table
                .inner_join(extensions::table.on(extensions::id.eq(extension_versions::extension_id))),
        )
        .filter(extensions::owner_developer_id.is_not_null())
        .count()
        .get_result(&mut *db)
        .await
        .unwrap();
    (versions, files)
}

#[tokio::test]
async fn developer_api_versions_shows_an_upload_that_waits_for_review() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let id = studio.extension("Greeter").await;
    let text = manifest(id, "1.0.0", &json!({})).to_string();
    let files = [
        ("lumio.config.json", text.as_bytes()),
        ("server.js", SERVER.as_bytes()),
        ("assets/a.svg", b"<svg/>".as_slice()),
    ];
    let packed = archive(&files);
    let answer = studio.upload(id, "1.0.0", &packed).await;
    let version = answer.expect(202)["version"].clone();
    assert_eq!((&version["version"], &version["status"]), (&json!("1.0.0"), &json!("pending")));
    assert_eq!(version.as_object().unwrap().len(), 4);
    let submitted = app.audited_once("extension:version_submitted").await;
    assert_eq!(submitted.resource_id.as_deref(), version["id"].as_str());

    let path = format!("/developer/v1/extensions/{id}");
    assert_eq!(studio.key.get(&path).await.expect(200)["status"], "in_review");
    let listed = studio.key.get(&format!("{path}/versions")).await.expect(200)["versions"][0].clone();
    assert_eq!(listed["bundleSizeBytes"], json!(packed.len()));
    assert_eq!((listed.as_object().unwrap().len(), &listed["approvedAt"]), (6, &Value::Null));

    let rows: Vec<(String, String, String)> = extension_files::table
        .filter(extension_files::version_id.eq(version["id"].as_str().unwrap().parse::<Uuid>().unwrap()))
        .order(extension_files::file_path)
        .select((extension_files::file_path, extension_files::content_type, extension_files::storage_key))
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let paths: Vec<&str> = rows.iter().map(|row| row.0.as_str()).collect();
    assert_eq!(paths, ["assets/a.svg", "lumio.config.json", "server.js"]);
    assert_eq!(rows[0].1, "image/svg+xml");
    let kept = app.state.storage.get(&rows[2].2).await.unwrap().unwrap();
    assert_eq!(kept.as_ref(), SERVER.as_bytes());
}

#[tokio::test]
async fn developer_api_version_shows_one_version_of_an_own_extension() {
    let app = TestApp::start().await;
    let (studio, stranger) = (app.studio().await, app.studio().await);
    let id = studio.extension("Greeter").await;
    let version = studio.version(id, "1.0.0", &json!({})).await;
    let versions = format!("/developer/v1/extensions/{id}/versions");
    let path = format!("{versions}/{version}");
    let listed = studio.key.get(&versions).await.expect(200)["versions"][0].clone();
    let shown = studio.key.get(&path).await.expect(200)["version"].clone();
    assert_eq!(shown, listed);
    assert_eq!((&shown["id"], &shown["version"]), (&json!(version), &json!("1.0.0")));
    let missing = studio.key.get(&format!("{versions}/{}", Uuid::nil())).await;
    refused(&missing, 404, "version_not_found", "Version not found");
    refused(&stranger.key.get(&path).await, 404, "extension_not_found", "Extension not found");
    let weak = app.personal_key(&studio.person, &["extension-dev:create"]).await;
    refused(&weak.get(&path).await, 403, "forbidden", "Missing permission: extension-dev:read");
}

#[tokio::test]
async fn developer_api_submit_version_needs_a_new_semantic_version() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let id = studio.extension("Greeter").await;
    studio.version(id, "1.0.0", &json!({})).await;
    let again = studio.upload(id, "1.0.0", &bundle(&manifest(id, "1.0.0", &json!({})), Some(SERVER))).await;
    refused_field(&again, "version", "Version already exists");
    let wrong = studio.upload(id, "1.0", b"").await;
    assert!(
        wrong.body["error"]["message"]
            .as_str()
            .unwrap()
            .starts_with("version must be a semantic version such as 1.2.3")
    );
    assert_eq!(stored(&app).await, (1, 2));
}

#[tokio::test]
async fn developer_api_submit_version_refuses_malicious_archives() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let id = studio.extension("Liar").await;
    let text = manifest(id, "1.0.0", &json!({})).to_string();
    let good = [("lumio.config.json", text.as_bytes()), ("server.js", SERVER.as_bytes())];
    let with = |extra: &[(&str, &[u8])]| archive(&[&good[..], extra].concat());
    for (packed, message) in [
        (with(&[("../evil", b"x")]), "`../evil` leads out of the archive"),
        (with(&[("/etc/evil", b"x")]), "`/etc/evil` is not a relative path with `/`"),
        (with(&[("SERVER.js", b"x")]), "`SERVER.js` is in the archive twice (names differ at most in case)"),
        (
            with(&[("assets/bomb", &vec![0; 30_000_000])]),
            "the archive unpacks to more than 100 times its size",
        ),
    ] {
        refused_field(&studio.upload(id, "1.0.0", &packed).await, "bundle", message);
    }
    let packed = archive(&good);
    for broken in [&packed[..packed.len() - 9], b"PK\x03\x04", b""] {
        let answer = studio.upload(id, "1.0.0", broken).await;
        assert_eq!(
            (answer.status, &answer.body["error"]["fields"][0]["field"]),
            (422, &json!("bundle")),
            "{}",
            answer.text
        );
    }
    assert_eq!(stored(&app).await, (0, 0));
    assert_eq!(
        studio.key.get(&format!("/developer/v1/extensions/{id}")).await.expect(200)["status"],
        "draft"
    );
}

#[tokio::test]
async fn developer_api_submit_version_validates_manifest_and_handlers() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let id = studio.extension("Greeter").await;
    let upload = async |changes: Value, server: Option<&str>| {
        studio.upload(id, "1.0.0", &bundle(&manifest(id, "1.0.0", &changes), server)).await
    };
    let answer = upload(json!({ "permissions": ["chat:read", "obs:control"] }), Some(SERVER)).await;
    refused_field(&answer, "permissions[1]", "Invalid permission: obs:control");
    let answer = upload(json!({ "extensionId": Uuid::nil() }), Some(SERVER)).await;
    refused_field(&answer, "extensionId", &format!("extensionId must be {id}"));
    let answer = upload(json!({ "pricing": { "type": "one_time" } }), Some(SERVER)).await;
    refused_field(&answer, "pricing", "Paid pricing requires developer verification");
    let answer = upload(json!({ "permisions": [] }), Some(SERVER)).await;
    let message = "permisions is not a key of lumio.config.json; did you mean permissions?";
    refused_field(&answer, "permisions", message);
    let commands = json!({ "commands": [{ "name": "roll", "handler": "helo" }] });
    let answer = upload(json!({ "bot_module": commands }), Some(SERVER)).await;
    let message = "helo is not exported by server.js; did you mean hello?; its exports are hello";
    refused_field(&answer, "bot_module.commands[0].handler", message);
    let answer = upload(json!({}), None).await;
    refused_field(&answer, "server.js", "server.js is missing although the manifest says `server: true`");
    let answer = upload(json!({}), Some("export async function hello( {")).await;
    assert_eq!(
        (answer.status, &answer.body["error"]["fields"][0]["field"]),
        (422, &json!("server.js")),
        "{}",
        answer.text
    );
    let answer = studio.upload(id, "1.0.0", &archive(&[("server.js", SERVER.as_bytes())])).await;
    refused_field(&answer, "lumio.config.json", "lumio.config.json is missing in the root of the bundle");
    assert_eq!(stored(&app).await, (0, 0));
}

#[tokio::test]
async fn developer_api_submit_version_defaults_the_manifest_id_to_the_route() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let id = studio.extension("Greeter").await;
    let mut manifest = manifest(id, "1.0.0", &json!({}));
    manifest.as_object_mut().unwrap().remove("extensionId");
    studio.upload(id, "1.0.0", &bundle(&manifest, Some(SERVER))).await.expect(202);
    let stored: Value = extension_versions::table
        .filter(extension_versions::extension_id.eq(id))
        .select(extension_versions::manifest)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(stored["extensionId"], json!(id));
}

#[tokio::test]
async fn developer_api_submit_version_refuses_deceptive_file_names() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let id = studio.extension("Liar").await;
    let text = manifest(id, "1.0.0", &json!({})).to_string();
    let good = [("lumio.config.json", text.as_bytes()), ("server.js", SERVER.as_bytes())];
    for (more, message) in [
        (
            vec!["assets/\u{202e}gnp.js"],
            r#"the file name "assets/\u{202e}gnp.js" has a control of writing direction, '\u{202e}'"#,
        ),
        (vec!["assets/e\u{301}.png"], "is not in Unicode normalization form C"),
        (vec!["assets/\u{e9}.png", "assets/\u{c9}.png"], "is in the archive twice"),
        (vec!["assets/stra\u{df}e.png", "assets/STRASSE.png"], "is in the archive twice"),
    ] {
        let more: Vec<(&str, &[u8])> = more.into_iter().map(|name| (name, b"x".as_slice())).collect();
        let answer = studio.upload(id, "1.0.0", &archive(&[&good[..], &more[..]].concat())).await;
        let error = &answer.body["error"]["fields"][0];
        assert_eq!((answer.status, &error["field"]), (422, &json!("bundle")), "{}", answer.text);
        assert!(error["message"].as_str().unwrap().contains(message), "{}", answer.text);
    }
    assert_eq!(stored(&app).await, (0, 0));
}

#[tokio::test]
async fn developer_api_submit_version_runs_no_code_when_parsing() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let id = studio.extension("Spinner").await;
    let server = format!("{SERVER}\nwhile (true) {{}}");
    let answer = studio.upload(id, "1.0.0", &bundle(&manifest(id, "1.0.0", &json!({})), Some(&server))).await;
    answer.expect(202);
}

#[tokio::test]
async fn developer_api_submit_version_fails_closed_without_the_engine() {
    let app = TestApp::builder().with("LUMIO_ENGINE_DIR", "/nonexistent/engine").start().await;
    let studio = app.studio().await;
    let id = studio.extension("Unchecked").await;
    let answer = studio.upload(id, "1.0.0", &bundle(&manifest(id, "1.0.0", &json!({})), Some(SERVER))).await;
    refused(&answer, 500, "internal_error", "Internal server error");
    assert_eq!(stored(&app).await, (0, 0));
}

#[tokio::test]
async fn developer_api_submit_version_refuses_broken_forms() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let id = studio.extension("Form").await;
    let packed = bundle(&manifest(id, "1.0.0", &json!({})), Some(SERVER));
    refused_field(&studio.upload_form(id, &[("bundle", &packed)]).await, "version", "version is required");
    refused_field(&studio.upload_form(id, &[("version", b"1.0.0")]).await, "bundle", "bundle is required");
    let twice = [("version", b"1.0.0".as_slice()), ("version", b"1.0.0"), ("bundle", &packed)];
    refused_field(&studio.upload_form(id, &twice).await, "version", "version must be given once");
    let long = vec![b'x'; 70_000];
    let answer = studio.upload_form(id, &[("changelog", &long)]).await;
    refused(&answer, 422, "validation_error", "The fields beside the bundle must not be larger than 64 KiB");
    let not_text = studio.upload_form(id, &[("version", b"\xff"), ("bundle", &packed)]).await;
    refused_field(&not_text, "version", "version is not valid UTF-8");

    let path = format!("/developer/v1/extensions/{id}/versions");
    let (content_type, body) = multipart(&[("version", b"1.0.0"), ("bundle", &packed)]);
    for (content_type, body) in [
        (content_type.as_str(), body[..body.len() / 2].to_vec()),
        ("multipart/form-data", body.clone()),
        ("application/json", b"{}".to_vec()),
        ("multipart/form-data; boundary=other", body.clone()),
        (content_type.as_str(), Vec::new()),
    ] {
        let answer = studio.key.post_raw(&path, content_type, body).await;
        assert_eq!(
            (answer.status, &answer.body["error"]["code"]),
            (422, &json!("validation_error")),
            "{}",
            answer.text
        );
    }
    assert_eq!(stored(&app).await, (0, 0));
}

#[tokio::test]
async fn developer_api_submit_version_refuses_bundles_over_50_mb() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let id = studio.extension("Big").await;
    let answer = studio.upload(id, "1.0.0", &vec![7; 50 * 1024 * 1024 + 1]).await;
    refused_field(&answer, "bundle", "bundle must not be larger than 50 MB");
}
