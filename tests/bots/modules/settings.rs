//! Validation of the settings of bot modules (reference/bots.md#built-in-modules).

use lumio_tests::{TestApp, both_refused};
use serde_json::{Value, json};

use super::{MODULE, UNKNOWN, delete_over_graphql, path, update_over_graphql};

#[tokio::test]
async fn update_bot_module_validates_the_name_and_every_setting() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let input = json!({ "enabled": true, "config": {} });
    let query = format!("query($name: String!) {{ botModule(name: $name) {MODULE} }}");
    let name = json!({ "name": "greeter" });
    for (rest, graphql) in [
        (owner.get(&path("greeter")).await, owner.graphql(&query, name).await),
        (
            owner.put(&path("greeter"), input.clone()).await,
            update_over_graphql(&owner, "greeter", &input).await,
        ),
        (owner.delete(&path("greeter")).await, delete_over_graphql(&owner, "greeter").await),
    ] {
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", UNKNOWN);
    }
    let timed = |message: Value| json!({ "messages": [message] });
    for (module, config, message) in [
        ("link_protection", json!({ "acton": "x" }), "config.acton is not a setting of this extension"),
        ("link_protection", json!({ "action": "ban" }), "config.action must be one of delete, timeout, warn"),
        (
            "link_protection",
            json!({ "timeout_secs": 0 }),
            "config.timeout_secs must be between 1 and 1209600",
        ),
        (
            "link_protection",
            json!({ "allowed_domains": ["https://a.example"] }),
            "config.allowed_domains must hold host names such as example.com, not \"https://a.example\"",
        ),
        (
            "spam_protection",
            json!({ "max_caps_percent": 101 }),
            "config.max_caps_percent must be between 0 and 100",
        ),
        ("word_filter", json!({ "words": [" "] }), "config.words must hold words of 1 to 100 characters"),
        (
            "word_filter",
            json!({ "patterns": ["x".repeat(513)] }),
            "config.patterns must hold patterns of 1 to 512 characters",
        ),
        (
            "word_filter",
            json!({ "patterns": [r"(?:\w{500}){500}"] }),
            r#"config.patterns must hold regular expressions; "(?:\\w{500}){500}": it is too large"#,
        ),
        ("timed_messages", json!({ "messages": ["hi"] }), "config.messages must be a list of objects"),
        (
            "timed_messages",
            timed(json!({ "text": "hi", "interval_secs": 59 })),
            "config.messages[0].interval_secs must be between 60 and 86400",
        ),
        (
            "timed_messages",
            timed(json!({ "text": "", "interval_secs": 60 })),
            "config.messages[0].text must have 1 to 500 characters, none of them a control character",
        ),
        (
            "timed_messages",
            timed(json!({ "text": "hi", "interval_secs": 60, "platforms": ["msn"] })),
            "config.messages[0].platforms must be some of twitch, youtube, kick, trovo, discord",
        ),
    ] {
        let input = json!({ "enabled": true, "config": config });
        both_refused(
            &owner.put(&path(module), input.clone()).await,
            &update_over_graphql(&owner, module, &input).await,
            400,
            "VALIDATION_ERROR",
            message,
        );
    }
    let unbalanced = json!({ "enabled": true, "config": { "patterns": ["(a"] } });
    let (code, message) = owner.put(&path("word_filter"), unbalanced).await.error();
    assert_eq!(code, "VALIDATION_ERROR");
    assert!(message.starts_with("config.patterns must hold regular expressions"), "{message}");
    owner
        .put(&path("word_filter"), json!({ "enabled": true, "config": 7 }))
        .await
        .refused("VALIDATION_ERROR", "config must be an object");
    assert!(app.audited("bot_module:updated").await.is_empty(), "nothing was written");

    // Configuring the install applies the same rules.
    owner.put(&path("timed_messages"), json!({ "enabled": false })).await.data();
    let timed_messages = owner.get(&path("timed_messages")).await.data()["install_id"].clone();
    let install = format!("/v1/extension-installs/{}", timed_messages.as_str().unwrap());
    let config = timed(json!({ "text": "hi", "interval_secs": 1 }));
    owner
        .patch(&install, json!({ "config": config }))
        .await
        .refused("VALIDATION_ERROR", "config.messages[0].interval_secs must be between 60 and 86400");
}
