//! Actions of extensions on the platforms (reference/handlers.md#host-actions).

use std::time::Duration as StdDuration;

use chrono::Duration;
use diesel::{insert_into, prelude::*};
use diesel_async::{RunQueryDsl, SimpleAsyncConnection};
use lumio_tests::{Caller, Person, TestApp};
use platforms_stand_in::{Failure, Platform, User};
use redis::AsyncCommands;
use serde_json::{Value, json};
use shared::schema::{extension_actions, extension_installs};
use uuid::Uuid;

use super::{
    chat_world::{ChatLine, store_line_as},
    world::{connect, connect_to, install, published},
};

const PATH: &str = "/v1/internal/actions";

/// An account with a Twitch channel and an install.
struct Scene {
    app: TestApp,
    owner: Person,
    channel: User,
    system: Caller,
    install: Uuid,
}

impl Scene {
    async fn with(permissions: &[&str]) -> Self {
        let app = TestApp::start().await;
        let owner = app.owner().await;
        let channel = connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
        let (install, system) = (install(&app, &owner, permissions).await, app.system_key().await);
        Self { app, owner, channel, system, install }
    }

    fn call(&self, invocation: &str, action: &str, payload: Value) -> Value {
        json!({ "install_id": self.install, "invocation_id": invocation, "action": action, "payload": payload })
    }

    /// Runs an action; asserts the status 200.
    async fn run(&self, invocation: &str, action: &str, payload: Value) -> Value {
        self.system.post(PATH, self.call(invocation, action, payload)).await.expect(200).clone()
    }

    /// Runs an action that is refused; returns the code.
    async fn refused(&self, invocation: &str, action: &str, payload: Value) -> String {
        let answer = self.run(invocation, action, payload).await;
        assert_eq!((&answer["ok"], &answer["result"]), (&json!(false), &Value::Null), "{answer}");
        assert!(answer["error"].as_str().is_some_and(|error| !error.is_empty()), "{answer}");
        answer["error_code"].as_str().expect("a code").to_owned()
    }

    /// Writes the row of a call that another process executes.
    async fn begin_elsewhere(&self, invocation: &str) {
        insert_into(extension_actions::table)
            .values((
                extension_actions::install_id.eq(self.install),
                extension_actions::invocation_id.eq(invocation),
                extension_actions::account_id.eq(self.owner.account_id),
                extension_actions::action.eq("chat:send"),
                extension_actions::created_at.eq(self.app.clock.now()),
            ))
            .execute(&mut *self.app.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
    }

    fn sent(&self) -> Vec<String> {
        self.app.platforms.sent_messages(Platform::Twitch).into_iter().map(|message| message.text).collect()
    }
}

#[tokio::test]
async fn run_extension_action_sends_once_and_returns_the_first_result_again() {
    let scene = Scene::with(&["chat:read", "chat:send"]).await;
    let payload = json!({ "message": "hello", "platform": "twitch", "reply_to": "m0" });
    let first = scene.run("i:0", "send_message", payload.clone()).await;
    assert_eq!(first["ok"], true, "{first}");
    for _ in 0..3 {
        assert_eq!(scene.run("i:0", "chat:send", payload.clone()).await, first);
    }
    let sent = scene.app.platforms.sent_messages(Platform::Twitch);
    assert_eq!(sent.len(), 1);
    assert_eq!(first["result"], json!({ "platform": "twitch", "message_id": sent[0].message_id }));
    assert_eq!(
        (sent[0].text.as_str(), sent[0].reply_to.as_deref(), sent[0].is_bot),
        ("hello", Some("m0"), false)
    );
    scene.run("i:1", "chat:send", json!({ "message": "again" })).await;
    assert_eq!(scene.sent(), ["hello", "again"]);
    scene.app.stop().await;
}

#[tokio::test]
async fn run_extension_action_runs_once_when_calls_are_concurrent() {
    let scene = Scene::with(&["chat:read", "chat:send"]).await;
    let calls = (0..8).map(|_| scene.run("i:0", "chat:send", json!({ "message": "once" })));
    let answers = futures::future::join_all(calls).await;
    assert!(answers.iter().all(|answer| *answer == answers[0] && answer["ok"] == true), "{answers:?}");
    assert_eq!(scene.sent(), ["once"]);
    scene.app.stop().await;
}

#[tokio::test]
async fn run_extension_action_never_repeats_a_call_with_an_unknown_outcome() {
    let scene = Scene::with(&["chat:read", "chat:send"]).await;
    scene.begin_elsewhere("i:0").await;
    assert_eq!(scene.refused("i:0", "chat:send", json!({ "message": "x" })).await, "IN_PROGRESS");
    scene.app.clock.advance(Duration::minutes(2));
    assert_eq!(scene.refused("i:0", "chat:send", json!({ "message": "x" })).await, "OUTCOME_UNKNOWN");
    assert_eq!(scene.refused("i:0", "events:emit", json!({})).await, "PERMISSION_ERROR");
    assert!(scene.sent().is_empty());
    scene.app.stop().await;
}

#[tokio::test]
async fn run_extension_action_takes_over_when_an_earlier_call_ends_without_an_effect() {
    let scene = Scene::with(&["chat:read", "chat:send"]).await;
    scene.begin_elsewhere("i:0").await;
    let release = async {
        tokio::time::sleep(StdDuration::from_millis(300)).await;
        let mut db = scene.app.databases.postgres.get().await.unwrap();
        diesel::delete(extension_actions::table).execute(&mut *db).await.unwrap()
    };
    let (answer, released) =
        tokio::join!(scene.run("i:0", "chat:send", json!({ "message": "hello" })), release);
    assert_eq!((released, &answer["ok"]), (1, &json!(true)), "{answer}");
    assert_eq!(scene.sent(), ["hello"]);
    scene.app.stop().await;
}

#[tokio::test]
async fn run_extension_action_can_be_repeated_after_failures_of_both_stores() {
    let scene = Scene::with(&["chat:read", "chat:send"]).await;
    let call = || scene.system.post(PATH, scene.call("i:0", "chat:send", json!({ "message": "hello" })));
    let mut db = scene.app.databases.postgres.get().await.unwrap();
    // The database refuses the first two attempts to release the action.
    db.batch_execute(
        "CREATE SEQUENCE releases;
         CREATE FUNCTION refuse_release() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN
             IF nextval('releases') <= 2 THEN RAISE EXCEPTION 'busy'; END IF;
             RETURN OLD;
         END $$;
         CREATE TRIGGER refuse_release BEFORE DELETE ON extension_actions
             FOR EACH ROW EXECUTE FUNCTION refuse_release();",
    )
    .await
    .unwrap();
    // Redis fails before the message is sent: the key of the pace has another type.
    let pace = scene.app.state.redis.key(format!("chat_sends:twitch:{}", scene.owner.account_id));
    let mut redis = scene.app.state.redis.get().await.unwrap();
    redis.set::<_, _, ()>(&pace, "no sorted set").await.unwrap();
    call().await.refused_with("REDIS_ERROR");
    redis.del::<_, ()>(&pace).await.unwrap();
    let answer = call().await;
    assert_eq!(answer.expect(200)["ok"], true, "{}", answer.text);
    assert_eq!(scene.sent(), ["hello"]);
    drop((db, redis));
    scene.app.stop().await;
}

#[tokio::test]
async fn run_extension_action_binds_an_invocation_id_to_one_action() {
    let scene = Scene::with(&["chat:read", "chat:send", "chat:ban"]).await;
    scene.run("i:0", "chat:send", json!({ "message": "hello" })).await;
    assert_eq!(scene.refused("i:0", "chat:ban", json!({ "userId": "7" })).await, "INVOCATION_MISMATCH");
    assert!(scene.app.platforms.moderation_actions(Platform::Twitch).is_empty());
    scene.app.stop().await;
}

#[tokio::test]
async fn run_extension_action_requires_every_permission_of_the_action() {
    let scene =
        Scene::with(&["chat:send", "events:emit", "chat:delete", "obs:set_scene", "overlay:update_layer"])
            .await;
    let payload = json!({ "message": "x", "messageId": "m", "userId": "u", "eventType": "e", "scene": "s" });
    for (index, action) in [
        "chat:send",
        "chat:delete",
        "chat:ban",
        "chat:unban",
        "chat:timeout",
        "events:emit",
        "obs:set_scene",
        "obs:start_stream",
        "overlay:update_layer",
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(
            scene.refused(&format!("i:{index}"), action, payload.clone()).await,
            "PERMISSION_ERROR",
            "{action}"
        );
    }
    assert!(scene.sent().is_empty());
    scene.app.stop().await;
}

#[tokio::test]
async fn run_extension_action_refuses_what_the_account_has_not_granted() {
    let scene = Scene::with(&["chat:read", "chat:send"]).await;
    diesel::update(extension_installs::table.find(scene.install))
        .set(extension_installs::granted_permissions.eq(vec!["chat:send"]))
        .execute(&mut *scene.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(scene.refused("i:0", "chat:send", json!({ "message": "x" })).await, "PERMISSION_ERROR");
    scene.app.stop().await;
}

#[tokio::test]
async fn run_extension_action_reports_wrong_payloads_and_unknown_actions() {
    let scene = Scene::with(&["chat:read", "chat:send"]).await;
    assert_eq!(scene.refused("i:0", "chat:nuke", json!({})).await, "UNKNOWN_ACTION");
    for payload in [
        json!({}),
        json!({ "message": "" }),
        json!({ "message": 7 }),
        json!([]),
        json!(null),
        json!({ "message": "x".repeat(501) }),
        json!({ "message": "x", "platform": "msn" }),
    ] {
        assert_eq!(scene.refused("i:0", "chat:send", payload.clone()).await, "INVALID_PAYLOAD", "{payload}");
    }
    assert_eq!(
        scene.refused("i:0", "chat:send", json!({ "message": "x", "platform": "kick" })).await,
        "NOT_CONNECTED"
    );
    // The malformed calls did not use up the id, the one about the missing connection did.
    assert_eq!(scene.refused("i:0", "chat:send", json!({ "message": "x" })).await, "NOT_CONNECTED");
    scene.app.stop().await;
}

#[tokio::test]
async fn run_extension_action_refuses_malformed_requests() {
    let scene = Scene::with(&[]).await;
    let call = scene.call("i:0", "chat:send", json!({}));
    let with = |field: &str, value: Value| {
        let mut call = call.clone();
        call[field] = value;
        scene.system.post(PATH, call)
    };
    with("install_id", json!("x")).await.refused("VALIDATION_ERROR", "Invalid UUID: install_id");
    with("invocation_id", json!("")).await.refused("VALIDATION_ERROR", "invocation_id must not be empty");
    with("invocation_id", json!("x".repeat(129))).await.expect(400);
    with("action", json!(7)).await.expect(400);
    with("install_id", json!(Uuid::now_v7())).await.refused("NOT_FOUND", "Install not found");
    scene.app.anonymous().post_raw(PATH, "application/json", "{").await.expect(401);
    scene.owner.post(PATH, call.clone()).await.refused("FORBIDDEN", "System key required");
    scene.app.stop().await;
}

#[tokio::test]
async fn run_extension_action_refuses_a_disabled_install() {
    let scene = Scene::with(&["chat:read", "chat:send"]).await;
    diesel::update(extension_installs::table.find(scene.install))
        .set(extension_installs::enabled.eq(false))
        .execute(&mut *scene.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(scene.refused("i:0", "chat:send", json!({ "message": "x" })).await, "INSTALL_DISABLED");
    scene.app.stop().await;
}

#[tokio::test]
async fn run_extension_action_returns_platform_failures_without_a_retry() {
    let scene = Scene::with(&["chat:read", "chat:send"]).await;
    let wait = std::time::Duration::from_secs(1);
    let failures = [
        (Failure::ServerError, "PLATFORM_UNAVAILABLE"),
        (Failure::RateLimited { retry_after: wait }, "RATE_LIMITED"),
    ];
    for (index, (failure, code)) in failures.into_iter().enumerate() {
        scene.app.platforms.fail_next_at(Platform::Twitch, "chat/messages", failure);
        let invocation = format!("i:{index}");
        for _ in 0..2 {
            assert_eq!(scene.refused(&invocation, "chat:send", json!({ "message": "x" })).await, code);
        }
    }
    scene.app.platforms.drop_next_message(Platform::Twitch, "held by the filter");
    let dropped = scene.run("i:9", "chat:send", json!({ "message": "x" })).await;
    assert_eq!(
        (&dropped["error_code"], &dropped["error"]),
        (&json!("PLATFORM_REJECTED"), &json!("held by the filter"))
    );
    // Without a refresh token a refused token cannot be replaced: the connection is flagged.
    scene.app.platforms.fail_next_at(Platform::Twitch, "chat/messages", Failure::Unauthorized);
    for invocation in ["i:10", "i:10", "i:11"] {
        let code = scene.refused(invocation, "chat:send", json!({ "message": "x" })).await;
        assert_eq!(code, "RECONNECT_REQUIRED", "{invocation}");
    }
    assert!(scene.sent().is_empty());
    scene.app.stop().await;
}

#[tokio::test]
async fn run_extension_action_sends_with_the_application_token_without_a_channel_token() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for platform in [Platform::Twitch, Platform::Kick] {
        let (streamer, _) = app.platforms.create_user(platform, "streamer");
        connect_to(&app, owner.account_id, &streamer, None).await;
    }
    let (install, system) =
        (install(&app, &owner, &["chat:read", "chat:send"]).await, app.system_key().await);
    for (index, platform) in ["twitch", "kick", "twitch"].into_iter().enumerate() {
        let call = json!({ "install_id": install, "invocation_id": format!("i:{index}"), "action": "chat:send",
            "payload": { "message": "beep", "platform": platform } });
        assert_eq!(system.post(PATH, call).await.expect(200)["ok"], true, "{platform}");
    }
    // A token that the platform refuses is replaced once; the account is never flagged.
    for (index, failures, expected) in [(3, 1, Value::Null), (4, 2, json!("PLATFORM_UNAVAILABLE"))] {
        for _ in 0..failures {
            app.platforms.fail_next_at(Platform::Twitch, "chat/messages", Failure::Unauthorized);
        }
        let call = json!({ "install_id": install, "invocation_id": format!("i:{index}"), "action": "chat:send",
            "payload": { "message": "beep", "platform": "twitch" } });
        assert_eq!(
            system.post(PATH, call).await.expect(200)["error_code"],
            expected,
            "after {failures} failures"
        );
    }
    assert_eq!(app.platforms.sent_messages(Platform::Twitch).len(), 3);
    assert!(app.platforms.sent_messages(Platform::Twitch).iter().all(|message| message.is_bot));
    assert!(app.platforms.sent_messages(Platform::Kick).iter().all(|message| message.is_bot));
    // Two platforms, and none of them named.
    let call = json!({ "install_id": install, "invocation_id": "i:9", "action": "chat:send",
        "payload": { "message": "beep" } });
    let answer = system.post(PATH, call).await;
    assert_eq!(answer.body["error_code"], "INVALID_PAYLOAD");
    assert_eq!(answer.body["error"], "platform must be one of kick, twitch");
    app.stop().await;
}

#[tokio::test]
async fn run_extension_action_moderates_publishes_and_audits() {
    let scene = Scene::with(&["chat:read", "chat:delete", "chat:ban"]).await;
    let (spammer, _) = scene.app.platforms.create_user(Platform::Twitch, "spammer");
    let line = ChatLine { platform: "twitch", user_id: "bystander", text: "hi", ago: 3 };
    store_line_as(&scene.app, scene.owner.account_id, &line, "m1").await;
    let steps = [
        ("delete", json!({ "message_id": "m1" })),
        ("timeout", json!({ "user_id": spammer.id, "duration_secs": 30, "reason": "spam" })),
        ("ban", json!({ "user_id": spammer.id })),
        ("chat:unban", json!({ "userId": spammer.id })),
    ];
    for (index, (action, payload)) in steps.into_iter().enumerate() {
        let answer = scene.run(&format!("i:{index}"), action, payload).await;
        assert_eq!(answer["ok"], true, "{action}: {answer}");
    }
    let done: Vec<_> =
        scene.app.platforms.moderation_actions(Platform::Twitch).iter().map(|action| action.action).collect();
    assert_eq!(done, ["delete", "timeout", "ban", "unban"]);
    let published: Vec<_> = published(&scene.app, &format!("chat:{}", scene.owner.account_id))
        .await
        .into_iter()
        .map(|event| (event["event_type"].clone(), event["data"]["action"].clone()))
        .collect();
    assert_eq!(
        published,
        [
            (json!("chat:delete_message"), Value::Null),
            (json!("chat:clear_user"), json!("timeout")),
            (json!("chat:clear_user"), json!("ban")),
        ]
    );
    let audited = scene.app.audited("chat:user_timed_out").await;
    assert_eq!(audited.len(), 1);
    assert_eq!(audited[0].account_id, Some(scene.owner.account_id));
    assert_eq!(audited[0].actor_id, Some(scene.install));
    assert_eq!(
        (&audited[0].metadata["success"], &audited[0].metadata["reason"]),
        (&json!(true), &json!("spam"))
    );
    let deleted = scene.app.audited_once("chat:message_deleted").await;
    assert_eq!((deleted.account_id, deleted.actor_id), (Some(scene.owner.account_id), Some(scene.install)));
    let lifted = scene.app.audited_once("chat:user_unbanned").await;
    assert_eq!((lifted.account_id, lifted.actor_id), (Some(scene.owner.account_id), Some(scene.install)));
    scene.app.stop().await;
}

#[tokio::test]
async fn run_extension_action_does_not_moderate_the_broadcaster_or_unsupported_platforms() {
    let scene = Scene::with(&["chat:read", "chat:delete", "chat:ban"]).await;
    connect(&scene.app, scene.owner.account_id, Platform::Kick, "kicker").await;
    let refused = scene.run("i:0", "ban", json!({ "user_id": "7", "platform": "kick" })).await;
    assert_eq!(
        (&refused["error_code"], &refused["error"]),
        (&json!("NOT_SUPPORTED"), &json!("ban is not supported on kick"))
    );
    let own = json!({ "user_id": scene.channel.id, "platform": "twitch" });
    assert_eq!(scene.refused("i:1", "ban", own).await, "FORBIDDEN");
    let line = ChatLine { platform: "kick", user_id: "bystander", text: "hi", ago: 3 };
    store_line_as(&scene.app, scene.owner.account_id, &line, "m").await;
    let deleted = scene.run("i:2", "delete", json!({ "message_id": "m", "platform": "kick" })).await;
    assert_eq!(deleted["ok"], true, "{deleted}");
    let audited = scene.app.audited("chat:user_banned").await;
    assert!(
        audited.iter().all(|entry| entry.metadata["success"] == false) && audited.len() == 2,
        "{audited:?}"
    );
    scene.app.stop().await;
}

#[tokio::test]
async fn run_extension_action_emits_an_event_again_with_the_same_id_and_time() {
    let scene = Scene::with(&["events:read", "events:emit"]).await;
    let payload = json!({ "eventType": "custom:level_up", "data": {} });
    let answer = scene.run("i:0", "events:emit", payload.clone()).await;
    // As if the process had died before it stored the outcome.
    diesel::update(extension_actions::table)
        .set(extension_actions::result.eq(None::<Value>))
        .execute(&mut *scene.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    scene.app.clock.advance(Duration::minutes(2));
    assert_eq!(scene.run("i:0", "events:emit", payload).await, answer);
    assert_eq!(published(&scene.app, &format!("events:{}", scene.owner.account_id)).await.len(), 1);
    scene.app.stop().await;
}

#[tokio::test]
async fn run_extension_action_publishes_and_stores_emitted_events() {
    let scene = Scene::with(&["events:read", "events:emit"]).await;
    let payload = json!({ "eventType": "custom:level_up", "data": { "level": 3 } });
    let answer = scene.run("i:0", "events:emit", payload.clone()).await;
    assert_eq!(answer["ok"], true, "{answer}");
    assert_eq!(scene.run("i:0", "events:emit", payload).await, answer);
    let published = published(&scene.app, &format!("events:{}", scene.owner.account_id)).await;
    assert_eq!(published.len(), 1);
    assert_eq!(published[0]["data"]["event_type"], "custom:level_up");
    assert_eq!(published[0]["data"]["data"], json!({ "level": 3 }));
    let running = lumio_tests::world::workers(&scene.app, &[lumio_worker::Daemon::Ingest]).await;
    lumio_tests::world::eventually("it is stored", async || {
        lumio_tests::world::stored_events(&scene.app, scene.owner.account_id).await.len() == 1
    })
    .await;
    running.stop().await.unwrap();
    scene.app.stop().await;
}
