//! Chat moderation (reference/chat.md#moderation).

mod log;
mod targets;

use lumio_tests::{Answer, Caller, Person, TestApp, both_refused};
use platforms_stand_in::{Platform, User};
use serde_json::{Value, json};

use super::{
    chat_world::{ChatLine, store_line, store_line_as},
    world::{connect, install, messages, published},
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
        Self::of(TestApp::start().await, platform).await
    }

    /// An account may take two actions in 30 seconds on a platform.
    async fn slow(platform: Platform) -> Self {
        Self::of(TestApp::builder().with("LUMIO_RATE_CHAT_MODERATE", 2).start().await, platform).await
    }

    async fn of(app: TestApp, platform: Platform) -> Self {
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

    /// Stores a line with the id `m1`.
    async fn store_m1(&self) {
        let line =
            ChatLine { platform: self.channel.platform.slug(), user_id: "bystander", text: "m1", ago: 3 };
        store_line_as(&self.app, self.owner.account_id, &line, "m1").await;
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

/// Asserts that both protocols return a failure for a message that is not in the account's chat
/// (reference/chat.md#targets).
async fn finds_no_message(caller: &Caller, input: &Value) {
    let failed = json!({ "success": false, "details": "Message not found" });
    assert_eq!(over_rest(caller, input).await.expect(200), &failed);
    assert_eq!(over_graphql(caller, input).await.field("moderateChat"), failed);
}

async fn succeeds(caller: &Caller, input: &Value) {
    assert_eq!(over_rest(caller, input).await.expect(200), &json!({ "success": true, "details": null }));
}

#[tokio::test]
async fn moderate_chat_bans_publishes_logs_audits_and_removes_messages() {
    let scene = Scene::on(Platform::Twitch).await;
    let account = scene.owner.account_id;
    let line = |user_id, ago| ChatLine { platform: "twitch", user_id, text: "hi", ago };
    store_line(&scene.app, account, &line(&scene.spammer.id, 5)).await;
    store_line(&scene.app, account, &line(&scene.spammer.id, 90_000)).await;
    store_line(&scene.app, account, &line("bystander", 4)).await;
    let elsewhere = scene.app.owner().await;
    store_line(&scene.app, elsewhere.account_id, &line(&scene.spammer.id, 3)).await;

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
    let published = published(&scene.app, &format!("chat:{account}")).await;
    assert_eq!(published.len(), 1);
    assert_eq!(published[0]["event_type"], "chat:clear_user");
    assert_eq!(
        published[0]["data"],
        json!({ "platform": "twitch", "platform_user_id": spammer, "action": "ban", "duration_secs": null,
            "moderator_id": scene.owner.user_id, "moderator_platform_user_id": scene.channel.id })
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
async fn moderate_chat_times_out_and_deletes_on_both_protocols() {
    let scene = Scene::on(Platform::Twitch).await;
    store_line(
        &scene.app,
        scene.owner.account_id,
        &ChatLine { platform: "twitch", user_id: &scene.spammer.id, text: "hi", ago: 5 },
    )
    .await;
    let answer = over_graphql(&scene.owner, &scene.timeout(600)).await;
    assert_eq!(answer.field("moderateChat"), json!({ "success": true, "details": null }));
    // REST takes the action in either case.
    scene.store_m1().await;
    let mut delete = scene.delete();
    delete["action"] = json!("delete");
    succeeds(&scene.owner, &delete).await;
    assert_eq!(scene.done(), [("timeout", scene.spammer.id.clone()), ("delete", "m1".to_owned())]);
    assert_eq!(scene.app.platforms.moderation_actions(Platform::Twitch)[0].duration_secs, Some(600));
    let rows = messages(&scene.app, scene.owner.account_id).await;
    assert!(rows.len() == 2 && rows.iter().all(|row| row["is_deleted"] == true), "{rows:?}");
    let published = published(&scene.app, &format!("chat:{}", scene.owner.account_id)).await;
    let types: Vec<_> = published.iter().map(|event| event["event_type"].as_str().unwrap()).collect();
    assert_eq!(types, ["chat:clear_user", "chat:delete_message"]);
    assert_eq!(published[0]["data"]["duration_secs"], 600);
    assert_eq!(published[1]["data"], json!({ "platform": "twitch", "message_id": "m1" }));
    assert_eq!(scene.app.audited("chat:user_timed_out").await.len(), 1);
    // The author is recorded, so that an erasure of that person finds the entry.
    assert_eq!(scene.app.audited_once("chat:message_deleted").await.metadata["author_id"], "bystander");
    scene.app.stop().await;
}

#[tokio::test]
async fn moderate_chat_refuses_and_logs_unsupported_actions() {
    for (platform, unsupported) in [
        (Platform::Kick, ["BAN", "TIMEOUT"].as_slice()),
        (Platform::Trovo, ["TIMEOUT", "DELETE"].as_slice()),
        (Platform::Twitch, [].as_slice()),
        (Platform::Youtube, [].as_slice()),
    ] {
        let scene = Scene::on(platform).await;
        // Trovo bans by the name that appeared in the chat.
        store_line(
            &scene.app,
            scene.owner.account_id,
            &ChatLine { platform: platform.slug(), user_id: "spammer", text: "hi", ago: 5 },
        )
        .await;
        scene.store_m1().await;
        let mut ban = scene.ban();
        if platform == Platform::Trovo {
            ban["user_id"] = json!("spammer");
        }
        let mut logged = 0;
        // A banned user cannot be timed out.
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
async fn moderate_chat_limits_an_account_per_platform() {
    let scene = Scene::slow(Platform::Twitch).await;
    for _ in 0..2 {
        succeeds(&scene.owner, &scene.timeout(60)).await;
    }
    let (rest, graphql) =
        (over_rest(&scene.owner, &scene.ban()).await, over_graphql(&scene.owner, &scene.ban()).await);
    rest.refused("RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
    graphql.refused("RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
    assert_eq!((rest.status, rest.header("x-ratelimit-limit")), (429, "2"));
    let wait: i64 = rest.header("retry-after").parse().expect("seconds");
    assert!((1..=30).contains(&wait), "{wait}");
    // Actions of handlers count towards the same limit.
    let (install, system) =
        (install(&scene.app, &scene.owner, &["chat:read", "chat:ban"]).await, scene.app.system_key().await);
    let call = json!({ "install_id": install, "invocation_id": "i:0", "action": "chat:ban",
        "payload": { "userId": scene.spammer.id, "platform": "twitch" } });
    let refused = system.post("/v1/internal/actions", call).await.expect(200).clone();
    assert_eq!(
        (&refused["error_code"], &refused["error"]),
        (&json!("RATE_LIMITED"), &json!("At most 2 moderation actions in 30 seconds may be taken"))
    );
    assert_eq!(scene.done().len(), 2);
    // Only the first of the rate limited actions is logged.
    assert_eq!(scene.log().await.len(), 3);
    assert_eq!(scene.app.audited("chat:user_timed_out").await.len(), 2);
    assert_eq!(scene.app.audited_once("chat:user_banned").await.metadata["success"], false);
    // Another account has its own limit.
    let other = scene.app.owner().await;
    connect(&scene.app, other.account_id, Platform::Twitch, "other").await;
    succeeds(&other, &scene.timeout(60)).await;
    scene.app.clock.advance(chrono::Duration::seconds(wait));
    succeeds(&scene.owner, &scene.ban()).await;
    scene.app.stop().await;
}

#[tokio::test]
async fn moderate_chat_counts_failed_actions_towards_the_limit() {
    let scene = Scene::slow(Platform::Kick).await;
    // Kick has no ban, and `m1` does not exist.
    over_rest(&scene.owner, &scene.ban()).await.refused("BAD_REQUEST", "BAN is not supported on kick");
    assert_eq!(over_rest(&scene.owner, &scene.delete()).await.expect(200)["success"], false);
    for _ in 0..2 {
        over_rest(&scene.owner, &scene.ban()).await.refused("RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
    }
    assert_eq!(scene.log().await.len(), 3);
    assert_eq!(scene.app.audited("chat:user_banned").await.len(), 2);
    scene.app.stop().await;
}

#[tokio::test]
async fn moderate_chat_refuses_wrong_inputs_on_both_protocols() {
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
async fn moderate_chat_needs_the_permission_of_the_action() {
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
    scene.store_m1().await;
    // In the order in which Twitch takes them: a banned user cannot be timed out.
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
