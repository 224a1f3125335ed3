//! Starts by chat lines: commands with the account's prefix, and keywords.

use super::*;
use live_model::{Line, OwnMessages};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn starts_by_commands_match_prefix_name_and_platform() {
    let stage = Stage::start().await;
    let (automation, node) = stage.automate("chat_command", json!({ "command": "hello" })).await;
    let (elsewhere, _) =
        stage.automate("chat_command", json!({ "command": "hello", "platforms": ["kick"] })).await;
    for text in ["hello", "?hello", "!hell", "!helloo", "say !hello"] {
        stage.say(text).await;
    }
    assert!(stage.runs().await.is_empty());
    stage.say("!HELLO  big world ").await;
    eventually("it starts", async || stage.runs_of(automation).await == 1).await;
    let found = stage.runs().await;
    let trigger = &found[0].trigger;
    assert_eq!((&trigger["node_id"], &trigger["type"]), (&json!(node), &json!("chat_command")));
    let payload = &trigger["payload"];
    assert_eq!(
        (&payload["command"], &payload["arguments"], &payload["platform"]),
        (&json!("hello"), &json!("big world"), &json!("twitch"))
    );
    let user = json!({
        "id": stage.viewer.id, "platform": "twitch", "platform_user_id": stage.viewer.id,
        "name": stage.viewer.login, "display_name": stage.viewer.display_name, "roles": [],
    });
    assert_eq!(payload["user"], user);
    assert_eq!(stage.runs_of(elsewhere).await, 0);

    // Another prefix is in force at once.
    let changed = stage.owner.patch("/v1/settings", json!({ "command_prefix": "?" })).await;
    changed.expect(200);
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    stage.say("!hello again").await;
    assert_eq!(stage.runs_of(automation).await, 1);
    stage.say("?hello again").await;
    eventually("it starts", async || stage.runs_of(automation).await == 2).await;
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn starts_by_keywords_match_words_or_parts_of_them() {
    let stage = Stage::start().await;
    let (word, _) = stage.automate("chat_keyword", json!({ "keyword": "Pizza" })).await;
    let (part, _) = stage.automate("chat_keyword", json!({ "keyword": "pizza", "match": "contains" })).await;
    let (elsewhere, _) =
        stage.automate("chat_keyword", json!({ "keyword": "pizza", "platforms": ["kick"] })).await;
    stage.say("pasta for all").await;
    assert!(stage.runs().await.is_empty());
    stage.say("two pizzas").await;
    eventually("a part starts one", async || stage.runs_of(part).await == 1).await;
    assert_eq!(stage.runs_of(word).await, 0);
    stage.say("I want PIZZA!").await;
    eventually("a word starts both", async || stage.runs_of(word).await == 1).await;
    eventually("a word starts both", async || stage.runs_of(part).await == 2).await;
    assert_eq!(stage.runs_of(elsewhere).await, 0);
    stage.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn starts_ignore_the_lines_of_the_accounts_own_bot() {
    let stage = Stage::start().await;
    let (automation, _) = stage.automate("chat_command", json!({ "command": "loop" })).await;
    stage.automate("chat_keyword", json!({ "keyword": "loop" })).await;
    let line = twitch::Event::chat_message(&stage.streamer, &stage.streamer, "!loop");
    let own = OwnMessages::new(stage.app.state.redis.clone());
    let sent = Line {
        platform: "twitch",
        channel_id: &stage.streamer.id,
        sender_id: Some(&stage.streamer.id),
        text: "!loop",
    };
    own.sending(&sent).await.unwrap();
    own.sent(&sent, line.event["message_id"].as_str().unwrap()).await.unwrap();
    stage.deliver(&line).await;
    assert!(stage.runs().await.is_empty());
    // The same line of a viewer starts both.
    stage.say("!loop").await;
    eventually("it starts", async || stage.runs_of(automation).await == 1).await;
    assert_eq!(stage.runs().await.len(), 2);
    stage.stop().await;
}
