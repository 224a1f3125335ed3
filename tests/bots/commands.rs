//! Bot commands of an account (reference/bots.md#bot-commands).

use lumio_tests::{DEADLINE, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{COMMAND, act, column, id_of, mutate};

const COMMANDS: &str = "/v1/bot-commands";

fn path(id: Uuid) -> String {
    format!("{COMMANDS}/{id}")
}

#[tokio::test]
async fn create_bot_command_and_read_and_update_agree_on_both_protocols() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (mut channel, mut messages) = app.state.redis.subscription().await.unwrap();
    channel.subscribe(&[app.state.redis.key(format!("bot_modules:{}", owner.account_id))]).await.unwrap();

    let created = owner.post(COMMANDS, json!({ "name": " discord ", "response": "example.com" })).await;
    assert_eq!(created.status, 201, "{}", created.text);
    let (id, command) = (id_of(&created), created.data().clone());
    assert_eq!(created.body["_links"]["self"], path(id));
    assert_eq!(command.as_object().unwrap().len(), 17);
    assert_eq!(
        (&command["name"], &command["account_id"], &command["response_type"], &command["min_role"]),
        (&json!("discord"), &json!(owner.account_id), &json!("text"), &json!("everyone"))
    );
    assert_eq!(command["platforms"], json!(["twitch", "youtube", "kick", "trovo", "discord"]));
    assert_eq!(
        (&command["enabled"], &command["use_count"], &command["is_override"], &command["automation_id"]),
        (&json!(true), &json!(0), &json!(false), &Value::Null)
    );
    let message = tokio::time::timeout(DEADLINE, messages.next()).await.unwrap().unwrap();
    assert_eq!(message.get_payload_bytes(), br#"{"type":"refresh"}"#);

    let input = json!({
        "name": "hug", "aliases": ["cuddle"], "description": "Hugs", "response_type": "template",
        "response": "{user} hugs {random:you,me}", "platforms": ["kick", "twitch", "kick"], "min_role": "vip",
        "cooldown_global": 86_400, "cooldown_user": 1, "enabled": false,
    });
    let hug = mutate(&owner, "createBotCommand", "CreateBotCommandInput", None, &input).await;
    let hug = hug.field("createBotCommand");
    assert_eq!((&hug["platforms"], &hug["min_role"]), (&json!(["twitch", "kick"]), &json!("VIP")));
    assert_eq!((&hug["cooldown_global"], &hug["response_type"]), (&json!(86_400), &json!("TEMPLATE")));

    assert_eq!(column(owner.get(COMMANDS).await.data(), "name"), ["discord", "hug"]);
    let listed = owner.graphql(&format!("{{ botCommands {COMMAND} }}"), json!({})).await;
    assert_eq!(column(&listed.field("botCommands"), "name"), ["discord", "hug"]);
    assert_eq!(owner.get(&path(id)).await.data(), &command);
    let query = format!("query($id: UUID!) {{ botCommand(id: $id) {COMMAND} }}");
    assert_eq!(owner.graphql(&query, json!({ "id": id })).await.field("botCommand")["name"], "discord");

    let changed = owner.patch(&path(id), json!({ "aliases": ["dc"], "min_role": "follower" })).await;
    assert_eq!(
        (&changed.data()["aliases"], &changed.data()["response"]),
        (&json!(["dc"]), &json!("example.com"))
    );
    let input = json!({ "response": "example.com/new", "min_role": "moderator" });
    let changed = mutate(&owner, "updateBotCommand", "UpdateBotCommandInput", Some(id), &input).await;
    assert_eq!(changed.field("updateBotCommand")["response"], "example.com/new");
    assert_eq!(owner.get(&path(id)).await.data()["min_role"], "moderator");

    let entry = &app.audited("bot_command:updated").await[0];
    assert_eq!((entry.account_id, entry.actor_id), (Some(owner.account_id), Some(owner.user_id)));
    assert_eq!(entry.metadata, json!({ "name": "discord", "fields": ["aliases", "min_role"] }));
    assert_eq!(app.audited("bot_command:created").await.len(), 2);
}

#[tokio::test]
async fn delete_bot_command_removes_an_own_command_on_both_protocols() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let [discord, hug] = [
        id_of(&owner.post(COMMANDS, json!({ "name": "discord", "response": "example.com" })).await),
        id_of(&owner.post(COMMANDS, json!({ "name": "hug", "response": "hugs" })).await),
    ];
    let reader = app.member_with(owner.account_id, &["bot-commands:read", "bot-commands:edit"]).await;
    both_refused(
        &reader.delete(&path(discord)).await,
        &act(&reader, "deleteBotCommand", discord).await,
        403,
        "FORBIDDEN",
        "Missing permission: bot-commands:delete",
    );
    owner.delete(&path(discord)).await.expect(204);
    assert_eq!(act(&owner, "deleteBotCommand", hug).await.field("deleteBotCommand"), true);
    assert_eq!(owner.get(COMMANDS).await.data(), &json!([]));
    let deleted = app.audited("bot_command:deleted").await;
    assert_eq!(deleted.len(), 2);
    assert_eq!(deleted[0].metadata, json!({ "name": "discord" }));
    both_refused(
        &owner.delete(&path(discord)).await,
        &act(&owner, "deleteBotCommand", discord).await,
        404,
        "NOT_FOUND",
        "Bot command not found",
    );
}

#[tokio::test]
async fn create_bot_command_and_update_validate_every_field() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let id = id_of(&owner.post(COMMANDS, json!({ "name": "ok", "response": "fine" })).await);
    let before = owner.get(COMMANDS).await.data().clone();
    let many: Vec<String> = (0..11).map(|n| format!("a{n}")).collect();
    let cases = [
        (json!({ "name": "" }), "name must match ^[a-z0-9_]{1,32}$"),
        (json!({ "name": "Upper" }), "name must match ^[a-z0-9_]{1,32}$"),
        (json!({ "name": "!hello" }), "name must match ^[a-z0-9_]{1,32}$"),
        (json!({ "name": "x".repeat(33) }), "name must match ^[a-z0-9_]{1,32}$"),
        (json!({ "aliases": ["a b"] }), "aliases must match ^[a-z0-9_]{1,32}$"),
        (json!({ "aliases": many }), "aliases must have at most 10 entries"),
        (json!({ "aliases": ["b", "b"] }), "aliases must differ from each other and from the name"),
        (json!({ "name": "b", "aliases": ["b"] }), "aliases must differ from each other and from the name"),
        (json!({ "description": "x".repeat(201) }), "description must be between 0 and 200 characters"),
        (json!({ "response": " " }), "response must not be empty"),
        (json!({ "response": "x".repeat(501) }), "response must be between 0 and 500 characters"),
        (json!({ "response": "a\u{7}" }), "response must not contain control characters"),
        (json!({ "platforms": [] }), "platforms must be some of twitch, youtube, kick, trovo, discord"),
        (json!({ "platforms": ["msn"] }), "platforms must be some of twitch, youtube, kick, trovo, discord"),
        (json!({ "cooldown_global": -1 }), "cooldown_global must be between 0 and 86400"),
        (json!({ "cooldown_user": 86_401 }), "cooldown_user must be between 0 and 86400"),
        (
            json!({ "response_type": "automation" }),
            "automation_id is required for the response type automation",
        ),
        (json!({ "automation_id": Uuid::nil() }), "automation_id is for the response type automation only"),
    ];
    for (changes, message) in cases {
        let mut new = json!({ "name": "new", "response": "new" });
        new.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        both_refused(
            &owner.post(COMMANDS, new.clone()).await,
            &mutate(&owner, "createBotCommand", "CreateBotCommandInput", None, &new).await,
            400,
            "VALIDATION_ERROR",
            message,
        );
        both_refused(
            &owner.patch(&path(id), changes.clone()).await,
            &mutate(&owner, "updateBotCommand", "UpdateBotCommandInput", Some(id), &changes).await,
            400,
            "VALIDATION_ERROR",
            message,
        );
    }
    owner.post(COMMANDS, json!({ "name": "x", "response": "x", "min_role": "king" })).await.expect(400);
    let null = json!({ "response": null });
    both_refused(
        &owner.patch(&path(id), null.clone()).await,
        &mutate(&owner, "updateBotCommand", "UpdateBotCommandInput", Some(id), &null).await,
        400,
        "VALIDATION_ERROR",
        "response cannot be null",
    );
    assert_eq!(owner.get(COMMANDS).await.data(), &before, "nothing was written");
}

#[tokio::test]
async fn create_bot_command_refuses_a_name_or_alias_in_use() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    owner.post(COMMANDS, json!({ "name": "hello", "aliases": ["hi"], "response": "a" })).await.data();
    let second = id_of(&owner.post(COMMANDS, json!({ "name": "bye", "response": "b" })).await);
    for (changes, word) in [
        (json!({ "name": "hello" }), "hello"),
        (json!({ "name": "hi" }), "hi"),
        (json!({ "name": "new", "aliases": ["x", "hello"] }), "hello"),
        (json!({ "name": "new", "aliases": ["hi"] }), "hi"),
    ] {
        let mut new = changes.clone();
        new["response"] = json!("c");
        both_refused(
            &owner.post(COMMANDS, new.clone()).await,
            &mutate(&owner, "createBotCommand", "CreateBotCommandInput", None, &new).await,
            409,
            "CONFLICT",
            &format!("Command {word} already exists"),
        );
        both_refused(
            &owner.patch(&path(second), changes.clone()).await,
            &mutate(&owner, "updateBotCommand", "UpdateBotCommandInput", Some(second), &changes).await,
            409,
            "CONFLICT",
            &format!("Command {word} already exists"),
        );
    }
    // The names of the command itself and of another account are free.
    owner.patch(&path(second), json!({ "name": "bye", "aliases": ["cu"] })).await.data();
    other.post(COMMANDS, json!({ "name": "hello", "response": "a" })).await.data();

    let race = json!({ "name": "race", "response": "r" });
    let (first, last) = futures::join!(owner.post(COMMANDS, race.clone()), owner.post(COMMANDS, race));
    let mut statuses = [first.status, last.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409]);
}

#[tokio::test]
async fn create_bot_command_is_limited_to_200_per_account() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    use diesel_async::RunQueryDsl;
    diesel::sql_query(
        "INSERT INTO bot_commands (id, account_id, name, response_type, response, platforms, min_role, cooldown_global,
                                   cooldown_user, enabled)
         SELECT gen_random_uuid(), $1, 'c' || n, 'text', 'r', '{twitch}', 'everyone', 0, 0, true
         FROM generate_series(1, 200) AS n",
    )
    .bind::<diesel::sql_types::Uuid, _>(owner.account_id)
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    let new = json!({ "name": "one_more", "response": "r" });
    both_refused(
        &owner.post(COMMANDS, new.clone()).await,
        &mutate(&owner, "createBotCommand", "CreateBotCommandInput", None, &new).await,
        403,
        "PLAN_LIMIT_REACHED",
        "At most 200 bot commands are allowed",
    );
    // A conflict of names is reported before the limit (reference/permissions.md#check-order).
    owner.post(COMMANDS, json!({ "name": "c1", "response": "r" })).await.expect(409);
    assert_eq!(owner.get(COMMANDS).await.data().as_array().unwrap().len(), 200);
}

#[tokio::test]
async fn update_bot_command_refuses_automations_of_other_accounts() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let foreign = app.one_of_everything(&other).await["automations"];
    let new = |automation: Uuid| json!({ "name": "go", "response_type": "automation", "automation_id": automation });
    both_refused(
        &owner.post(COMMANDS, new(foreign)).await,
        &mutate(&owner, "createBotCommand", "CreateBotCommandInput", None, &new(foreign)).await,
        404,
        "NOT_FOUND",
        "Automation not found",
    );
    let id = id_of(&owner.post(COMMANDS, json!({ "name": "plain", "response": "r" })).await);
    let change = json!({ "response_type": "automation", "automation_id": foreign });
    both_refused(
        &owner.patch(&path(id), change.clone()).await,
        &mutate(&owner, "updateBotCommand", "UpdateBotCommandInput", Some(id), &change).await,
        404,
        "NOT_FOUND",
        "Automation not found",
    );
    let own = app.one_of_everything(&owner).await["automations"];
    let created = owner.post(COMMANDS, new(own)).await;
    let id = id_of(&created);
    assert_eq!((&created.data()["automation_id"], &created.data()["response"]), (&json!(own), &json!("")));
    // Another type removes the automation and requires a response.
    owner
        .patch(&path(id), json!({ "response_type": "text" }))
        .await
        .refused("VALIDATION_ERROR", "response must not be empty");
    let changed = owner.patch(&path(id), json!({ "response_type": "text", "response": "went" })).await;
    assert_eq!(changed.data()["automation_id"], Value::Null);
}

#[tokio::test]
async fn bot_command_of_another_account_is_not_found() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let id = id_of(&owner.post(COMMANDS, json!({ "name": "mine", "response": "r" })).await);
    let before = app.belongings(owner.account_id).await;
    let input = json!({ "response": "stolen" });
    let query = "query($id: UUID!) { botCommand(id: $id) { id } }";
    let reads = (other.get(&path(id)).await, other.graphql(query, json!({ "id": id })).await);
    let writes = (
        other.patch(&path(id), input.clone()).await,
        mutate(&other, "updateBotCommand", "UpdateBotCommandInput", Some(id), &input).await,
    );
    let deletes = (other.delete(&path(id)).await, act(&other, "deleteBotCommand", id).await);
    for (rest, graphql) in [reads, writes, deletes] {
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "Bot command not found");
    }
    assert_eq!(app.belongings(owner.account_id).await, before);
}

#[tokio::test]
async fn bot_commands_and_their_changes_need_permission_and_feature() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let reader = app.member_with(owner.account_id, &["bot-commands:read"]).await;
    assert_eq!(reader.get(COMMANDS).await.data(), &json!([]));
    let key = app.service_key(owner.account_id, &["bot-commands:create"]).await;
    let new = json!({ "name": "by_key", "response": "r" });
    let id = id_of(&key.post(COMMANDS, new.clone()).await);
    both_refused(
        &reader.post(COMMANDS, new.clone()).await,
        &mutate(&reader, "createBotCommand", "CreateBotCommandInput", None, &new).await,
        403,
        "FORBIDDEN",
        "Missing permission: bot-commands:create",
    );
    both_refused(
        &reader.delete(&path(id)).await,
        &act(&reader, "deleteBotCommand", id).await,
        403,
        "FORBIDDEN",
        "Missing permission: bot-commands:delete",
    );
    app.override_feature(owner.account_id, "feature:bot_commands", false).await;
    both_refused(
        &reader.get(COMMANDS).await,
        &reader.graphql("{ botCommands { id } }", json!({})).await,
        403,
        "FEATURE_DISABLED",
        "Feature is disabled: feature:bot_commands",
    );
}
