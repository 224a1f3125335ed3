//! The channel `automations:{account_id}` (reference/automations.md#events).

use foundation::events::Channel;
use lumio_tests::{
    SocketRequest, TestApp,
    world::{eventually, published, workers},
};
use lumio_worker::Daemon;
use serde_json::{Value, json};

use crate::common::{enable, path, ready};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn automation_updated_is_published_for_every_change() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let ready = ready(&owner).await;
    enable(&owner, ready.id).await.expect(200);
    owner.delete(&path(ready.id)).await.expect(204);
    let running = workers(&app, &[Daemon::Outbox]).await;
    let channel = Channel::Automations(owner.account_id).to_string();
    eventually("four changes are published", async || published(&app, &channel).await.len() == 4).await;
    let mut found: Vec<Value> =
        published(&app, &channel).await.into_iter().map(|event| event["data"].clone()).collect();
    let change = |action: &str, version: i32| json!({ "action": action, "automation_id": ready.id, "version": version });
    let mut expected =
        vec![change("created", 1), change("updated", 2), change("updated", 2), change("deleted", 2)];
    for list in [&mut found, &mut expected] {
        list.sort_by_key(Value::to_string);
    }
    assert_eq!(found, expected);
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn automations_channel_needs_permission_and_feature() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let channel = format!("automations:{}", owner.account_id);
    let subscribe = json!({ "type": "subscribe", "channel": channel });
    let mut client = SocketRequest::to(app.url()).bearer(owner.token()).connect().await;
    client.subscribe(&channel).await;
    let member = app.member_with(owner.account_id, &["chat:read"]).await;
    let mut client = SocketRequest::to(app.url()).bearer(member.token()).connect().await;
    assert_eq!(client.error_of(subscribe.clone()).await, "UNAUTHORIZED");
    app.override_feature(owner.account_id, "feature:automations", false).await;
    let mut client = SocketRequest::to(app.url()).bearer(owner.token()).connect().await;
    assert_eq!(client.error_of(subscribe).await, "FEATURE_DISABLED");
    app.stop().await;
}
