//! Bot modules that the plan of the account includes or excludes (reference/bots.md#bot-modules).

use lumio_tests::{Caller, TestApp, both_refused};
use serde_json::{Value, json};

use super::{path, update_over_graphql};

/// Install of a built-in module in the list of the account's installs.
async fn install_of(owner: &Caller, id: &str) -> Value {
    owner.get(&format!("/v1/extension-installs/{id}")).await.expect(200)["data"].clone()
}

#[tokio::test]
async fn update_bot_module_refuses_a_module_that_the_plan_excludes() {
    let app = TestApp::start().await;
    let (free, pro) = (app.owner_on("free").await, app.owner_on("pro").await);
    let mut db = app.databases.postgres.get().await.unwrap();
    extension_model::system::install(&mut db, Some(free.account_id)).await.unwrap();
    drop(db);
    let locked = |key: &str| {
        format!("Feature is disabled: {key} is not part of the account's plan; another plan may include it")
    };
    let input = json!({ "enabled": true, "config": { "words": ["spoon"] } });
    both_refused(
        &free.put(&path("word_filter"), input.clone()).await,
        &update_over_graphql(&free, "word_filter", &input).await,
        403,
        "FEATURE_DISABLED",
        &locked("feature:bot_modules"),
    );
    let listed = free.get("/v1/extension-installs").await.data().as_array().unwrap().clone();
    let module = listed.iter().find(|install| install["extension_slug"] == "system-word-filter").unwrap();
    assert_eq!(module["effective"], json!({ "runs": false, "reason": "plan_locked" }));
    assert!(module["config_schema"]["words"].is_object(), "{module}");
    assert_eq!(module["effective_config"]["words"], module["config_schema"]["words"]["default"], "{module}");
    let id = module["id"].as_str().unwrap();
    let install = format!("/v1/extension-installs/{id}");
    let refused = free.patch(&install, json!({ "enabled": true })).await;
    let document =
        "mutation($id: UUID!) { configureExtension(id: $id, input: { enabled: true }) { enabled } }";
    both_refused(
        &refused,
        &free.graphql(document, json!({ "id": id })).await,
        403,
        "FEATURE_DISABLED",
        &locked("feature:bot_modules"),
    );
    assert_eq!(refused.body["details"], json!({ "feature": "feature:bot_modules", "reason": "plan_locked" }));
    assert_eq!(install_of(&free, id).await["enabled"], false, "nothing was changed");
    // A module that does not run can be disabled.
    free.patch(&install, json!({ "enabled": false })).await.expect(200);

    pro.put(&path("word_filter"), input).await.expect(200);
    let id = pro.get(&path("word_filter")).await.data()["install_id"].as_str().unwrap().to_owned();
    assert_eq!(install_of(&pro, &id).await["effective"], json!({ "runs": true, "reason": null }));
    app.override_feature(pro.account_id, "bot_module:word_filter", false).await;
    assert_eq!(
        install_of(&pro, &id).await["effective"],
        json!({ "runs": false, "reason": "account_override" })
    );
    app.override_feature(pro.account_id, "bot_module:word_filter", true).await;
    pro.patch(&format!("/v1/extension-installs/{id}"), json!({ "enabled": false })).await.expect(200);
    assert_eq!(install_of(&pro, &id).await["effective"], json!({ "runs": false, "reason": "disabled" }));
}

#[tokio::test]
async fn create_account_uses_the_configured_default_plan() {
    let app = TestApp::builder().with("LUMIO_DEFAULT_PLAN", "enterprise").start().await;
    let owner = app.owner_on("enterprise").await;
    let body = json!({ "name": "Second" });
    let created = owner.post("/v1/accounts", body).await;
    assert_eq!(created.expect(201)["data"]["plan"]["slug"], "enterprise", "{}", created.text);
}
