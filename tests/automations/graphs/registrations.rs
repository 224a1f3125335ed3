//! Registrations of trigger nodes of extensions (reference/automations.md#registrations).

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Bool, Integer, Jsonb, Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use lumio_tests::TestApp;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::common::{create, enable, id_of, installed_node, node, problems, put};

#[derive(Debug, PartialEq, QueryableByName)]
struct Registration {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    install_id: Uuid,
    #[diesel(sql_type = Text)]
    mode: String,
    #[diesel(sql_type = Integer)]
    poll_interval_seconds: i32,
    #[diesel(sql_type = Jsonb)]
    config: Value,
    #[diesel(sql_type = Bool)]
    enabled: bool,
}

async fn registrations(app: &TestApp, automation: Uuid) -> Vec<Registration> {
    let mut db = app.databases.postgres.get().await.unwrap();
    let sql = "SELECT id, install_id, mode, poll_interval_seconds, config, enabled
        FROM automation_trigger_registrations WHERE automation_id = $1 ORDER BY created_at, id";
    sql_query(sql).bind::<SqlUuid, _>(automation).load(&mut *db).await.unwrap()
}

fn extension(id: Uuid, install: Uuid, config: Value) -> Value {
    let mut extension = node(id, "extension", config);
    extension["install_id"] = json!(install);
    extension
}

#[tokio::test]
async fn update_automation_graph_keeps_the_registrations_of_its_trigger_nodes() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let declared = json!({ "node_type": "trigger", "trigger_mode": "both", "poll_interval_seconds": 60 });
    let install = installed_node(&app, &owner, declared).await;
    let action = installed_node(&app, &owner, json!({ "node_type": "action" })).await;
    let (id, trigger) = (id_of(&create(&owner, "Shop").await), Uuid::now_v7());
    let nodes =
        [extension(trigger, install, json!({ "shop": "a" })), extension(Uuid::now_v7(), action, json!({}))];
    let saved = put(&owner, id, 1, &nodes, &[]).await;
    assert_eq!(saved.data()["trigger_types"], json!(["extension"]));
    let first = registrations(&app, id).await;
    let expected = Registration {
        id: first[0].id,
        install_id: install,
        mode: "both".to_owned(),
        poll_interval_seconds: 60,
        config: json!({ "shop": "a" }),
        enabled: true,
    };
    assert_eq!(first, [expected]);
    let webhook = format!("/v1/automation/webhooks/{install}/{id}");
    let secret = owner.get(&webhook).await.data()["webhook_secret"].clone();

    put(&owner, id, 2, &[], &[]).await.expect(200);
    let removed = registrations(&app, id).await;
    assert_eq!((removed.len(), removed[0].enabled), (1, false), "the row is kept");

    put(&owner, id, 3, &[extension(trigger, install, json!({ "shop": "b" }))], &[]).await.expect(200);
    let again = registrations(&app, id).await;
    assert_eq!((again[0].id, again[0].enabled), (first[0].id, true));
    assert_eq!(again[0].config, json!({ "shop": "b" }));
    assert_eq!(owner.get(&webhook).await.data()["webhook_secret"], secret, "the secret comes back");

    let other =
        installed_node(&app, &owner, json!({ "node_type": "trigger", "trigger_mode": "webhook" })).await;
    put(&owner, id, 4, &[extension(trigger, other, json!({}))], &[]).await.expect(200);
    let moved = registrations(&app, id).await;
    assert_eq!((moved[0].id, moved[0].install_id, moved[0].mode.as_str()), (first[0].id, other, "webhook"));
    let webhook = format!("/v1/automation/webhooks/{other}/{id}");
    assert_ne!(
        owner.get(&webhook).await.data()["webhook_secret"],
        secret,
        "another install has another secret"
    );
    app.stop().await;
}

#[tokio::test]
async fn update_automation_refuses_a_second_webhook_of_an_install() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for (mode, is_refused) in [("webhook", true), ("both", true), ("polling", false)] {
        let declared = json!({ "node_type": "trigger", "trigger_mode": mode });
        let install = installed_node(&app, &owner, declared).await;
        let id = id_of(&create(&owner, mode).await);
        let nodes = [Uuid::now_v7(), Uuid::now_v7()].map(|node| extension(node, install, json!({})));
        put(&owner, id, 1, &nodes, &[]).await.expect(200);
        let answer = enable(&owner, id).await;
        if is_refused {
            answer.refused("VALIDATION_ERROR", "Graph is not valid");
            assert_eq!(answer.body["details"]["nodes"][0]["node_id"], nodes[1]["id"]);
            assert_eq!(problems(&answer), ["Another node has the webhook of the install"]);
        } else {
            answer.expect(200);
        }
    }
    app.stop().await;
}
