//! Moderation by the built-in bot modules (reference/bots.md#built-in-modules).

use platforms_stand_in::Platform;
use serde_json::{Value, json};

use super::stage::{Stage, Streamer};

/// Enables a module and waits until the worker has read it.
async fn switch_on(stage: &Stage, streamer: &Streamer, name: &str, config: Value, exempt: Value) {
    let input = json!({ "enabled": true, "config": config, "exempt_roles": exempt });
    streamer.person.put(&format!("/v1/bot-modules/{name}"), input).await.data();
    stage.feed_has_settled().await;
    tokio::time::sleep(std::time::Duration::from_millis(400)).await;
}

/// Moderation actions: target, and the seconds of a time-out.
fn done(stage: &Stage) -> Vec<(String, Option<u32>)> {
    let actions = stage.app.platforms.moderation_actions(Platform::Twitch);
    actions
        .into_iter()
        .map(|action| (action.target_id, action.duration_secs.map(|secs| secs as u32)))
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn built_in_link_protection_removes_links_unless_allowed() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let config = json!({ "allowed_domains": ["Example.com"], "permit_secs": 600 });
    switch_on(&stage, &ada, "link_protection", config, json!({ "moderator": true, "vip": true })).await;

    for fine in [
        "no link at all, e.g. none.",
        "see example.com and https://www.example.com/x?y",
        "https://sub.example.com",
        "mail ada@evil.com please",
        "version 1.2.3 and end.of sentence",
    ] {
        stage.say(&ada, fine).await;
    }
    stage.say_as(&ada, "evil.com", &["moderator"]).await;
    stage.say_as(&ada, "evil.com", &["vip"]).await;
    stage.say_as(&ada, "evil.com", &["broadcaster"]).await;
    stage.done(8).await;
    assert_eq!(done(&stage), []);

    let mut expected = Vec::new();
    for link in [
        "buy at evil.com now",
        "HTTP://EVIL.COM/x",
        "https://example.com@evil.com",
        "example.com.evil.net",
        "www.evil.anything",
    ] {
        expected.push((stage.say(&ada, link).await.id.to_string(), None));
    }
    stage.done(13).await;
    let mut removed = done(&stage);
    removed.sort();
    expected.sort();
    assert_eq!(removed, expected);

    stage.say(&ada, "!permit @Ada").await;
    stage.done(14).await;
    assert_eq!(stage.sent_now(&ada).len(), 0, "only moderators permit");
    stage.say_as(&ada, "!permit @Ada", &["moderator"]).await;
    assert_eq!(stage.sent(&ada, 1).await, ["@Ada may post links for 600 seconds."]);
    stage.say(&ada, "evil.com").await;
    stage.done(16).await;
    assert_eq!(done(&stage).len(), expected.len(), "permitted");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn built_in_spam_protection_measures_lines_and_counts_repeats() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let config = json!({ "action": "timeout", "timeout_secs": 30, "max_repeats": 2, "max_emotes": 2 });
    switch_on(&stage, &ada, "spam_protection", config, json!({})).await;
    let mut lines = 0;
    for (text, is_spam) in [
        ("an ordinary line of chat", false),
        ("SHORT", false),
        ("WHY IS EVERYBODY SHOUTING HERE", true),
        ("!!!!!!???????%%%%%%%%%", true),
        ("😀😀😀", true),
        ("😀 fine", false),
    ] {
        let before = done(&stage).len();
        stage.say(&ada, text).await;
        lines += 1;
        stage.done(lines).await;
        assert_eq!(done(&stage).len() - before, usize::from(is_spam), "{text}");
    }
    assert_eq!(done(&stage)[0], ("4711".to_owned(), Some(30)));
    for repeat in 1..=3 {
        let before = done(&stage).len();
        stage.say(&ada, if repeat == 2 { "Hello  THERE everyone" } else { "hello there everyone" }).await;
        lines += 1;
        stage.done(lines).await;
        assert_eq!(done(&stage).len() - before, usize::from(repeat > 2), "repeat {repeat}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn built_in_word_filter_warns_and_stops_further_handling() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let config = json!({
        "words": ["Darn"], "patterns": ["h[e3]ck+"], "action": "warn", "warn_message": "Language, please",
    });
    switch_on(&stage, &ada, "word_filter", config, json!({ "subscriber": true })).await;
    ada.person.post("/v1/bot-commands", json!({ "name": "darn", "response": "never" })).await.data();
    for fine in ["darned if I know", "a clean line"] {
        stage.say(&ada, fine).await;
    }
    stage.say_as(&ada, "darn", &["subscriber"]).await;
    stage.done(3).await;
    assert_eq!(stage.sent_now(&ada).len(), 0);
    let first = stage.say(&ada, "oh DARN it").await;
    stage.sent(&ada, 1).await;
    stage.say(&ada, "what the H3CKK").await;
    // A moderated message is no command.
    stage.say(&ada, "!darn").await;
    let sent = stage.sent(&ada, 3).await;
    assert_eq!(sent, ["Language, please"; 3]);
    assert_eq!(stage.sent_now(&ada)[0].reply_to.as_deref(), Some(first.id.to_string().as_str()));
    assert_eq!(done(&stage), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn built_in_word_filter_matches_explosive_patterns_in_time() {
    let stage = Stage::start().await;
    let ada = stage.streamer().await;
    let config = json!({ "patterns": ["(a+)+$", "(x*)*y"] });
    switch_on(&stage, &ada, "word_filter", config, json!({})).await;
    stage.say(&ada, &format!("{}!", "a".repeat(400))).await;
    stage.say(&ada, &"x".repeat(400)).await;
    stage.done(2).await;
    assert_eq!(done(&stage), []);
    let caught = stage.say(&ada, "bbb aaaa").await;
    stage.eventually("caught", async || !done(&stage).is_empty()).await;
    assert_eq!(done(&stage), [(caught.id.to_string(), None)]);
}
