//! Global commands and their overrides by accounts (reference/bots.md#global-commands).

use lumio_tests::{DEADLINE, Person, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{COMMAND, act, column, id_of, mutate};

const ADMIN: &str = "/v1/admin/bot-commands";
const GLOBAL: &str = "/v1/bot-commands/global";

async fn operator(app: &TestApp) -> Person {
    app.admin_with(&["bot-commands:read", "bot-commands:create", "bot-commands:edit", "bot-commands:delete"])
        .await
}

fn path(id: Uuid) -> String {
    format!("{GLOBAL}/{id}/override")
}

async fn override_over_graphql(person: &Person, id: Uuid, input: &Value) -> lumio_tests::Answer {
    mutate(person, "overrideGlobalCommand", "OverrideGlobalCommandInput", Some(id), input).await
}

#[tokio::test]
async fn admin_create_bot_command_agrees_on_both_protocols() {
    let app = TestApp::start().await;
    let (operator, owner) = (operator(&app).await, app.owner().await);
    let (mut channel, mut messages) = app.state.redis.subscription().await.unwrap();
    channel.subscribe(&[app.state.redis.key("bot_modules:global")]).await.unwrap();

    let created = operator.post(ADMIN, json!({ "name": "lumio", "response": "lumio.example" })).await;
    assert_eq!(created.status, 201, "{}", created.text);
    assert_eq!((&created.data()["account_id"], &created.data()["use_count"]), (&Value::Null, &json!(0)));
    let message = tokio::time::timeout(DEADLINE, messages.next()).await.unwrap().unwrap();
    assert_eq!(message.get_payload_bytes(), br#"{"type":"refresh"}"#);

    let input = json!({ "name": "uptime", "response_type": "template", "response": "live for {uptime}" });
    let second = mutate(&operator, "adminCreateBotCommand", "CreateBotCommandInput", None, &input).await;
    assert_eq!(second.field("adminCreateBotCommand")["name"], "uptime");
    let taken = json!({ "name": "x", "aliases": ["uptime"], "response": "r" });
    both_refused(
        &operator.post(ADMIN, taken.clone()).await,
        &mutate(&operator, "adminCreateBotCommand", "CreateBotCommandInput", None, &taken).await,
        409,
        "CONFLICT",
        "Command uptime already exists",
    );
    let automation = json!({ "name": "x", "response_type": "automation", "automation_id": Uuid::nil() });
    both_refused(
        &operator.post(ADMIN, automation.clone()).await,
        &mutate(&operator, "adminCreateBotCommand", "CreateBotCommandInput", None, &automation).await,
        400,
        "VALIDATION_ERROR",
        "response_type must be text or template for a global command",
    );
    // An account's own command can have the name of a global one.
    owner.post("/v1/bot-commands", json!({ "name": "lumio", "response": "mine" })).await.data();
    let entries = app.audited("bot_command:created").await;
    assert_eq!(entries.len(), 3, "{entries:?}");
    assert_eq!((entries[0].scope.as_str(), entries[0].actor_id), ("system", Some(operator.user_id)));
}

#[tokio::test]
async fn admin_bot_commands_lists_by_scope_and_search() {
    let app = TestApp::start().await;
    let (operator, owner) = (operator(&app).await, app.owner().await);
    for (name, response) in [("uptime", "live"), ("lumio", "lumio.example")] {
        operator.post(ADMIN, json!({ "name": name, "response": response })).await.expect(201);
    }
    owner.post("/v1/bot-commands", json!({ "name": "lumio", "response": "mine" })).await.expect(201);
    assert_eq!(column(operator.get(ADMIN).await.data(), "name"), ["lumio", "uptime"]);
    let document = |arguments: &str| format!("{{ adminBotCommands{arguments} {{ items {COMMAND} total }} }}");
    let listed = operator.graphql(&document(""), json!({})).await.field("adminBotCommands");
    assert_eq!(column(&listed["items"], "name"), ["lumio", "uptime"]);
    assert_eq!(listed["total"], 2);
    for (query, arguments, expected) in [
        ("scope=account", "(scope: ACCOUNT)", vec![json!(owner.account_id)]),
        ("scope=account&search=UMI", "(scope: ACCOUNT, search: \"UMI\")", vec![json!(owner.account_id)]),
        ("scope=account&search=uptime", "(scope: ACCOUNT, search: \"uptime\")", vec![]),
        ("scope=global&search=mio", "(search: \"mio\")", vec![Value::Null]),
        ("search=%25", "(search: \"%\")", vec![]),
    ] {
        let owners = |page: &Value| -> Vec<Value> {
            page.as_array().unwrap().iter().map(|row| row["account_id"].clone()).collect()
        };
        assert_eq!(owners(operator.get(&format!("{ADMIN}?{query}")).await.data()), expected, "{query}");
        let page = operator.graphql(&document(arguments), json!({})).await.field("adminBotCommands");
        assert_eq!(owners(&page["items"]), expected, "{arguments}");
    }
    both_refused(
        &operator.get(&format!("{ADMIN}?search={}", "x".repeat(101))).await,
        &operator.graphql(&document(&format!("(search: \"{}\")", "x".repeat(101))), json!({})).await,
        400,
        "VALIDATION_ERROR",
        "search must be between 1 and 100 characters",
    );
    both_refused(
        &owner.get(ADMIN).await,
        &owner.graphql("{ adminBotCommands { total } }", json!({})).await,
        403,
        "FORBIDDEN",
        "Missing permission: bot-commands:read",
    );
}

#[tokio::test]
async fn admin_update_bot_command_changes_a_global_command_on_both_protocols() {
    let app = TestApp::start().await;
    let (operator, owner) = (operator(&app).await, app.owner().await);
    let id = id_of(&operator.post(ADMIN, json!({ "name": "lumio", "response": "lumio.example" })).await);
    let address = format!("{ADMIN}/{id}");
    let changed = operator.patch(&address, json!({ "aliases": ["lm"] })).await;
    assert_eq!(changed.data()["aliases"], json!(["lm"]));
    let input = json!({ "min_role": "vip" });
    let changed = mutate(&operator, "adminUpdateBotCommand", "UpdateBotCommandInput", Some(id), &input).await;
    assert_eq!(changed.field("adminUpdateBotCommand")["min_role"], "VIP");
    let entries = app.audited("bot_command:updated").await;
    assert_eq!(entries.len(), 2, "{entries:?}");
    assert_eq!((entries[0].scope.as_str(), entries[0].actor_id), ("system", Some(operator.user_id)));
    both_refused(
        &owner.patch(&address, input.clone()).await,
        &mutate(&owner, "adminUpdateBotCommand", "UpdateBotCommandInput", Some(id), &input).await,
        403,
        "FORBIDDEN",
        "Missing permission: bot-commands:edit",
    );
}

#[tokio::test]
async fn admin_delete_bot_command_removes_a_global_command_with_its_overrides() {
    let app = TestApp::start().await;
    let (operator, owner) = (operator(&app).await, app.owner().await);
    let id = id_of(&operator.post(ADMIN, json!({ "name": "lumio", "response": "r" })).await);
    let second = id_of(&operator.post(ADMIN, json!({ "name": "uptime", "response": "r" })).await);
    owner.put(&path(id), json!({ "enabled": false })).await.expect(200);
    let address = format!("{ADMIN}/{id}");
    both_refused(
        &owner.delete(&address).await,
        &act(&owner, "adminDeleteBotCommand", id).await,
        403,
        "FORBIDDEN",
        "Missing permission: bot-commands:delete",
    );
    operator.delete(&address).await.expect(204);
    assert_eq!(act(&operator, "adminDeleteBotCommand", second).await.field("adminDeleteBotCommand"), true);
    assert_eq!(owner.get(GLOBAL).await.data(), &json!([]));
    both_refused(
        &operator.delete(&address).await,
        &act(&operator, "adminDeleteBotCommand", id).await,
        404,
        "NOT_FOUND",
        "Bot command not found",
    );
    let entries = app.audited("bot_command:deleted").await;
    assert_eq!(entries.len(), 2, "{entries:?}");
    assert_eq!((entries[0].scope.as_str(), entries[0].actor_id), ("system", Some(operator.user_id)));
}

#[tokio::test]
async fn global_bot_commands_lists_by_name_with_the_overrides_of_the_account() {
    let app = TestApp::start().await;
    let (operator, owner, other) = (operator(&app).await, app.owner().await, app.owner().await);
    let uptime = id_of(&operator.post(ADMIN, json!({ "name": "uptime", "response": "live" })).await);
    operator.post(ADMIN, json!({ "name": "hello", "response": "hi" })).await.expect(201);
    owner.put(&path(uptime), json!({ "response": "on air" })).await.expect(200);
    let listed = owner.get(GLOBAL).await.data().clone();
    assert_eq!(column(&listed, "name"), ["hello", "uptime"]);
    assert_eq!(column(&listed, "response"), ["hi", "on air"]);
    assert_eq!((&listed[0]["is_override"], &listed[1]["is_override"]), (&json!(false), &json!(true)));
    let document = format!("{{ globalBotCommands {COMMAND} }}");
    let of_other = other.graphql(&document, json!({})).await.field("globalBotCommands");
    assert_eq!(column(&of_other, "response"), ["hi", "live"]);
    let member = app.member_with(owner.account_id, &["chat:read"]).await;
    both_refused(
        &member.get(GLOBAL).await,
        &member.graphql(&document, json!({})).await,
        403,
        "FORBIDDEN",
        "Missing permission: bot-commands:read",
    );
}

#[tokio::test]
async fn reset_command_override_restores_the_global_command() {
    let app = TestApp::start().await;
    let (operator, owner, other) = (operator(&app).await, app.owner().await, app.owner().await);
    let input = json!({ "name": "hello", "response": "hi", "min_role": "subscriber", "cooldown_user": 5 });
    let id = id_of(&operator.post(ADMIN, input).await);

    for (change, message) in [
        (json!({ "min_role": "follower" }), "min_role cannot be lower than that of the global command"),
        (json!({ "min_role": "everyone" }), "min_role cannot be lower than that of the global command"),
        (json!({ "response": "" }), "response must not be empty"),
        (json!({ "response": "x".repeat(501) }), "response must be between 0 and 500 characters"),
        (json!({ "platforms": [] }), "platforms must be some of twitch, youtube, kick, trovo, discord"),
        (json!({ "cooldown_global": 86_401 }), "cooldown_global must be between 0 and 86400"),
    ] {
        both_refused(
            &owner.put(&path(id), change.clone()).await,
            &override_over_graphql(&owner, id, &change).await,
            400,
            "VALIDATION_ERROR",
            message,
        );
    }
    let change = json!({ "response": "servus", "min_role": "subscriber", "cooldown_user": 0 });
    let overridden = owner.put(&path(id), change).await.data().clone();
    assert_eq!(
        (&overridden["response"], &overridden["is_override"], &overridden["cooldown_user"]),
        (&json!("servus"), &json!(true), &json!(0))
    );
    // The second override replaces the first as a whole.
    let change = json!({ "min_role": "moderator", "enabled": false });
    let overridden = override_over_graphql(&owner, id, &change).await.field("overrideGlobalCommand");
    assert_eq!(
        (&overridden["response"], &overridden["min_role"], &overridden["enabled"]),
        (&json!("hi"), &json!("MODERATOR"), &json!(false))
    );
    assert_eq!(app.audited("bot_command:overridden").await.len(), 2);

    let listed = owner.get(GLOBAL).await.data().clone();
    assert_eq!((&listed[0]["min_role"], &listed[0]["is_override"]), (&json!("moderator"), &json!(true)));
    let of_other = other.graphql(&format!("{{ globalBotCommands {COMMAND} }}"), json!({})).await;
    let of_other = of_other.field("globalBotCommands");
    assert_eq!(
        (&of_other[0]["min_role"], &of_other[0]["is_override"]),
        (&json!("SUBSCRIBER"), &json!(false))
    );
    // The global command becomes stricter than the override of the account.
    operator.patch(&format!("{ADMIN}/{id}"), json!({ "min_role": "broadcaster" })).await.data();
    assert_eq!(owner.get(GLOBAL).await.data()[0]["min_role"], "broadcaster");

    owner.delete(&path(id)).await.expect(204);
    assert_eq!(owner.get(GLOBAL).await.data()[0]["is_override"], false);
    both_refused(
        &owner.delete(&path(id)).await,
        &act(&owner, "resetCommandOverride", id).await,
        404,
        "NOT_FOUND",
        "Command override not found",
    );
    override_over_graphql(&owner, id, &json!({ "enabled": false })).await.field("overrideGlobalCommand");
    assert_eq!(act(&owner, "resetCommandOverride", id).await.field("resetCommandOverride"), true);
    let entry = &app.audited("bot_command:override_reset").await[0];
    assert_eq!((entry.account_id, entry.resource_id.clone()), (Some(owner.account_id), Some(id.to_string())));
}

#[tokio::test]
async fn override_global_command_does_not_find_own_commands() {
    let app = TestApp::start().await;
    let (operator, owner) = (operator(&app).await, app.owner().await);
    let own = id_of(&owner.post("/v1/bot-commands", json!({ "name": "own", "response": "r" })).await);
    let global = id_of(&operator.post(ADMIN, json!({ "name": "all", "response": "r" })).await);
    let change = json!({ "enabled": false });
    both_refused(
        &owner.put(&path(own), change.clone()).await,
        &override_over_graphql(&owner, own, &change).await,
        404,
        "NOT_FOUND",
        "Bot command not found",
    );
    owner
        .patch(&format!("/v1/bot-commands/{global}"), change.clone())
        .await
        .refused("NOT_FOUND", "Bot command not found");
    owner.delete(&format!("/v1/bot-commands/{global}")).await.expect(404);
    owner.get(&format!("/v1/bot-commands/{global}")).await.expect(404);
    operator.patch(&format!("{ADMIN}/{own}"), change.clone()).await.expect(404);
    operator.delete(&format!("{ADMIN}/{own}")).await.expect(404);
    let reader = app.member_with(owner.account_id, &["bot-commands:read"]).await;
    both_refused(
        &reader.put(&path(global), change.clone()).await,
        &override_over_graphql(&reader, global, &change).await,
        403,
        "FORBIDDEN",
        "Missing permission: bot-commands:edit",
    );
}
