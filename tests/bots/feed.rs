//! Internal feed of commands for the workers, and their requests to reply (reference/bots.md#replies).

use std::time::Duration;

use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use lumio_tests::TestApp;
use platforms_stand_in::Platform;
use serde_json::{Value, json};
use shared::schema::bot_command_replies::dsl;
use uuid::Uuid;

use super::id_of;

#[tokio::test]
async fn internal_bot_commands_lists_own_before_unshadowed_global_commands() {
    let app = TestApp::start().await;
    let (owner, system) = (app.owner().await, app.system_key().await);
    let operator = app.admin_with(&["bot-commands:create"]).await;
    let mut globals = Vec::new();
    for name in ["discord", "lurk", "rules"] {
        let input = json!({ "name": name, "response": format!("global {name}") });
        globals.push(id_of(&operator.post("/v1/admin/bot-commands", input).await));
    }
    owner
        .post("/v1/bot-commands", json!({ "name": "rules", "response": "own rules", "enabled": false }))
        .await
        .data();
    owner
        .post("/v1/bot-commands", json!({ "name": "zebra", "aliases": ["lurk"], "response": "z" }))
        .await
        .data();
    let change = json!({ "response": "our discord", "cooldown_global": 7 });
    owner.put(&format!("/v1/bot-commands/global/{}/override", globals[0]), change).await.data();

    let path = format!("/v1/internal/bot-commands/{}", owner.account_id);
    let answer = system.get(&path).await;
    let feed = answer.expect(200);
    assert_eq!(feed["prefix"], "!");
    let commands: Vec<_> = feed["commands"]
        .as_array()
        .unwrap()
        .iter()
        .map(|command| (command["name"].as_str().unwrap(), command["response"].as_str().unwrap()))
        .collect();
    let expected =
        [("rules", "own rules"), ("zebra", "z"), ("discord", "our discord"), ("lurk", "global lurk")];
    assert_eq!(commands, expected);
    assert_eq!(
        (&feed["commands"][2]["cooldown_global"], &feed["commands"][2]["use_count"]),
        (&json!(7), &json!(0))
    );

    let tagged = |tag: String| system.request(reqwest::Method::GET, &path).header("if-none-match", tag);
    let tag = answer.header("etag").to_owned();
    assert_eq!(system.send(tagged(tag.clone())).await.status, 304);
    owner.patch("/v1/settings", json!({ "command_prefix": "?" })).await.data();
    let newer = system.send(tagged(tag)).await;
    assert_eq!(newer.expect(200)["prefix"], "?");

    owner.get(&path).await.expect(403);
    app.anonymous().get(&path).await.expect(401);
    system
        .get("/v1/internal/bot-commands/nobody")
        .await
        .refused("VALIDATION_ERROR", "Invalid UUID: account_id");
}

fn reply(account: Uuid, event: Uuid, changes: Value) -> Value {
    let mut reply = json!({
        "account_id": account, "event_id": event, "platform": "twitch", "message_id": "m", "user_id": "4711",
        "user_name": "Ada", "arguments": "", "response_type": "template", "response": "{user} #{count}",
        "automation_id": null, "use_count": 3,
    });
    reply.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    reply
}

#[tokio::test]
async fn internal_reply_to_command_replies_once_per_line_for_its_account_only() {
    let app = TestApp::start().await;
    let (owner, other, system) = (app.owner().await, app.owner().await, app.system_key().await);
    let create = async |name: &str| {
        id_of(&owner.post("/v1/bot-commands", json!({ "name": name, "response": "r" })).await)
    };
    let (first, second) = (create("first").await, create("second").await);
    let path = |id: Uuid| format!("/v1/internal/bot-commands/{id}/replies");

    // The account has no connection: the failure is returned, stored, and not retried.
    let line = Uuid::now_v7();
    let answer = system.post(&path(first), reply(owner.account_id, line, json!({}))).await;
    assert_eq!(
        (&answer.expect(200)["ok"], &answer.body["error_code"]),
        (&json!(false), &json!("NOT_CONNECTED"))
    );
    let again =
        system.post(&path(first), reply(owner.account_id, line, json!({ "response": "other" }))).await;
    assert_eq!(again.body, answer.body);
    let mismatch = system.post(&path(second), reply(owner.account_id, line, json!({}))).await;
    assert_eq!(mismatch.body["error_code"], "INVOCATION_MISMATCH");
    assert!(app.platforms.sent_messages(Platform::Twitch).is_empty());

    system
        .post(&path(first), reply(other.account_id, line, json!({})))
        .await
        .refused("NOT_FOUND", "Bot command not found");
    let wrong = reply(owner.account_id, Uuid::now_v7(), json!({ "platform": "msn" }));
    system
        .post(&path(first), wrong)
        .await
        .refused("VALIDATION_ERROR", "platform must be the name of a platform");
    owner.post(&path(first), reply(owner.account_id, line, json!({}))).await.expect(403);
}

#[tokio::test]
async fn internal_reply_to_command_takes_over_when_an_earlier_call_ends_without_a_reply() {
    let app = TestApp::start().await;
    let (owner, system) = (app.owner().await, app.system_key().await);
    let command = id_of(&owner.post("/v1/bot-commands", json!({ "name": "first", "response": "r" })).await);
    let (path, line) = (format!("/v1/internal/bot-commands/{command}/replies"), Uuid::now_v7());
    insert_into(dsl::bot_command_replies)
        .values((
            dsl::account_id.eq(owner.account_id),
            dsl::event_id.eq(line),
            dsl::command_id.eq(command),
            dsl::created_at.eq(app.clock.now()),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let release = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let mut db = app.databases.postgres.get().await.unwrap();
        diesel::delete(dsl::bot_command_replies).execute(&mut *db).await.unwrap()
    };
    let (answer, released) =
        tokio::join!(system.post(&path, reply(owner.account_id, line, json!({}))), release);
    assert_eq!((released, answer.expect(200)["error_code"].as_str()), (1, Some("NOT_CONNECTED")));
    app.stop().await;
}

#[tokio::test]
async fn internal_reply_to_command_starts_an_automation_once_per_line() {
    let app = TestApp::start().await;
    let (owner, system) = (app.owner().await, app.system_key().await);
    let automation = app.one_of_everything(&owner).await["automations"];
    let new = json!({ "name": "go", "response_type": "automation", "automation_id": automation });
    let id = id_of(&owner.post("/v1/bot-commands", new).await);
    let path = format!("/v1/internal/bot-commands/{id}/replies");
    let starts = |line| {
        reply(owner.account_id, line, json!({ "response_type": "automation", "automation_id": automation }))
    };

    let off = system.post(&path, starts(Uuid::now_v7())).await;
    assert_eq!(off.body["error"], "the automation of the command is switched off");
    use diesel_async::RunQueryDsl;
    diesel::sql_query("UPDATE automations SET enabled = true")
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let line = Uuid::now_v7();
    let started = system.post(&path, starts(line)).await;
    assert_eq!(
        (&started.expect(200)["ok"], &started.body["result"]["status"]),
        (&json!(true), &json!("queued"))
    );
    assert_eq!(system.post(&path, starts(line)).await.body, started.body);
    let before = app.belongings(owner.account_id).await["automation_runs"].0;
    assert_eq!(before, 2, "the one of the fixture and this one");
}
