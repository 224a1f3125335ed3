//! Kill switch of bot modules (reference/bots.md#kill-switch).

use lumio_tests::{Caller, DEADLINE, TestApp, both_refused};
use serde_json::{Value, json};

use super::path;

#[tokio::test]
async fn kill_bot_module_disables_it_in_every_feed_until_enabled_again() {
    let app = TestApp::start().await;
    let (owner, other, system) = (app.owner().await, app.owner().await, app.system_key().await);
    let message = json!({ "text": "hi", "interval_secs": 60 });
    for (name, config) in
        [("word_filter", json!({ "words": ["darn"] })), ("timed_messages", json!({ "messages": [message] }))]
    {
        owner.put(&path(name), json!({ "enabled": true, "config": config })).await.data();
    }
    let words = owner.get(&path("word_filter")).await.data()["install_id"].as_str().unwrap().to_owned();
    let triggers = format!("/v1/internal/bot-modules/{}/triggers", owner.account_id);
    let feed = system.get(&triggers).await.expect(200).clone();
    let running = feed["installs"].as_array().unwrap();
    assert_eq!(running.len(), 2, "{feed}");
    assert_eq!(running[0]["filter"], json!({ "words": ["darn"], "patterns": [], "whole_words": true }));
    assert_eq!(running[0]["exempt_roles"], json!(["moderator", "broadcaster"]));
    assert_eq!(running[1]["timers"][0]["interval_secs"], 60);

    let kill = json!({ "install_id": words });
    let killed_over_graphql = async |caller: &Caller| {
        let document = "mutation($input: KillBotModuleInput!) { killBotModule(input: $input) }";
        caller.graphql(document, json!({ "input": { "installId": words } })).await
    };
    both_refused(
        &other.post("/v1/bot-modules/kill", kill.clone()).await,
        &killed_over_graphql(&other).await,
        404,
        "NOT_FOUND",
        "Extension install not found",
    );
    let (mut channel, mut messages) = app.state.redis.subscription().await.unwrap();
    let control = app.state.redis.key(format!("bot_modules:{}", owner.account_id));
    let events = app.state.events.topic(&format!("extensions:{}", owner.account_id));
    channel.subscribe(&[&control, &events]).await.unwrap();
    owner.post("/v1/bot-modules/kill", kill).await.expect(204);
    let mut next = async || -> Value {
        let message = tokio::time::timeout(DEADLINE, messages.next()).await.unwrap().unwrap();
        serde_json::from_slice(message.get_payload_bytes()).unwrap()
    };
    assert_eq!(next().await, json!({ "type": "kill", "install_id": words }));
    let event = next().await;
    assert_eq!(
        (&event["event_type"], &event["data"]),
        (&json!("bot_module:killed"), &json!({ "install_id": words }))
    );
    let module = owner.get(&path("word_filter")).await.data().clone();
    assert_eq!((&module["killed"], &module["enabled"]), (&json!(true), &json!(false)));
    assert_eq!(module["config"]["words"], json!(["darn"]), "the settings are kept");
    let handlers = format!("/v1/internal/bot-modules/handlers?install_id={words}");
    assert_eq!(system.get(&handlers).await.expect(200)["installs"][0]["enabled"], false);
    assert_eq!(system.get(&triggers).await.expect(200)["installs"].as_array().unwrap().len(), 1);

    // Updating the module does not lift the kill; enabling the install does.
    owner.put(&path("word_filter"), json!({ "enabled": true, "config": {} })).await.data();
    assert_eq!(owner.get(&path("word_filter")).await.data()["killed"], true);
    owner.patch(&format!("/v1/extension-installs/{words}"), json!({ "enabled": true })).await.data();
    let module = owner.get(&path("word_filter")).await.data().clone();
    assert_eq!((&module["killed"], &module["enabled"]), (&json!(false), &json!(true)));
    assert_eq!(killed_over_graphql(&owner).await.field("killBotModule"), true);
    assert_eq!(app.audited("bot_module:killed").await.len(), 2);
}
