//! Bot modules (reference/bots.md#bot-modules).

mod kill;
mod plans;
mod settings;

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Bool, Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, DEADLINE, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::column;

const MODULES: &str = "/v1/bot-modules";
const MODULE: &str =
    "{ source name installId enabled config exemptRoles { moderator vip subscriber } killed }";
const NAMES: [&str; 4] = ["link_protection", "spam_protection", "word_filter", "timed_messages"];
const UNKNOWN: &str = "name must be one of link_protection, spam_protection, word_filter, timed_messages";

fn path(name: &str) -> String {
    format!("{MODULES}/{name}")
}

async fn update_over_graphql(caller: &Caller, name: &str, input: &Value) -> Answer {
    let document = format!(
        "mutation($name: String!, $input: UpdateBotModuleInput!) {{
            updateBotModule(name: $name, input: $input) {MODULE} }}"
    );
    let mut camel = json!({ "enabled": input["enabled"], "config": input["config"] });
    if let Some(exempt) = input.get("exempt_roles") {
        camel["exemptRoles"] = exempt.clone();
    }
    caller.graphql(&document, json!({ "name": name, "input": camel })).await
}

async fn delete_over_graphql(caller: &Caller, name: &str) -> Answer {
    let document = "mutation($name: String!) { deleteBotModule(name: $name) }";
    caller.graphql(document, json!({ "name": name })).await
}

#[derive(Debug, PartialEq, QueryableByName)]
struct Install {
    #[diesel(sql_type = Text)]
    slug: String,
    #[diesel(sql_type = Bool)]
    enabled: bool,
}

#[tokio::test]
async fn bot_modules_of_a_new_account_are_the_built_in_ones_disabled() {
    let app = TestApp::start().await;
    let user = app.user("new").await;
    let mut db = app.databases.postgres.get().await.unwrap();
    let new = account_model::accounts::NewAccount {
        name: "New",
        description: None,
        owner: user.into(),
        primary_login_connection: None,
        plan: "free",
    };
    let account =
        account_model::accounts::create_with_default_roles(&mut db, &new, app.clock.now()).await.unwrap();
    let installs = async |db: &mut _| -> Vec<Install> {
        sql_query(
            "SELECT slug, enabled FROM extension_installs JOIN extensions ON extensions.id = extension_id
             WHERE account_id = $1 AND category = 'bot_module' ORDER BY extension_installs.created_at",
        )
        .bind::<SqlUuid, _>(account.uuid())
        .load(db)
        .await
        .unwrap()
    };
    let slugs = NAMES.map(|name| format!("system-{}", name.replace('_', "-")));
    let expected = slugs.map(|slug| Install { slug, enabled: false });
    assert_eq!(installs(&mut *db).await, expected);
    // Seeding again installs nothing twice, and installs the modules in accounts that lack them.
    let old = app.owner().await;
    drop(db);
    lumio_api::seeds::apply(&app.databases.postgres).await.unwrap();
    lumio_api::seeds::apply(&app.databases.postgres).await.unwrap();
    let mut db = app.databases.postgres.get().await.unwrap();
    assert_eq!(installs(&mut *db).await, expected);
    drop(db);
    let listed = old.get(MODULES).await.data().clone();
    assert!(listed.as_array().unwrap().iter().all(|module| module["install_id"].is_string()), "{listed}");
    let install = listed[0]["install_id"].as_str().unwrap();
    let rest = old.delete(&format!("/v1/extension-installs/{install}")).await;
    let document = "mutation($id: UUID!) { uninstallExtension(id: $id) }";
    let graphql = old.graphql(document, json!({ "id": install })).await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "System extensions cannot be uninstalled");
}

#[tokio::test]
async fn delete_bot_module_and_update_agree_on_both_protocols() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (mut channel, mut messages) = app.state.redis.subscription().await.unwrap();
    let control = app.state.redis.key(format!("bot_modules:{}", owner.account_id));
    let events = app.state.events.topic(&format!("extensions:{}", owner.account_id));
    channel.subscribe(&[&control, &events]).await.unwrap();

    let listed = owner.get(MODULES).await.data().clone();
    assert_eq!(column(&listed, "name"), NAMES);
    let links = &listed[0];
    assert_eq!(
        (&links["source"], &links["enabled"], &links["killed"]),
        (&json!("builtin"), &json!(false), &json!(false))
    );
    assert_eq!(links["exempt_roles"], json!({ "moderator": true, "vip": false, "subscriber": false }));
    assert_eq!(links["config"]["permit_secs"], 60);
    assert_eq!(links["config"]["action"], "delete");
    let graphql = owner.graphql(&format!("{{ botModules {MODULE} }}"), json!({})).await;
    assert_eq!(column(&graphql.field("botModules"), "name"), NAMES);

    let input = json!({
        "enabled": true,
        "config": { "action": "timeout", "allowed_domains": ["example.com"], "timeout_secs": 30 },
        "exempt_roles": { "vip": true },
    });
    let set = owner.put(&path("link_protection"), input).await.data().clone();
    assert_eq!(
        (&set["enabled"], &set["config"]["timeout_secs"], &set["config"]["warn_message"]),
        (&json!(true), &json!(30), &json!("Please do not post links here."))
    );
    assert_eq!(set["exempt_roles"], json!({ "moderator": false, "vip": true, "subscriber": false }));
    assert_eq!(owner.get(&path("link_protection")).await.data(), &set);
    let next = async |messages: &mut foundation::redis::Messages| -> Value {
        let message = tokio::time::timeout(DEADLINE, messages.next()).await.unwrap().unwrap();
        serde_json::from_slice(message.get_payload_bytes()).unwrap()
    };
    assert_eq!(next(&mut messages).await, json!({ "type": "refresh" }));
    let event = next(&mut messages).await;
    assert_eq!(
        (&event["event_type"], &event["data"]["id"], &event["data"]["enabled"]),
        (&json!("install:updated"), &set["install_id"], &json!(true))
    );

    let message = json!({ "text": "hi", "interval_secs": 60, "min_chat_lines": 2, "platforms": ["twitch"] });
    let input = json!({ "enabled": true, "config": { "messages": [message], "rotate": true } });
    let timed = update_over_graphql(&owner, "timed_messages", &input).await.field("updateBotModule");
    assert_eq!((&timed["source"], &timed["config"]["rotate"]), (&json!("BUILTIN"), &json!(true)));
    let query = format!("query($name: String!) {{ botModule(name: $name) {MODULE} }}");
    let read = owner.graphql(&query, json!({ "name": "timed_messages" })).await.field("botModule");
    assert_eq!(read["config"]["messages"][0]["interval_secs"], 60);

    let entry = &app.audited("bot_module:updated").await[0];
    assert_eq!((entry.account_id, entry.actor_id), (Some(owner.account_id), Some(owner.user_id)));
    assert_eq!(entry.metadata, json!({ "name": "link_protection", "enabled": true }));

    owner.delete(&path("link_protection")).await.expect(204);
    let given_up = owner.get(&path("link_protection")).await.data().clone();
    assert_eq!((&given_up["enabled"], &given_up["config"]), (&json!(false), &links["config"]));
    assert_eq!(given_up["install_id"], set["install_id"], "it stays installed");
    assert_eq!(delete_over_graphql(&owner, "timed_messages").await.field("deleteBotModule"), true);
    assert_eq!(app.audited("bot_module:deleted").await.len(), 2);
}

#[tokio::test]
async fn bot_module_and_its_changes_need_permission_feature_and_flag() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let reader = app.member_with(owner.account_id, &["bot-modules:read"]).await;
    let input = json!({ "enabled": true, "config": {} });
    assert_eq!(reader.get(MODULES).await.data().as_array().unwrap().len(), 4);
    both_refused(
        &reader.put(&path("word_filter"), input.clone()).await,
        &update_over_graphql(&reader, "word_filter", &input).await,
        403,
        "FORBIDDEN",
        "Missing permission: bot-modules:edit",
    );
    app.override_feature(owner.account_id, "bot_module:word_filter", false).await;
    both_refused(
        &owner.put(&path("word_filter"), input.clone()).await,
        &update_over_graphql(&owner, "word_filter", &input).await,
        403,
        "FEATURE_DISABLED",
        "Feature is disabled: bot_module:word_filter",
    );
    owner.put(&path("link_protection"), input.clone()).await.data();
    // Reading and deleting need only the feature of bot modules.
    owner.get(&path("word_filter")).await.data();
    owner.delete(&path("word_filter")).await.expect(204);
    app.override_feature(owner.account_id, "feature:bot_modules", false).await;
    both_refused(
        &owner.get(MODULES).await,
        &owner.graphql("{ botModules { name } }", json!({})).await,
        403,
        "FEATURE_DISABLED",
        "Feature is disabled: feature:bot_modules",
    );
}

#[tokio::test]
async fn bot_modules_lists_those_of_extensions_after_the_built_in_ones() {
    let app = TestApp::start().await;
    let (studio, owner) = (app.studio().await, app.owner().await);
    let reviewer = app.admin_with(&["extension-review:read", "extension-review:edit"]).await;
    let extension = studio.public_extension("Greeter").await;
    let version: Uuid = studio.version(extension, "1.0.0", &json!({})).await;
    reviewer.post(&format!("/v1/admin/extension-versions/{version}/publish"), json!({})).await.data();
    let body = json!({ "extension_id": extension, "granted_permissions": ["chat:read", "chat:send"] });
    let install = owner.post("/v1/extension-installs", body).await.data()["id"].clone();
    let listed = owner.get(MODULES).await.data().clone();
    let names = column(&listed, "name");
    assert_eq!(names[..4], NAMES);
    let last = &listed[4];
    assert_eq!(
        (&last["source"], &last["name"], &last["install_id"], &last["enabled"]),
        (&json!("extension"), &json!("Greeter"), &install, &json!(true))
    );
    assert_eq!(last["exempt_roles"], json!({ "moderator": false, "vip": false, "subscriber": false }));
}
