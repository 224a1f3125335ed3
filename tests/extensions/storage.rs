//! Shared storage of an install, and the retention of its data (reference/extensions.md#shared-storage).

use extension_model::limits::{self, LimitKey, LimitSubject};
use foundation::jobs::{Housekeep, HousekeepingTask};
use lumio_tests::{Answer, Caller, TestApp, both_refused, eventually};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{ASKED, greeter, id_of, install, reviewer};

fn path(id: Uuid) -> String {
    format!("/v1/extension-installs/{id}/storage")
}

async fn read_over_graphql(caller: &Caller, id: Uuid) -> Answer {
    let document = "query($id: UUID!) { extensionStorage(id: $id) { value version } }";
    caller.graphql(document, json!({ "id": id })).await
}

async fn write_over_graphql(caller: &Caller, id: Uuid, input: &Value) -> Answer {
    caller.mutate_at("setExtensionStorage", &[("id", id)], input, "{ value version }").await
}

#[tokio::test]
async fn set_extension_storage_replaces_the_object_and_increments_the_version() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let id = id_of(&install(&owner, extension, &ASKED, &json!({})).await);
    let (mut pubsub, mut messages) = app.state.redis.subscription().await.unwrap();
    pubsub.subscribe(&[app.state.events.topic(&format!("ext-storage:{id}"))]).await.unwrap();

    assert_eq!(owner.get(&path(id)).await.data(), &json!({ "value": {}, "version": 0 }));
    let first = owner.put(&path(id), json!({ "value": { "a": 1, "b": [true] } })).await;
    assert_eq!(first.expect(200)["data"], json!({ "value": { "a": 1, "b": [true] }, "version": 1 }));
    assert_eq!(first.body["_links"]["self"], path(id));
    let message: Value = serde_json::from_slice(messages.next().await.unwrap().get_payload_bytes()).unwrap();
    assert_eq!(message["event_type"], "storage:updated");
    assert_eq!(message["data"], json!({ "value": { "a": 1, "b": [true] }, "version": 1 }));

    let second = write_over_graphql(&owner, id, &json!({ "value": { "d": "x" } })).await;
    assert_eq!(second.field("setExtensionStorage"), json!({ "value": { "d": "x" }, "version": 2 }));
    let read = read_over_graphql(&owner, id).await;
    assert_eq!(read.field("extensionStorage"), *owner.get(&path(id)).await.data());
}

#[tokio::test]
async fn set_extension_storage_by_post_has_the_effects_of_put() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let id = id_of(&install(&owner, extension, &ASKED, &json!({})).await);
    let first = owner.post(&path(id), json!({ "value": { "c": null } })).await;
    assert_eq!(first.expect(200)["data"], json!({ "value": { "c": null }, "version": 1 }));
    assert_eq!(first.body["_links"]["self"], path(id));
    let late = owner.post(&path(id), json!({ "value": {}, "version": 5 })).await;
    assert_eq!(late.status, 409);
    late.refused("CONFLICT", "The storage has changed: its version is 1");
    let request = owner.request(Method::POST, &path(id)).header("if-match", "\"1\"");
    let second = owner.send(request.json(&json!({ "value": { "d": "x" } }))).await;
    assert_eq!(second.expect(200)["data"], json!({ "value": { "d": "x" }, "version": 2 }));
    let invalid = owner.post(&path(id), json!({ "value": [1] })).await;
    invalid.refused("VALIDATION_ERROR", "value must be an object");

    let reader = app.service_key(owner.account_id, &["extension-data:read"]).await;
    let refused = reader.post(&path(id), json!({ "value": {} })).await;
    refused.refused("FORBIDDEN", "Missing permission: extension-data:edit");
    let stranger = app.owner().await.post(&path(id), json!({ "value": {} })).await;
    stranger.refused("NOT_FOUND", "Extension install not found");
    assert_eq!(owner.get(&path(id)).await.data(), &json!({ "value": { "d": "x" }, "version": 2 }));
}

#[tokio::test]
async fn set_extension_storage_conflicts_on_an_unexpected_version() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let id = id_of(&install(&owner, extension, &ASKED, &json!({})).await);
    let put = async |version: &str, value: Value| {
        let request = owner.request(Method::PUT, &path(id)).header("if-match", version);
        owner.send(request.json(&json!({ "value": value }))).await
    };
    put("\"5\"", json!({})).await.refused("CONFLICT", "The storage has changed: its version is 0");
    assert_eq!(put("0", json!({ "n": 1 })).await.data()["version"], 1);
    assert_eq!(put("\"1\"", json!({ "n": 2 })).await.data()["version"], 2);
    let late = json!({ "value": { "n": 9 }, "version": 1 });
    both_refused(
        &owner.put(&path(id), late.clone()).await,
        &write_over_graphql(&owner, id, &late).await,
        409,
        "CONFLICT",
        "The storage has changed: its version is 2",
    );
    put("x", json!({}))
        .await
        .refused("VALIDATION_ERROR", "If-Match must be the version of the storage, a whole number");
    assert_eq!(owner.get(&path(id)).await.data()["value"], json!({ "n": 2 }));
    // One of several parallel writes with the same version succeeds.
    let tries = (0..8).map(|n| put("2", json!({ "n": n })));
    let answers = futures::future::join_all(tries).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    assert_eq!(owner.get(&path(id)).await.data()["version"], 3);
}

#[tokio::test]
async fn set_extension_storage_limits_keys_and_values() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let id = id_of(&install(&owner, extension, &ASKED, &json!({})).await);
    let keys = |count: usize| {
        json!((0..count).map(|n| (n.to_string(), json!(n))).collect::<serde_json::Map<_, _>>())
    };
    for (value, message) in [
        (json!([1]), "value must be an object".to_owned()),
        (keys(1001), "value must have at most 1000 keys".to_owned()),
        (json!({ "big": "x".repeat(65_536) }), "value.big must have at most 65536 bytes as JSON".to_owned()),
        (json!({ "nul": "a\u{0}" }), "value.nul must not contain NUL characters".to_owned()),
        (json!({ "": 1 }), "value.: a key must have 1 to 255 bytes".to_owned()),
        (json!({ "k".repeat(256): 1 }), format!("value.{}: a key must have 1 to 255 bytes", "k".repeat(64))),
    ] {
        let input = json!({ "value": value });
        both_refused(
            &owner.put(&path(id), input.clone()).await,
            &write_over_graphql(&owner, id, &input).await,
            400,
            "VALIDATION_ERROR",
            &message,
        );
    }
    assert_eq!(owner.get(&path(id)).await.data()["version"], 0, "nothing was half-written");
    owner.put(&path(id), json!({ "value": keys(1000) })).await.expect(200);
    owner.put(&path(id), json!({ "value": { "big": "x".repeat(65_534) } })).await.expect(200);

    let (subject, key) = (LimitSubject::Extension(extension), LimitKey::StorageInstallBytes);
    let mut db = app.databases.postgres.get().await.unwrap();
    limits::set_override(&mut db, subject, key, 20, app.clock.now()).await.unwrap();
    drop(db);
    owner.put(&path(id), json!({ "value": { "a": "x".repeat(17) } })).await.expect(200);
    let input = json!({ "value": { "a": "x".repeat(17), "b": 1 } });
    both_refused(
        &owner.put(&path(id), input.clone()).await,
        &write_over_graphql(&owner, id, &input).await,
        400,
        "VALIDATION_ERROR",
        "value must have at most 20 bytes",
    );
}

#[tokio::test]
async fn extension_storage_and_its_update_need_their_permissions() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let id = id_of(&install(&owner, extension, &ASKED, &json!({})).await);
    let reader = app.service_key(owner.account_id, &["extension-data:read"]).await;
    let writer = app.service_key(owner.account_id, &["extension-data:edit"]).await;
    let stranger = app.owner().await;
    let input = json!({ "value": { "a": 1 } });

    reader.get(&path(id)).await.data();
    read_over_graphql(&reader, id).await.field("extensionStorage");
    writer.put(&path(id), input.clone()).await.data();
    write_over_graphql(&writer, id, &input).await.field("setExtensionStorage");
    both_refused(
        &writer.get(&path(id)).await,
        &read_over_graphql(&writer, id).await,
        403,
        "FORBIDDEN",
        "Missing permission: extension-data:read",
    );
    both_refused(
        &reader.put(&path(id), input.clone()).await,
        &write_over_graphql(&reader, id, &input).await,
        403,
        "FORBIDDEN",
        "Missing permission: extension-data:edit",
    );
    let before = app.belongings(owner.account_id).await;
    both_refused(
        &stranger.put(&path(id), input.clone()).await,
        &write_over_graphql(&stranger, id, &input).await,
        404,
        "NOT_FOUND",
        "Extension install not found",
    );
    both_refused(
        &stranger.get(&path(id)).await,
        &read_over_graphql(&stranger, id).await,
        404,
        "NOT_FOUND",
        "Extension install not found",
    );
    assert_eq!(app.belongings(owner.account_id).await, before);
}

#[tokio::test]
async fn storage_outlives_its_install_for_thirty_days() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    // Sessions do not last for thirty days.
    let key = app.service_key(owner.account_id, &["extension-store:*", "extension-data:*"]).await;
    let again = async || id_of(&install(&key, extension, &ASKED, &json!({})).await);
    let first = again().await;
    key.put(&path(first), json!({ "value": { "kept": true } })).await.expect(200);
    let uninstall =
        async |id: Uuid| key.delete(&format!("/v1/extension-installs/{id}")).await.expect(204).clone();
    uninstall(first).await;
    key.get(&path(first)).await.refused("NOT_FOUND", "Extension install not found");

    app.clock.advance(chrono::Duration::days(29));
    tidy_up(&app).await;
    let second = again().await;
    assert_eq!(key.get(&path(second)).await.data(), &json!({ "value": { "kept": true }, "version": 1 }));

    uninstall(second).await;
    app.clock.advance(chrono::Duration::days(31));
    tidy_up(&app).await;
    let rows = app.belongings(owner.account_id).await;
    for table in ["extension_storage", "extension_uninstalls", "extension_values", "extension_rows"] {
        assert_eq!(rows[table].0, 0, "{table}");
    }
    let third = again().await;
    assert_eq!(key.get(&path(third)).await.data(), &json!({ "value": {}, "version": 0 }));
}

/// Runs the housekeeping of extension data.
async fn tidy_up(app: &TestApp) {
    let worker =
        lumio_worker::start_with(app.config(), app.clock.clone(), &[lumio_worker::Daemon::Housekeeping])
            .await
            .unwrap();
    let task = Housekeep { task: HousekeepingTask::ForgetExtensionData };
    app.state.jobs.enqueue(&task, &Uuid::now_v7().to_string()).await.unwrap();
    eventually("housekeeping is done", async || {
        let figures = worker.context.metrics.render().unwrap();
        figures.lines().any(|line| {
            line.starts_with("lumio_jobs_total{")
                && line.contains("outcome=\"done\"")
                && line.contains("queue=\"housekeeping\"")
                && !line.ends_with(" 0")
        })
    })
    .await;
    worker.stop().await.unwrap();
}
