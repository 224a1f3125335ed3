//! Layers of versions that are not public (reference/overlays.md#versions-that-are-not-public).

use std::time::Duration;

use chrono::TimeDelta;
use lumio_tests::{PUBLIC_URL, SocketRequest, TestApp, extensions::archive};
use serde_json::{Value, json};

use super::{OVERLAYS, execute, id_of, overlay, text, tokens};

const CODE: &str = "export function mount() {}";
/// Time after which a state is read again.
const SHARING_TIME: Duration = Duration::from_millis(2100);

/// State that the page of an overlay begins with.
async fn state(app: &TestApp, key: &str, token: &str) -> Value {
    let mut client = SocketRequest::to(app.url()).query(token).connect().await;
    client.subscribe(&format!("overlay:{key}")).await;
    client.frame().await["data"].clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unpublished_bundles_are_read_by_a_token_that_opens_nothing_else() {
    let app = TestApp::start().await;
    // Every page of a period gets the same token.
    app.begin_a_window(300);
    let studio = app.studio().await;
    let owner = &studio.person;
    let extension = studio.extension("Drawn").await;
    let manifest = json!({
        "extensionId": extension, "name": "Drawn", "description": "Draws.", "category": "widget",
        "version": "1.0.0", "targets": ["layer"], "permissions": ["events:read"],
    });
    let manifest = manifest.to_string();
    let files = [
        ("lumio.config.json", manifest.as_bytes()),
        ("layer.js", CODE.as_bytes()),
        ("assets/plan.txt", b"not yet public"),
    ];
    let uploaded = studio.upload(extension, "1.0.0", &archive(&files)).await;
    let version = id_of(&uploaded.expect(202)["version"]);
    let reviewer = app.admin_with(&["extension-review:read", "extension-review:edit"]).await;
    reviewer.post(&format!("/v1/admin/extension-versions/{version}/approve-testing"), json!({})).await.data();
    let body = json!({ "extension_id": extension, "granted_permissions": ["events:read"], "config": {} });
    let install = id_of(&owner.post("/v1/extension-installs", body).await.expect(201)["data"]).to_string();
    let made = overlay(owner, "Drawn").await;
    let (id, key) = (id_of(&made), text(&made["key"]));
    let layer = json!({ "type": "extension", "name": "e", "width": 1, "height": 1, "install_id": install });
    owner.put(&format!("{OVERLAYS}/{id}/layers"), json!({ "layers": [layer] })).await.expect(200);
    let page = text(&owner.get(&format!("{OVERLAYS}/{id}/token")).await.data()["token"]).to_owned();

    let first = state(&app, key, &page).await;
    let token = text(&first["bundle_tokens"][&install]).to_owned();
    assert!(token.starts_with("lm_ext_") && token.len() == 71, "{token}");
    assert!(!first["layers"].to_string().contains(&token), "layers do not change with it");
    let path = text(&first["layers"][0]["script"]).strip_prefix(PUBLIC_URL).expect("a public address");
    app.anonymous().get(path).await.refused("NOT_FOUND", "Bundle file not found");
    let reader = app.bearer(&token);
    let served = reader.get(path).await;
    assert_eq!((served.status, served.text.as_str()), (200, CODE));
    assert_eq!(served.header("cache-control"), "private, no-store");
    for hidden in ["assets/plan.txt", "lumio.config.json"] {
        let file = path.replace("layer.js", hidden);
        assert_eq!(owner.get(&file).await.status, 200, "its developer sees it");
        reader.get(&file).await.refused("NOT_FOUND", "Bundle file not found");
    }
    let list = format!("/v1/extensions/{extension}/versions/1.0.0/files");
    assert_eq!(owner.get(&list).await.data().as_array().map(Vec::len), Some(3));
    reader.get(&list).await.refused("NOT_FOUND", "Bundle file not found");
    let other = studio.extension("Other").await;
    reader.get(&path.replace(&extension.to_string(), &other.to_string())).await.refused_with("NOT_FOUND");

    let message = "This token reads files only";
    let uploads = format!("/v1/extensions/{extension}/uploads");
    reader.post_raw(&uploads, "multipart/form-data; boundary=x", "--x--").await.refused("FORBIDDEN", message);
    reader.get("/v1/users/me").await.refused_with("FORBIDDEN");
    let refused = SocketRequest::to(app.url()).query(&token).refused().await;
    assert_eq!((refused.status, &refused.body["message"]), (403, &json!(message)));

    tokio::time::sleep(SHARING_TIME).await;
    assert_eq!(state(&app, key, &page).await["bundle_tokens"][&install], token);
    // Sessions end with this.
    app.clock.advance(TimeDelta::minutes(16));
    assert_ne!(reader.get(path).await.status, 200, "it has ended");
    tokio::time::sleep(SHARING_TIME).await;
    let next = text(&state(&app, key, &page).await["bundle_tokens"][&install]).to_owned();
    assert_ne!(next, token);
    assert_eq!(app.bearer(&next).get(path).await.status, 200);
    assert_eq!(tokens(&app, &[&install]).await, ["extension"], "the ended one is deleted");

    execute(&app, "UPDATE extension_versions SET status = 'approved' WHERE id = $1", version).await;
    tokio::time::sleep(SHARING_TIME).await;
    assert_eq!(state(&app, key, &page).await["bundle_tokens"], json!({}));
    assert_eq!(app.anonymous().get(path).await.text, CODE);
    app.stop().await;
}
