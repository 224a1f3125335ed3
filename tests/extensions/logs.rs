//! Log of an install (reference/extensions.md#logs).

use chrono::Duration;
use lumio_tests::{TestApp, both_refused};
use serde_json::json;
use uuid::Uuid;

use super::{ASKED, greeter, id_of, install, reviewer};

const LOGS: &str = "query($id: UUID!, $limit: Int, $level: InstallLogLevel) {
    extensionInstallLogs(id: $id, limit: $limit, level: $level) { id level message triggerType executionMs createdAt } }";

#[tokio::test]
async fn extension_install_logs_lists_the_newest_first_and_by_level() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner, system) =
        (app.studio().await, reviewer(&app).await, app.owner().await, app.system_key().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let id = id_of(&install(&owner, extension, &ASKED, &json!({})).await);
    let path = format!("/v1/extension-installs/{id}/logs");
    assert_eq!(owner.get(&path).await.expect(200), &json!({ "data": [], "_links": { "self": path } }));

    let now = app.clock.now();
    let line = |level: &str, message: &str, ago: i64| {
        json!({ "id": Uuid::now_v7(), "install_id": id, "level": level, "message": message, "trigger_type": "command",
                "execution_ms": 3, "created_at": now - Duration::seconds(ago) })
    };
    let batch =
        json!({ "logs": [line("info", "first", 3), line("error", "second", 2), line("warn", "third", 1)] });
    system.post("/v1/internal/telemetry", batch).await.expect(202);

    let lines = owner.get(&path).await.data().clone();
    assert_eq!(
        lines.as_array().unwrap().iter().map(|line| &line["message"]).collect::<Vec<_>>(),
        ["third", "second", "first"]
    );
    assert_eq!(
        (&lines[1]["level"], &lines[1]["trigger_type"], &lines[1]["execution_ms"]),
        (&json!("error"), &json!("command"), &json!(3))
    );
    assert_eq!(owner.get(&format!("{path}?level=error")).await.data(), &json!([lines[1]]));
    assert_eq!(owner.get(&format!("{path}?limit=1&offset=2")).await.data(), &json!([lines[2]]));
    let twin = owner.graphql(LOGS, json!({ "id": id, "level": "ERROR" })).await.field("extensionInstallLogs");
    assert_eq!((&twin[0]["message"], &twin[0]["level"]), (&json!("second"), &json!("ERROR")));

    for (query, variables, message) in [
        ("limit=0", json!({ "id": id, "limit": 0 }), "limit must be between 1 and 200"),
        ("limit=201", json!({ "id": id, "limit": 201 }), "limit must be between 1 and 200"),
    ] {
        let rest = owner.get(&format!("{path}?{query}")).await;
        both_refused(&rest, &owner.graphql(LOGS, variables).await, 400, "VALIDATION_ERROR", message);
    }
    owner.get(&format!("{path}?level=debug")).await.refused_with("VALIDATION_ERROR");
    let member = app.member_with(owner.account_id, &["extension-store:read"]).await;
    both_refused(
        &member.get(&path).await,
        &member.graphql(LOGS, json!({ "id": id })).await,
        403,
        "FORBIDDEN",
        "Missing permission: bot-modules:read",
    );
}
