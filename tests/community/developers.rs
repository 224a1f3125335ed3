//! Notifications to developers of extensions (reference/notifications.md#types).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::TestApp;
use serde_json::json;
use shared::{id, schema::extension_installs};
use uuid::Uuid;

use super::world::{listed, waiting_mails};
use lumio_tests::world::install;

const REVIEW: &str = "/v1/admin/extension-versions";

#[tokio::test]
async fn developers_are_notified_of_every_review_decision() {
    let app = TestApp::start().await;
    let (studio, reviewer) =
        (app.studio().await, app.admin_with(&["extension-review:read", "extension-review:edit"]).await);
    let id = studio.extension("Greeter").await;
    let first = studio.version(id, "1.0.0", &json!({})).await;
    reviewer.post(&format!("{REVIEW}/{first}/approve-testing"), json!({})).await.expect(200);
    let second = studio.version(id, "1.1.0", &json!({})).await;
    reviewer.post(&format!("{REVIEW}/{second}/reject"), json!({ "notes": "Too loud." })).await.expect(200);
    let third = studio.version(id, "1.2.0", &json!({})).await;
    reviewer.post(&format!("{REVIEW}/{third}/publish"), json!({})).await.expect(200);
    reviewer.post(&format!("{REVIEW}/{third}/publish"), json!({})).await.refused_with("CONFLICT");

    let notified = listed(&studio.person).await;
    let messages: Vec<&str> = notified.iter().map(|item| item["message"].as_str().unwrap()).collect();
    assert_eq!(
        messages,
        [
            "Version 1.2.0 was published.",
            "Version 1.1.0 was rejected. Notes: Too loud.",
            "Version 1.0.0 was approved for testing.",
        ]
    );
    assert_eq!(
        (&notified[1]["type"], &notified[1]["title"]),
        (&json!("extension_review"), &json!("Greeter: rejected"))
    );
    let data = json!({ "extensionId": id, "version": "1.1.0", "decision": "rejected" });
    assert_eq!(notified[1]["data"], data);
    assert_eq!(waiting_mails(&app, studio.person.user_id).await, 3);
    assert!(listed(&reviewer).await.is_empty());
    app.stop().await;
}

#[tokio::test]
async fn developers_are_notified_once_of_paused_triggers() {
    let app = TestApp::start().await;
    let (owner, system) = (app.owner().await, app.system_key().await);
    let install_id = install(&app, &owner, &[]).await;
    let developer: Uuid = {
        use shared::schema::{developer_profiles, extensions};
        let mut db = app.databases.postgres.get().await.unwrap();
        extension_installs::table
            .inner_join(extensions::table.inner_join(developer_profiles::table))
            .filter(extension_installs::id.eq(install_id))
            .select(developer_profiles::user_id)
            .first(&mut *db)
            .await
            .unwrap()
    };
    let record = |error_type: &str| {
        json!({ "id": id::new(), "install_id": install_id, "handler": "hello", "error_type": error_type,
            "message": "m", "stack_trace": null, "occurred_at": app.clock.now() })
    };
    let batch = json!({ "errors": [record("TypeError"), record("CIRCUIT_OPEN")] });
    for _ in 0..3 {
        // A worker that did not receive the answer sends its batch again.
        let stored = system.post("/v1/internal/telemetry", batch.clone()).await;
        assert!((200..300).contains(&stored.status), "{}", stored.text);
    }
    let developer = app.session(developer, owner.account_id).await;
    let notified = listed(&developer).await;
    assert_eq!(notified.len(), 1, "{notified:?}");
    assert_eq!(
        (&notified[0]["type"], &notified[0]["data"]["installId"]),
        (&json!("extension_error"), &json!(install_id))
    );
    app.stop().await;
}
