//! Extensions in accounts: store, installs, logs, kill switch, files, feeds of the workers.

mod automation_triggers;
mod automation_webhooks;
mod bundles;
mod drawings;
mod feedback;
mod feeds;
mod installs;
mod layers;
mod legacy_bundles;
mod logs;
mod own_installs;
mod reviews;
mod roll_out;
mod storage;
mod store;
mod system;
mod tokens;
mod uploads;
mod withdrawal;

use lumio_tests::{Answer, Caller, TestApp, extensions::Studio};
use serde_json::{Value, json};
use uuid::Uuid;

/// Permissions of the plain manifest.
const ASKED: [&str; 2] = ["chat:read", "chat:send"];

/// Reviewer staff.
async fn reviewer(app: &TestApp) -> Caller {
    app.admin_with(&["extension-review:read", "extension-review:edit"]).await.caller
}

/// Uploads a version of an extension and publishes it; returns its id.
async fn published(
    studio: &Studio,
    reviewer: &Caller,
    extension: Uuid,
    version: &str,
    changes: &Value,
) -> Uuid {
    let id = studio.version(extension, version, changes).await;
    reviewer.post(&format!("/v1/admin/extension-versions/{id}/publish"), json!({})).await.data();
    id
}

/// Public extension with the version 1.0.0.
async fn greeter(studio: &Studio, reviewer: &Caller, changes: &Value) -> Uuid {
    let id = studio.public_extension("Greeter").await;
    published(studio, reviewer, id, "1.0.0", changes).await;
    id
}

async fn install(caller: &Caller, extension: Uuid, granted: &[&str], config: &Value) -> Answer {
    let body = json!({ "extension_id": extension, "granted_permissions": granted, "config": config });
    caller.post("/v1/extension-installs", body).await
}

async fn uninstall_over_graphql(caller: &Caller, id: Uuid) -> Answer {
    caller.graphql("mutation($id: UUID!) { uninstallExtension(id: $id) }", json!({ "id": id })).await
}

/// Id of the install in an answer.
#[track_caller]
fn id_of(answer: &Answer) -> Uuid {
    answer.data()["id"].as_str().unwrap().parse().unwrap()
}
