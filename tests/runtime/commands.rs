//! Chat commands of accounts and of the deployment (reference/bots.md#bot-commands).

use std::time::Duration;

use live_model::ChatMessage;
use lumio_worker::Daemon;
use platforms_stand_in::Platform;
use serde_json::{Value, json};
use shared::secret::Secret;
use tokio::sync::watch;
use uuid::Uuid;

use super::{
    faults::{open_proxy, through},
    stage::{Module, Stage, Streamer},
};

/// Creates a command; returns its id.
async fn command(streamer: &Streamer, input: Value) -> Uuid {
    let created = streamer.person.post("/v1/bot-commands", input).await;
    created.data()["id"].as_str().unwrap().parse().unwrap()
}

/// True when Redis has the key.
async fn exists(stage: &Stage, key: String) -> bool {
    let mut redis = stage.app.state.redis.get().await.unwrap();
    redis::cmd("EXISTS").arg(stage.app.state.redis.key(key)).query_async(&mut *redis).await.unwrap()
}

async fn use_count(streamer: &Streamer, id: Uuid) -> Value {
    streamer.person.get(&format!("/v1/bot-commands/{id}")).await.data()["use_count"].clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_are_answered_once_with_their_variables_and_counted() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let response =
        "{user} in {channel} on {platform}: #{count}, live {uptime}, {song}, {random:x,x}, {nobody}";
    let id = command(
        &ada,
        json!({
            "name": "about", "aliases": ["info"], "response_type": "template", "response": response,
        }),
    )
    .await;
    command(&ada, json!({ "name": "plain", "response": "{user} stays" })).await;

    let event = stage.say(&ada, "!About me").await;
    let channel = &ada.channel.display_name;
    let reply =
        |count: u32| format!("Ada in {channel} on twitch: #{count}, live offline, nothing, x, {{nobody}}");
    assert_eq!(stage.sent(&ada, 1).await, [reply(1)]);
    stage.deliver(&ada, &event, "the same line again").await;
    stage.done(2).await;
    assert_eq!(stage.sent_now(&ada).len(), 1, "a line is answered once");

    diesel_async::RunQueryDsl::execute(
        diesel::sql_query(format!(
            "INSERT INTO channel_statuses (id, account_id, platform, broadcast_id, is_online, started_at)
             VALUES (gen_random_uuid(), '{0}', 'twitch', 'announced', false, NULL),
                    (gen_random_uuid(), '{0}', 'twitch', 'now', true, '{1}')",
            ada.person.account_id,
            shared::clock::rfc3339(stage.app.clock.now() - chrono::Duration::minutes(125)),
        )),
        &mut *stage.app.databases.postgres.get().await.unwrap(),
    )
    .await
    .unwrap();
    stage.say(&ada, "!info").await;
    stage.say(&ada, "!plain").await;
    let sent = stage.sent(&ada, 3).await;
    assert!(sent.contains(&reply(2).replace("offline", "2h 5m")), "{sent:?}");
    assert!(sent.contains(&"{user} stays".to_owned()), "{sent:?}");
    stage.eventually("the uses are written", async || use_count(&ada, id).await == 2).await;
    let entries = stage.app.platforms.sent_messages(Platform::Twitch).len();
    assert_eq!(entries, 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_have_a_global_and_a_user_cooldown() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let all = command(&ada, json!({ "name": "all", "response": "all", "cooldown_global": 3600 })).await;
    let own = command(&ada, json!({ "name": "own", "response": "own", "cooldown_user": 3600 })).await;
    for _ in 0..2 {
        stage.say(&ada, "!all").await;
        stage.say(&ada, "!own").await;
    }
    stage.done(4).await;
    let mut sent = stage.sent(&ada, 2).await;
    sent.sort();
    assert_eq!(sent, ["all", "own"]);
    let account = ada.person.account_id;
    for (command, whose, is_there) in [
        (all, "global", true),
        (all, "user:twitch:4711", false),
        (own, "global", false),
        (own, "user:twitch:4711", true),
    ] {
        assert_eq!(exists(&stage, format!("cmd_cd:{account}:{command}:{whose}")).await, is_there, "{whose}");
    }
    stage
        .eventually("what rested was not counted", async || {
            (use_count(&ada, all).await, use_count(&ada, own).await) == (json!(1), json!(1))
        })
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_need_the_role_the_platform_and_the_prefix() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    command(&ada, json!({ "name": "mods", "response": "mods", "min_role": "moderator" })).await;
    command(&ada, json!({ "name": "kick", "response": "kick", "platforms": ["kick"] })).await;
    command(&ada, json!({ "name": "off", "response": "off", "enabled": false })).await;
    stage.say_as(&ada, "!mods", &["vip"]).await;
    stage.say(&ada, "!kick").await;
    stage.say(&ada, "!off").await;
    stage.say(&ada, "mods").await;
    stage.say_as(&ada, "!mods", &["moderator"]).await;
    stage.done(5).await;
    assert_eq!(stage.sent(&ada, 1).await, ["mods"]);

    ada.person.patch("/v1/settings", json!({ "command_prefix": "?" })).await.data();
    stage.announce(&ada).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    stage.say_as(&ada, "!mods", &["broadcaster"]).await;
    stage.say_as(&ada, "?mods", &["broadcaster"]).await;
    stage.done(7).await;
    assert_eq!(stage.sent(&ada, 2).await, ["mods", "mods"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_change_within_a_second_and_precede_global_ones() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let operator = stage.app.admin_with(&["bot-commands:create", "bot-commands:edit"]).await;
    let settle = async || tokio::time::sleep(Duration::from_millis(800)).await;
    stage.say(&ada, "!hello").await;
    stage.done(1).await;

    let input = json!({ "name": "hello", "response": "from everybody" });
    let global = operator.post("/v1/admin/bot-commands", input).await.data()["id"].clone();
    let global = global.as_str().unwrap();
    settle().await;
    stage.say(&ada, "!hello").await;
    assert_eq!(stage.sent(&ada, 1).await, ["from everybody"]);

    let path = format!("/v1/bot-commands/global/{global}/override");
    ada.person.put(&path, json!({ "response": "overridden" })).await.data();
    settle().await;
    stage.say(&ada, "!hello").await;
    assert_eq!(stage.sent(&ada, 2).await[1], "overridden");

    let own = command(&ada, json!({ "name": "hello", "response": "my own" })).await;
    settle().await;
    stage.say(&ada, "!hello").await;
    assert_eq!(stage.sent(&ada, 3).await[2], "my own");

    ada.person.delete(&format!("/v1/bot-commands/{own}")).await.expect(204);
    ada.person.delete(&path).await.expect(204);
    operator
        .patch(&format!("/v1/admin/bot-commands/{global}"), json!({ "min_role": "broadcaster" }))
        .await
        .data();
    settle().await;
    stage.say(&ada, "!hello").await;
    stage.say_as(&ada, "!hello", &["broadcaster"]).await;
    stage.done(6).await;
    assert_eq!(stage.sent(&ada, 4).await[3..], ["from everybody".to_owned()]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_of_the_account_precede_those_of_extensions() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let install = stage.install(&ada, Module::answering("hello", "from the extension")).await;
    stage.say(&ada, "!hello").await;
    assert_eq!(stage.sent(&ada, 1).await, ["from the extension"]);
    let id =
        command(&ada, json!({ "name": "hello", "response": "from the account", "min_role": "vip" })).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    stage.say_as(&ada, "!hello", &["vip"]).await;
    assert_eq!(stage.sent(&ada, 2).await[1], "from the account");
    // The account's command takes the name also where the chatter may not use it.
    stage.say(&ada, "!hello").await;
    stage.done(3).await;
    assert_eq!(stage.sent_now(&ada).len(), 2);
    assert_eq!(stage.invocations(&install).await, 1);
    ada.person.patch(&format!("/v1/bot-commands/{id}"), json!({ "enabled": false })).await.data();
    tokio::time::sleep(Duration::from_millis(500)).await;
    stage.say(&ada, "!hello").await;
    assert_eq!(stage.sent(&ada, 3).await[2], "from the extension");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_answer_test_lines_and_store_nothing() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let input = json!({
        "name": "once", "response_type": "template", "response": "#{count}", "cooldown_global": 3600,
        "cooldown_user": 3600,
    });
    let id = command(&ada, input).await;
    for _ in 0..2 {
        let event_id = shared::id::new();
        let message: ChatMessage = serde_json::from_value(json!({
            "id": event_id, "account_id": ada.person.account_id, "platform": "twitch",
            "platform_message_id": event_id, "platform_user_id": "sim", "username": "sim",
            "display_name": "Sim", "color": null, "badges": [], "text": "!once", "fragments": [], "emotes": [],
            "reply_to": null, "is_deleted": false, "is_action": false, "sent_at": stage.app.clock.now(),
        }))
        .unwrap();
        let mut event = message.announcement().unwrap();
        event.data["is_test"] = json!(true);
        stage.deliver(&ada, &event, &event_id.to_string()).await;
    }
    assert_eq!(stage.sent(&ada, 2).await, ["#0", "#0"]);
    let account = ada.person.account_id;
    for key in [
        format!("cmd_cd:{account}:{id}:global"),
        format!("cmd_cd:{account}:{id}:user:twitch:sim"),
        format!("cmd_uses:{account}:{id}"),
        "cmd_uses:changed".to_owned(),
    ] {
        assert!(!exists(&stage, key.clone()).await, "{key}");
    }
    stage.say(&ada, "!once").await;
    assert_eq!(stage.sent(&ada, 3).await[2], "#1", "the first real use");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_are_answered_once_and_counted_jointly_by_two_workers() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let id = command(&ada, json!({ "name": "n", "response_type": "template", "response": "#{count}" })).await;
    let mut config = stage.app.config();
    config.workers.system_key = Some(Secret::new(stage.app.system_key().await.token()).into());
    config.workers.engine_dir = stage.worker.context.config.workers.engine_dir.clone();
    let daemons = [Daemon::ExtensionRuntime];
    let second = lumio_worker::start_with(config, stage.app.clock.clone(), &daemons).await.unwrap();
    for _ in 0..20 {
        stage.say(&ada, "!n").await;
    }
    let mut sent = stage.sent(&ada, 20).await;
    sent.sort_by_key(|text| text[1..].parse::<u32>().unwrap());
    assert_eq!(sent, (1..=20).map(|count| format!("#{count}")).collect::<Vec<_>>());
    stage.eventually("the uses are written", async || use_count(&ada, id).await == 20).await;
    second.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_never_repeat_a_count_while_redis_is_slow() {
    let target = watch::Sender::new(None);
    let proxy = open_proxy(&target).await;
    let stage = Stage::start_on_server(|config| {
        let url = through(config.redis.url.expose(), &proxy, &target);
        config.redis.url = Secret::new(url.to_string());
        config.redis.pool_timeout = Duration::from_secs(10);
    })
    .await;
    let ada = stage.streamer().await;
    command(&ada, json!({ "name": "n", "response_type": "template", "response": "#{count}" })).await;
    stage.say(&ada, "!n").await;
    assert_eq!(stage.sent(&ada, 1).await, ["#1"]);
    // As a busy machine: every reply arrives, and all of them late.
    proxy.delay(Duration::from_millis(300));
    for _ in 0..4 {
        stage.say(&ada, "!n").await;
    }
    let mut sent = stage.sent(&ada, 5).await;
    sent.sort();
    assert_eq!(sent, ["#1", "#2", "#3", "#4", "#5"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_lose_and_repeat_no_answer_while_the_api_is_away() {
    let target = watch::Sender::new(None);
    let proxy = open_proxy(&target).await;
    let stage = Stage::start_with(|config| {
        config.workers.api_url = through(config.workers.api_url.as_str(), &proxy, &target);
    })
    .await;
    let ada = stage.streamer().await;
    let id = command(&ada, json!({ "name": "n", "response_type": "template", "response": "#{count}" })).await;
    stage.say(&ada, "!n").await;
    assert_eq!(stage.sent(&ada, 1).await, ["#1"]);
    proxy.shut();
    for _ in 0..3 {
        stage.say(&ada, "!n").await;
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(stage.sent_now(&ada).len(), 1);
    proxy.open();
    let mut sent = stage.sent(&ada, 4).await;
    sent.sort();
    assert_eq!(sent, ["#1", "#2", "#3", "#4"]);
    stage.done(4).await;
    assert_eq!(stage.sent_now(&ada).len(), 4);
    stage.eventually("four uses", async || use_count(&ada, id).await == 4).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_changed_while_redis_was_away_are_read_afterwards() {
    let target = watch::Sender::new(None);
    let proxy = open_proxy(&target).await;
    let stage = Stage::start_on_server(|config| {
        let url = through(config.redis.url.expose(), &proxy, &target);
        config.redis.url = Secret::new(url.to_string());
    })
    .await;
    let ada = stage.streamer().await;
    let id = command(&ada, json!({ "name": "n", "response": "old" })).await;
    stage.say(&ada, "!n").await;
    assert_eq!(stage.sent(&ada, 1).await, ["old"]);
    proxy.shut();
    ada.person.patch(&format!("/v1/bot-commands/{id}"), json!({ "response": "new" })).await.data();
    tokio::time::sleep(Duration::from_millis(300)).await;
    proxy.open();
    // The subscription is renewed within moments; the change is not announced again.
    tokio::time::sleep(Duration::from_secs(2)).await;
    stage.say(&ada, "!n").await;
    assert_eq!(stage.sent(&ada, 2).await, ["old", "new"]);
}
