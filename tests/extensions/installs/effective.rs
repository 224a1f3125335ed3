//! Effective state of installs, as callers and workers read it (reference/extensions.md#effective-state).

use diesel::{
    sql_query,
    sql_types::{Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use lumio_tests::{DEADLINE, TestApp};
use serde_json::{Value, json};

use crate::{ASKED, greeter, id_of, install, reviewer};

#[tokio::test]
async fn extension_install_shows_whether_it_runs_as_workers_see_it() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner, system) =
        (app.studio().await, reviewer(&app).await, app.owner().await, app.system_key().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let id = id_of(&install(&owner, extension, &ASKED, &json!({})).await);
    let path = format!("/v1/extension-installs/{id}");
    let is_answered = async |reason: Value| {
        let document = "query($id: UUID!) { extensionInstall(id: $id) { effective { runs reason } } }";
        let one = owner.get(&path).await.data()["effective"].clone();
        assert_eq!(one, json!({ "runs": reason.is_null(), "reason": reason }));
        assert_eq!(owner.get("/v1/extension-installs").await.data()[0]["effective"], one);
        let gql = owner.graphql(document, json!({ "id": id })).await.field("extensionInstall");
        let upper = reason.as_str().map(str::to_uppercase);
        assert_eq!(gql["effective"], json!({ "runs": reason.is_null(), "reason": upper }));
        let handlers = system.get(&format!("/v1/internal/bot-modules/handlers?install_id={id}")).await;
        assert_eq!(handlers.expect(200)["installs"][0]["enabled"], reason.is_null(), "as the workers see it");
    };
    is_answered(Value::Null).await;
    owner.patch(&path, json!({ "enabled": false })).await.data();
    is_answered(json!("disabled")).await;
    owner.post("/v1/bot-modules/kill", json!({ "install_id": id })).await.expect(204);
    is_answered(json!("killed")).await;
    owner.patch(&path, json!({ "enabled": true })).await.data();
    is_answered(Value::Null).await;
    let mut db = app.databases.postgres.get().await.unwrap();
    for (table, status, reason) in [
        ("extension_versions", "revoked", "version_withdrawn"),
        ("extension_versions", "rejected", "version_withdrawn"),
        ("extensions", "suspended", "suspended"),
    ] {
        let column = if table == "extensions" { "id" } else { "extension_id" };
        let set = format!("UPDATE {table} SET status = $1 WHERE {column} = $2");
        sql_query(set).bind::<Text, _>(status).bind::<SqlUuid, _>(extension).execute(&mut *db).await.unwrap();
        is_answered(json!(reason)).await;
    }
    drop(db);
    let document = json!({ "extension_id": extension, "granted_permissions": ASKED });
    let other = app.owner().await;
    app.override_feature(other.account_id, "feature:extensions", false).await;
    other.post("/v1/extension-installs", document).await.refused_with("FEATURE_DISABLED");
}

#[tokio::test]
async fn internal_bot_module_triggers_omits_killed_installs_until_enabled() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner, system) =
        (app.studio().await, reviewer(&app).await, app.owner().await, app.system_key().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let id = id_of(&install(&owner, extension, &ASKED, &json!({})).await);
    let triggers = format!("/v1/internal/bot-modules/{}/triggers", owner.account_id);
    assert_eq!(system.get(&triggers).await.expect(200)["installs"].as_array().unwrap().len(), 1);

    let (mut channel, mut messages) = app.state.redis.subscription().await.unwrap();
    let key = |channel: String| app.state.redis.key(channel);
    let of_account = key(format!("bot_modules:{}", owner.account_id));
    channel.subscribe(&[of_account, key("bot_modules".to_owned())]).await.unwrap();
    assert_eq!(owner.post("/v1/bot-modules/kill", json!({ "install_id": id })).await.status, 204);
    let mut frames = std::collections::BTreeMap::new();
    for _ in 0..2 {
        let message = tokio::time::timeout(DEADLINE, messages.next()).await.unwrap().unwrap();
        let frame: Value = serde_json::from_slice(message.get_payload_bytes()).unwrap();
        frames.insert(frame.get("account_id").is_some(), frame);
    }
    assert_eq!(frames[&false], json!({ "type": "kill", "install_id": id }), "on the channel of the account");
    let with_account = json!({ "type": "kill", "install_id": id, "account_id": owner.account_id });
    assert_eq!(frames[&true], with_account, "on the channel of all");
    assert_eq!(system.get(&triggers).await.expect(200), &json!({ "installs": [], "killed": false }));
    let handlers = system.get(&format!("/v1/internal/bot-modules/handlers?install_id={id}")).await;
    assert_eq!(handlers.expect(200)["installs"][0]["enabled"], false);
    assert_eq!(owner.get(&format!("/v1/extension-installs/{id}")).await.data()["enabled"], false);

    let lifted = owner.patch(&format!("/v1/extension-installs/{id}"), json!({ "enabled": true })).await;
    assert_eq!(lifted.data()["enabled"], true);
    assert_eq!(system.get(&triggers).await.expect(200)["installs"].as_array().unwrap().len(), 1);
    let again = owner.mutate("killBotModule", &json!({ "install_id": id }), "").await;
    assert_eq!(again.field("killBotModule"), json!(true));
}
