//! Moderating chats (B §4.7, C B13).

use lumio_tests::{Answer, Caller, Person, TestApp, both_refused};
use lumio_worker::Daemon;
use platforms_stand_in::{Failure, Platform, User, youtube};
use serde_json::{Value, json};
use shared::jobs::{Housekeep, HousekeepingTask};

use super::{
    chat_world::{Said, change, said},
    world::{connect, eventually, install, messages, told, workers},
};

const PATH: &str = "/v1/chat/moderate";
const LOG: &str = "/v1/chat/moderation-log";

struct Scene {
    app: TestApp,
    owner: Person,
    channel: User,
    spammer: User,
}

impl Scene {
    async fn on(platform: Platform) -> Self {
        let app = TestApp::start().await;
        let owner = app.owner().await;
        let channel = connect(&app, owner.account_id, platform, "streamer").await;
        let (spammer, _) = app.platforms.create_user(platform, "spammer");
        Self { app, owner, channel, spammer }
    }

    fn ban(&self) -> Value {
        json!({ "action": "BAN", "platform": self.channel.platform.slug(), "user_id": self.spammer.id })
    }

    fn timeout(&self, secs: i64) -> Value {
        json!({ "action": "TIMEOUT", "platform": self.channel.platform.slug(), "user_id": self.spammer.id,
            "duration_secs": secs })
    }

    fn delete(&self) -> Value {
        json!({ "action": "DELETE", "platform": self.channel.platform.slug(), "message_id": "m1" })
    }

    fn done(&self) -> Vec<(&'static str, String)> {
        let actions = self.app.platforms.moderation_actions(self.channel.platform).into_iter();
        actions.map(|action| (action.action, action.target_id)).collect()
    }

    async fn log(&self) -> Vec<Value> {
        self.owner.get(LOG).await.data().as_array().expect("a page").clone()
    }
}

async fn over_rest(caller: &Caller, input: &Value) -> Answer {
    caller.post(PATH, input.clone()).await
}

async fn over_graphql(caller: &Caller, input: &Value) -> Answer {
    let mut camel = serde_json::Map::new();
    for (name, value) in input.as_object().expect("an object") {
        let name = match name.as_str() {
            "user_id" => "userId",
            "message_id" => "messageId",
            "duration_secs" => "durationSecs",
            "live_chat_id" => "liveChatId",
            same => same,
        };
        camel.insert(name.to_owned(), value.clone());
    }
    let document = "mutation($input: ModerationInput!) { moderateChat(input: $input) { success details } }";
    caller.graphql(document, json!({ "input": camel })).await
}

async fn succeeds(caller: &Caller, input: &Value) {
    assert_eq!(over_rest(caller, input).await.expect(200), &json!({ "success": true, "details": null }));
}

#[tokio::test]
async fn a_ban_is_done_told_logged_and_audited_and_removes_what_the_user_said() {
    let scene = Scene::on(Platform::Twitch).await;
    let account = scene.owner.account_id;
    let line = |user_id, ago| Said { platform: "twitch", user_id, text: "hi", ago };
    said(&scene.app, account, &line(&scene.spammer.id, 5)).await;
    said(&scene.app, account, &line(&scene.spammer.id, 90_000)).await;
    said(&scene.app, account, &line("bystander", 4)).await;
    let elsewhere = scene.app.owner().await;
    said(&scene.app, elsewhere.account_id, &line(&scene.spammer.id, 3)).await;

    let mut input = scene.ban();
    input["reason"] = json!("spam");
    succeeds(&scene.owner, &input).await;
    assert_eq!(scene.done(), [("ban", scene.spammer.id.clone())]);
    let deleted = |rows: Vec<Value>| -> Vec<(Value, Value)> {
        rows.iter().map(|row| (row["platform_user_id"].clone(), row["is_deleted"].clone())).collect()
    };
    let spammer = json!(scene.spammer.id);
    assert_eq!(
        deleted(messages(&scene.app, account).await),
        [(spammer.clone(), json!(true)), (spammer.clone(), json!(true)), (json!("bystander"), json!(false))]
    );
    assert_eq!(deleted(messages(&scene.app, elsewhere.account_id).await), [(spammer.clone(), json!(false))]);
    let told = told(&scene.app, &format!("chat:{account}")).await;
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["event_type"], "chat:clear_user");
    assert_eq!(
        told[0]["data"],
        json!({ "platform": "twitch", "platform_user_id": spammer, "action": "ban", "duration_secs": null,
            "moderator_id": scene.channel.id })
    );
    let log = scene.log().await;
    let (id, created_at) = (log[0]["id"].clone(), log[0]["created_at"].clone());
    assert_eq!(
        log,
        [json!({ "id": id, "platform": "twitch", "action": "ban", "target": spammer,
            "moderator": { "type": "user", "id": scene.owner.user_id, "display_name": "owner" },
            "reason": "spam", "duration_secs": null, "success": true, "details": null, "created_at": created_at })]
    );
    let audited = scene.app.audited_once("chat:user_banned").await;
    assert_eq!((audited.account_id, audited.actor_id), (Some(account), Some(scene.owner.user_id)));
    assert_eq!(audited.resource_id.as_deref(), Some(scene.spammer.id.as_str()));
    assert_eq!(
        audited.metadata,
        json!({ "platform": "twitch", "reason": "spam", "duration_secs": null, "success": true, "details": null })
    );
    scene.app.stop().await;
}

#[tokio::test]
async fn a_time_out_and_a_deletion_go_the_same_way_on_both_protocols() {
    let scene = Scene::on(Platform::Twitch).await;
    said(
        &scene.app,
        scene.owner.account_id,
        &Said { platform: "twitch", user_id: &scene.spammer.id, text: "hi", ago: 5 },
    )
    .await;
    let answer = over_graphql(&scene.owner, &scene.timeout(600)).await;
    assert_eq!(answer.field("moderateChat"), json!({ "success": true, "details": null }));
    // REST takes the action in either case.
    let mut delete = scene.delete();
    delete["action"] = json!("delete");
    succeeds(&scene.owner, &delete).await;
    assert_eq!(scene.done(), [("timeout", scene.spammer.id.clone()), ("delete", "m1".to_owned())]);
    assert_eq!(scene.app.platforms.moderation_actions(Platform::Twitch)[0].duration_secs, Some(600));
    assert_eq!(messages(&scene.app, scene.owner.account_id).await[0]["is_deleted"], true);
    let told = told(&scene.app, &format!("chat:{}", scene.owner.account_id)).await;
    let types: Vec<_> = told.iter().map(|event| event["event_type"].as_str().unwrap()).collect();
    assert_eq!(types, ["chat:clear_user", "chat:delete_message"]);
    assert_eq!(told[0]["data"]["duration_secs"], 600);
    assert_eq!(told[1]["data"], json!({ "platform": "twitch", "message_id": "m1" }));
    assert_eq!(scene.app.audited("chat:user_timed_out").await.len(), 1);
    assert_eq!(scene.app.audited("chat:message_deleted").await.len(), 1);
    scene.app.stop().await;
}

#[tokio::test]
async fn what_a_platform_does_not_have_is_refused_and_logged() {
    for (platform, unsupported) in [
        (Platform::Kick, ["BAN", "TIMEOUT"].as_slice()),
        (Platform::Trovo, ["TIMEOUT", "DELETE"].as_slice()),
        (Platform::Twitch, [].as_slice()),
        (Platform::Youtube, [].as_slice()),
    ] {
        let scene = Scene::on(platform).await;
        // Trovo bans by the name that was seen in the chat.
        said(
            &scene.app,
            scene.owner.account_id,
            &Said { platform: platform.slug(), user_id: "spammer", text: "hi", ago: 5 },
        )
        .await;
        let mut ban = scene.ban();
        if platform == Platform::Trovo {
            ban["user_id"] = json!("spammer");
        }
        let mut logged = 0;
        // Whoever is banned cannot be timed out.
        for input in [scene.timeout(60), ban, scene.delete()] {
            let action = input["action"].as_str().unwrap();
            if unsupported.contains(&action) {
                let (rest, graphql) =
                    (over_rest(&scene.owner, &input).await, over_graphql(&scene.owner, &input).await);
                let expected = format!("{action} is not supported on {platform}");
                both_refused(&rest, &graphql, 400, "BAD_REQUEST", &expected);
                logged += 2;
                let log = scene.log().await;
                assert_eq!(log[0]["success"], false);
                let details = format!("{} is not supported on {platform}", action.to_lowercase());
                assert_eq!(log[0]["details"], details);
            } else {
                succeeds(&scene.owner, &input).await;
                logged += 1;
            }
        }
        assert_eq!(scene.log().await.len(), logged);
        assert_eq!(scene.done().len(), 3 - unsupported.len(), "{platform}");
        scene.app.stop().await;
    }
}

#[tokio::test]
async fn the_broadcaster_and_on_youtube_the_moderators_are_protected() {
    let scene = Scene::on(Platform::Youtube).await;
    let (moderator, _) = scene.app.platforms.create_user(Platform::Youtube, "moderator");
    scene.app.platforms.make_moderator(&scene.channel, &moderator);
    for target in [youtube::channel_id(&scene.channel), youtube::channel_id(&moderator)] {
        let mut input = scene.ban();
        input["user_id"] = json!(target);
        let (rest, graphql) =
            (over_rest(&scene.owner, &input).await, over_graphql(&scene.owner, &input).await);
        let expected = "The owner and the moderators of a live chat cannot be banned.";
        both_refused(&rest, &graphql, 403, "FORBIDDEN", expected);
    }
    let twitch = connect(&scene.app, scene.owner.account_id, Platform::Twitch, "streamer").await;
    for action in ["BAN", "TIMEOUT"] {
        let input =
            json!({ "action": action, "platform": "twitch", "user_id": twitch.id, "duration_secs": 60 });
        let (rest, graphql) =
            (over_rest(&scene.owner, &input).await, over_graphql(&scene.owner, &input).await);
        both_refused(&rest, &graphql, 403, "FORBIDDEN", "The channel's owner cannot be moderated");
    }
    assert!(scene.done().is_empty() && scene.app.platforms.moderation_actions(Platform::Twitch).is_empty());
    let log = scene.log().await;
    assert_eq!(log.len(), 8);
    assert!(log.iter().all(|entry| entry["success"] == false));
    assert!(told(&scene.app, &format!("chat:{}", scene.owner.account_id)).await.is_empty());
    scene.app.stop().await;
}

#[tokio::test]
async fn on_youtube_the_live_chat_is_the_given_one_or_that_of_the_active_broadcast() {
    let scene = Scene::on(Platform::Youtube).await;
    let mut input = scene.timeout(86_400);
    input["user_id"] = json!(youtube::channel_id(&scene.spammer));
    succeeds(&scene.owner, &input).await;
    scene.app.platforms.set_on_air(&scene.channel, false);
    let gone = over_rest(&scene.owner, &input).await;
    let details = json!({ "success": false, "details": "There is no active broadcast" });
    assert_eq!(gone.expect(200), &details);
    assert_eq!(over_graphql(&scene.owner, &input).await.field("moderateChat"), details);
    input["live_chat_id"] = json!(youtube::live_chat_id(&scene.channel));
    succeeds(&scene.owner, &input).await;
    // A message is removed without it.
    succeeds(&scene.owner, &scene.delete()).await;
    let chats: Vec<_> =
        scene.app.platforms.moderation_actions(Platform::Youtube).into_iter().map(|a| a.channel_id).collect();
    assert_eq!(chats[..2], [youtube::live_chat_id(&scene.channel), youtube::live_chat_id(&scene.channel)]);
    scene.app.stop().await;
}

#[tokio::test]
async fn wrong_inputs_are_refused_in_the_same_words_on_both_protocols() {
    let scene = Scene::on(Platform::Twitch).await;
    let with = |mut input: Value, field: &str, value: Value| {
        input[field] = value;
        input
    };
    let without = |mut input: Value, field: &str| {
        input.as_object_mut().unwrap().remove(field);
        input
    };
    let long = "x".repeat(501);
    let cases = [
        (without(scene.ban(), "user_id"), "user_id is required for BAN"),
        (without(scene.timeout(5), "user_id"), "user_id is required for TIMEOUT"),
        (without(scene.delete(), "message_id"), "message_id is required for DELETE"),
        (without(scene.timeout(5), "duration_secs"), "duration_secs is required for TIMEOUT"),
        (scene.timeout(0), "duration_secs must be between 1 and 1209600"),
        (scene.timeout(1_209_601), "duration_secs must be between 1 and 1209600"),
        (
            with(scene.timeout(86_401), "platform", json!("youtube")),
            "duration_secs must be between 1 and 86400",
        ),
        (
            with(scene.ban(), "platform", json!("spotify")),
            "platform must be one of twitch, youtube, kick, trovo",
        ),
        (with(scene.ban(), "reason", json!(long)), "reason must be between 1 and 500 characters"),
        (with(scene.ban(), "live_chat_id", json!("c")), "live_chat_id is only for youtube"),
        (with(scene.ban(), "user_id", json!(" ")), "user_id must not be empty"),
    ];
    for (input, expected) in cases {
        let (rest, graphql) =
            (over_rest(&scene.owner, &input).await, over_graphql(&scene.owner, &input).await);
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", expected);
    }
    over_rest(&scene.owner, &with(scene.ban(), "action", json!("UNBAN")))
        .await
        .refused_with("VALIDATION_ERROR");
    assert!(scene.done().is_empty() && scene.log().await.is_empty());
    succeeds(&scene.owner, &scene.timeout(1_209_600)).await;
    scene.app.stop().await;
}

#[tokio::test]
async fn each_action_needs_its_own_permission() {
    let scene = Scene::on(Platform::Twitch).await;
    let account = scene.owner.account_id;
    let inputs =
        [("chat:ban", scene.ban()), ("chat:timeout", scene.timeout(60)), ("chat:delete", scene.delete())];
    for (permission, _) in &inputs {
        let member = scene.app.member_with(account, &[permission]).await;
        for (needed, input) in &inputs {
            if needed == permission {
                continue;
            }
            let (rest, graphql) = (over_rest(&member, input).await, over_graphql(&member, input).await);
            both_refused(&rest, &graphql, 403, "FORBIDDEN", &format!("Missing permission: {needed}"));
        }
    }
    assert!(scene.done().is_empty() && scene.log().await.is_empty());
    // In the order in which Twitch takes them: whoever is banned cannot be timed out.
    for (permission, input) in [&inputs[2], &inputs[1], &inputs[0]] {
        succeeds(&scene.app.service_key(account, &[permission]).await, input).await;
    }
    let log = scene.log().await;
    assert!(log.iter().all(|entry| entry["moderator"]["type"] == "service_key"));
    assert_eq!(log[0]["moderator"]["display_name"], "test");
    scene.app.override_feature(account, "feature:multichat", false).await;
    let (rest, graphql) =
        (over_rest(&scene.owner, &scene.ban()).await, over_graphql(&scene.owner, &scene.ban()).await);
    both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", "Feature is disabled: feature:multichat");
    scene.app.stop().await;
}

#[tokio::test]
async fn failures_are_answers_with_their_reason_and_are_logged() {
    let scene = Scene::on(Platform::Twitch).await;
    let failed = |details: &str| json!({ "success": false, "details": details });
    let kick = json!({ "action": "DELETE", "platform": "kick", "message_id": "m" });
    assert_eq!(
        over_rest(&scene.owner, &kick).await.expect(200),
        &failed("The account is not connected to kick")
    );
    scene.app.platforms.fail_next_at(Platform::Twitch, "moderation", Failure::ServerError);
    assert_eq!(
        over_graphql(&scene.owner, &scene.ban()).await.field("moderateChat"),
        failed("the platform is not available: status 503")
    );
    let flag = "UPDATE channel_connections SET reconnect_required = true WHERE account_id = $1";
    change(&scene.app, flag, scene.owner.account_id).await;
    assert_eq!(
        over_rest(&scene.owner, &scene.ban()).await.expect(200),
        &failed("The twitch channel must be connected again")
    );
    // Another account's channel is not there for a stranger.
    let stranger = scene.app.owner().await;
    assert_eq!(
        over_rest(&stranger, &scene.ban()).await.expect(200),
        &failed("The account is not connected to twitch")
    );
    let log = scene.log().await;
    let details: Vec<_> = log.iter().map(|entry| entry["details"].as_str().unwrap()).collect();
    assert_eq!(
        details,
        [
            "The twitch channel must be connected again",
            "the platform is not available: status 503",
            "The account is not connected to kick"
        ]
    );
    assert_eq!(log.len(), 3);
    assert!(log.iter().all(|entry| entry["success"] == false));
    assert_eq!(scene.app.audited("chat:user_banned").await.len(), 3);
    assert!(scene.done().is_empty());
    assert!(told(&scene.app, &format!("chat:{}", scene.owner.account_id)).await.is_empty());
    scene.app.stop().await;
}

#[tokio::test]
async fn the_log_is_paged_and_names_extensions() {
    let scene = Scene::on(Platform::Twitch).await;
    for _ in 0..3 {
        succeeds(&scene.owner, &scene.timeout(60)).await;
    }
    let (install, system) =
        (install(&scene.app, &scene.owner, &["chat:read", "chat:ban"]).await, scene.app.system_key().await);
    let call = json!({ "install_id": install, "invocation_id": "i:0", "action": "chat:unban",
        "payload": { "userId": scene.spammer.id } });
    assert_eq!(system.post("/v1/internal/actions", call).await.expect(200)["ok"], true);
    let first = scene.owner.get(&format!("{LOG}?limit=2")).await;
    assert_eq!(first.body["_meta"], json!({ "total": 4, "page": 1, "limit": 2, "pages": 2 }));
    assert_eq!(first.body["_links"]["next"], format!("{LOG}?page=2&limit=2"));
    assert_eq!(first.data()[0]["action"], "unban");
    assert_eq!(
        first.data()[0]["moderator"],
        json!({ "type": "extension", "id": install, "display_name": "Test" })
    );
    let page = scene
        .owner
        .graphql(
            "{ moderationLog(page: 2, limit: 2) { items { id action success durationSecs } total page limit pages } }",
            json!({}),
        )
        .await
        .field("moderationLog");
    assert_eq!((&page["total"], &page["page"], &page["pages"]), (&json!(4), &json!(2), &json!(2)));
    let second = scene.owner.get(&format!("{LOG}?limit=2&page=2")).await;
    let ids = |items: &Value| -> Vec<Value> {
        items.as_array().unwrap().iter().map(|entry| entry["id"].clone()).collect()
    };
    assert_eq!(ids(&page["items"]), ids(second.data()));
    assert_eq!(page["items"][0]["action"], "TIMEOUT");
    scene
        .owner
        .get(&format!("{LOG}?limit=101"))
        .await
        .refused("VALIDATION_ERROR", "limit must be between 1 and 100");
    let blind = scene.app.member_with(scene.owner.account_id, &["chat:write"]).await;
    both_refused(
        &blind.get(LOG).await,
        &blind.graphql("{ moderationLog { total } }", json!({})).await,
        403,
        "FORBIDDEN",
        "Missing permission: chat:read",
    );
    let stranger = scene.app.owner().await;
    assert_eq!(stranger.get(LOG).await.data(), &json!([]));
    scene.app.stop().await;
}

#[tokio::test]
async fn the_log_is_kept_as_long_as_chat() {
    let scene = Scene::on(Platform::Twitch).await;
    succeeds(&scene.owner, &scene.timeout(60)).await;
    let old = "UPDATE moderation_log SET created_at = created_at - interval '91 days' WHERE account_id = $1";
    change(&scene.app, old, scene.owner.account_id).await;
    succeeds(&scene.owner, &scene.delete()).await;
    let running = workers(&scene.app, &[Daemon::Housekeeping]).await;
    let job = Housekeep { task: HousekeepingTask::ForgetChat };
    scene.app.state.jobs.enqueue(&job, "moderation-log").await.unwrap();
    eventually("the old entry is gone", async || scene.log().await.len() == 1).await;
    assert_eq!(scene.log().await[0]["action"], "delete");
    running.stop().await.unwrap();
    scene.app.stop().await;
}
