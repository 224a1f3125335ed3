//! Roll-out of new versions to installs (reference/extensions.md#roll-out).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Caller, TestApp};
use serde_json::json;
use shared::schema::extension_versions;
use uuid::Uuid;

use super::{ASKED, greeter, id_of, install, published, reviewer};

/// Rolls out like the worker; returns the number of updated installs.
async fn roll_out(app: &TestApp, extension: Uuid) -> usize {
    let mut moved = 0;
    let mut db = app.databases.postgres.get().await.unwrap();
    loop {
        let batch = extension_model::roll_out(&mut db, extension, app.clock.now()).await.unwrap();
        moved += batch.len();
        if batch.is_empty() {
            return moved;
        }
    }
}

async fn version(caller: &Caller, install: Uuid) -> String {
    caller.get(&format!("/v1/extension-installs/{install}")).await.data()["version"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[tokio::test]
async fn roll_out_updates_unpinned_installs_until_consent_is_needed() {
    let app = TestApp::start().await;
    let (studio, reviewer) = (app.studio().await, reviewer(&app).await);
    let (follower, pinned) = (app.owner().await, app.owner().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let following = id_of(&install(&follower, extension, &ASKED, &json!({})).await);
    let staying = id_of(&install(&pinned, extension, &ASKED, &json!({})).await);
    pinned
        .patch(&format!("/v1/extension-installs/{staying}"), json!({ "pinned_version": "1.0.0" }))
        .await
        .data();

    published(&studio, &reviewer, extension, "1.1.0", &json!({})).await;
    assert_eq!(roll_out(&app, extension).await, 1);
    assert_eq!(
        (version(&follower, following).await, version(&pinned, staying).await),
        ("1.1.0".into(), "1.0.0".into())
    );
    assert_eq!(roll_out(&app, extension).await, 0, "a second run changes nothing");

    published(
        &studio,
        &reviewer,
        extension,
        "2.0.0",
        &json!({ "egress": { "allowHosts": ["api.example.com"] } }),
    )
    .await;
    assert_eq!(roll_out(&app, extension).await, 0);
    assert_eq!(version(&follower, following).await, "1.1.0");
}

#[tokio::test]
async fn roll_out_moves_installs_off_a_revoked_version() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner, system) =
        (app.studio().await, reviewer(&app).await, app.owner().await, app.system_key().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let id = id_of(&install(&owner, extension, &ASKED, &json!({})).await);
    let revoked = published(&studio, &reviewer, extension, "1.1.0", &json!({})).await;
    assert_eq!(roll_out(&app, extension).await, 1);
    diesel::update(extension_versions::table.find(revoked))
        .set(extension_versions::status.eq("revoked"))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let feed = system.get(&format!("/v1/internal/bot-modules/handlers?install_id={id}")).await;
    let handler = &feed.expect(200)["installs"][0];
    assert_eq!((&handler["enabled"], &handler["handler_code"]), (&json!(false), &json!(null)));
    assert_eq!(roll_out(&app, extension).await, 1);
    assert_eq!(version(&owner, id).await, "1.0.0");
}

/// Requests consent like the worker; returns the number of installs that need it.
async fn offer(app: &TestApp, extension: Uuid) -> usize {
    use diesel_async::AsyncConnection;
    let (now, mut db) = (app.clock.now(), app.databases.postgres.get().await.unwrap());
    let asked =
        db.transaction(async |connection| extension_model::request_consent(connection, extension, now).await);
    asked.await.unwrap()
}

#[tokio::test]
async fn roll_out_requests_consent_once_per_version() {
    use shared::schema::{notifications, outbox};

    let app = TestApp::start().await;
    let (studio, reviewer) = (app.studio().await, reviewer(&app).await);
    let (follower, pinned) = (app.owner().await, app.owner().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let following = id_of(&install(&follower, extension, &ASKED, &json!({})).await);
    let staying = id_of(&install(&pinned, extension, &ASKED, &json!({})).await);
    let path = format!("/v1/extension-installs/{staying}");
    pinned.patch(&path, json!({ "pinned_version": "1.0.0" })).await.data();
    assert_eq!(offer(&app, extension).await, 0, "everybody runs the current version");
    let more = json!({ "permissions": ["chat:read", "chat:send", "events:read"] });
    published(&studio, &reviewer, extension, "2.0.0", &more).await;
    assert_eq!(roll_out(&app, extension).await, 0);
    assert_eq!(offer(&app, extension).await, 1);
    assert_eq!(offer(&app, extension).await, 0, "once for each version");

    let mut db = app.databases.postgres.get().await.unwrap();
    let events: Vec<serde_json::Value> = outbox::table
        .filter(outbox::queue.eq("live_events"))
        .select(outbox::payload)
        .load(&mut *db)
        .await
        .unwrap();
    let asked: Vec<&serde_json::Value> = events
        .iter()
        .map(|payload| &payload["event"])
        .filter(|event| event["event_type"] == "install:update_available")
        .collect();
    assert_eq!(asked.len(), 1, "{events:?}");
    assert_eq!(asked[0]["channel"], format!("extensions:{}", follower.account_id));
    assert_eq!(asked[0]["data"], json!({ "id": following, "version": "2.0.0" }));
    let notified: Vec<Uuid> = notifications::table
        .filter(notifications::message.eq("Version 2.0.0 of Greeter waits for your consent."))
        .select(notifications::user_id)
        .load(&mut *db)
        .await
        .unwrap();
    assert_eq!(notified, [follower.user_id]);
    drop(db);

    let accept = format!("/v1/extension-installs/{following}/update");
    follower.post(&accept, json!({ "accept_permissions": ["events:read"] })).await.data();
    published(&studio, &reviewer, extension, "3.0.0", &json!({ "permissions": ["chat:read", "chat:ban"] }))
        .await;
    assert_eq!(
        offer(&app, extension).await,
        0,
        "a version that one of two reviewers approved is not current"
    );
}
