use serde_json::{Value, json};

use super::*;
use crate::model::{Edge, Graph, Node, Position};

fn node(r#type: &str, config: Value) -> Node {
    Node {
        id: Uuid::from_u128(1),
        r#type: r#type.to_owned(),
        label: None,
        config,
        position: Position::default(),
        install_id: None,
    }
}

fn trigger(r#type: &str, config: Value) -> Trigger {
    parse(&node(r#type, config)).unwrap()
}

#[test]
fn triggers_have_the_names_of_their_types() {
    for (r#type, config) in [
        ("event", json!({ "event_types": ["twitch:raid", "custom:dice"] })),
        ("chat_command", json!({ "command": "!Hello" })),
        ("chat_keyword", json!({ "keyword": " Hype ", "match": "contains", "platforms": ["kick"] })),
        ("reward_redeemed", json!({ "reward_id": null })),
        ("schedule", json!({ "cron": "*/5 * * * *", "timezone": "Europe/Berlin" })),
        ("stream_online", json!({})),
        ("stream_offline", json!({ "platforms": null })),
        ("manual", json!({})),
        ("bot_command", json!({ "command": "so" })),
        ("extension", json!({ "anything": 1 })),
    ] {
        assert_eq!(trigger(r#type, config).type_name(), r#type);
    }
}

#[test]
fn triggers_refuse_what_their_configuration_does_not_have() {
    for (r#type, config) in [
        ("event", json!({})),
        ("event", json!({ "event_types": [] })),
        ("event", json!({ "event_types": ["twitch:nothing"] })),
        ("event", json!({ "event_types": ["custom:Dice"] })),
        ("event", json!({ "event_types": vec!["twitch:raid"; MAX_EVENT_TYPES + 1] })),
        ("event", json!({ "event_types": ["twitch:raid"], "platforms": ["myspace"] })),
        ("event", json!({ "event_types": ["twitch:raid"], "filters": {} })),
        ("chat_command", json!({ "command": "two words" })),
        ("chat_command", json!({ "command": "x".repeat(33) })),
        ("chat_command", json!({ "command": "a", "prefix": "!" })),
        ("chat_keyword", json!({ "keyword": " " })),
        ("chat_keyword", json!({ "keyword": "x".repeat(MAX_KEYWORD_LENGTH + 1) })),
        ("chat_keyword", json!({ "keyword": "a", "match": "regex" })),
        ("reward_redeemed", json!({ "reward_id": "first" })),
        ("schedule", json!({ "cron": "* * * * * *" })),
        ("schedule", json!({ "cron": "* * * * *", "timezone": "Mars" })),
        ("manual", json!({ "input": 1 })),
        ("manual", json!([])),
        ("send_chat", json!({ "message": "a" })),
        ("nothing", json!({})),
    ] {
        assert!(parse(&node(r#type, config.clone())).is_err(), "{type} {config}");
    }
}

#[test]
fn triggers_of_events_match_type_platform_and_filters() {
    let raid = trigger(
        "event",
        json!({
            "event_types": ["twitch:raid", "kick:raid"],
            "platforms": ["twitch"],
            "filters": [{ "path": "amount", "op": "gte", "value": 10 }],
        }),
    );
    let event = json!({ "amount": 12 });
    assert!(raid.fires_for_event("twitch:raid", Some("twitch"), &event));
    assert!(!raid.fires_for_event("kick:raid", Some("kick"), &event));
    assert!(!raid.fires_for_event("twitch:raid", None, &event));
    assert!(!raid.fires_for_event("twitch:cheer", Some("twitch"), &event));
    assert!(!raid.fires_for_event("twitch:raid", Some("twitch"), &json!({ "amount": 9 })));
    let online = trigger("stream_online", json!({ "platforms": ["kick"] }));
    assert!(online.fires_for_event("kick:stream_online", Some("kick"), &Value::Null));
    assert!(!online.fires_for_event("twitch:stream_online", Some("twitch"), &Value::Null));
    assert!(!online.fires_for_event("kick:stream_offline", Some("kick"), &Value::Null));
    let offline = trigger("stream_offline", json!({}));
    assert!(offline.fires_for_event("trovo:stream_offline", Some("trovo"), &Value::Null));
}

#[test]
fn triggers_share_the_effort_of_their_filters() {
    let filters = json!([{ "path": "message", "op": "matches", "value": r"^\w\w" }]);
    let cheers = json!({ "event_types": ["twitch:cheer"], "filters": filters });
    let (effort, event) = (Arc::new(Effort::of_start()), json!({ "message": "a".repeat(1024) }));
    let fires = |event_type: &str| {
        let mut of_account = trigger("event", cheers.clone());
        of_account.share(&effort);
        of_account.fires_for_event(event_type, Some("twitch"), &event)
    };
    assert!((0..1_000).all(|_| !fires("twitch:raid")));
    let fired = (0..1_000).filter(|_| fires("twitch:cheer")).count();
    assert!((1..100).contains(&fired), "{fired}");
    let alone = trigger("event", cheers.clone());
    assert!(alone.fires_for_event("twitch:cheer", Some("twitch"), &event), "the next event has its own");
}

#[test]
fn triggers_of_chat_match_commands_and_words() {
    let command = trigger("chat_command", json!({ "command": "hello", "platforms": ["twitch"] }));
    assert!(command.fires_for_line(&Line::read("!HELLO you", "!", "twitch")));
    assert!(command.fires_for_line(&Line::read(" ?hello", "?", "twitch")));
    for (text, platform) in [
        ("!hello", "kick"),
        ("!helloo", "twitch"),
        ("hello", "twitch"),
        ("say !hello", "twitch"),
        ("!", "twitch"),
    ] {
        assert!(!command.fires_for_line(&Line::read(text, "!", platform)), "{text} on {platform}");
    }
    assert_eq!(Line::read("!so  @Ada  x ", "!", "twitch").arguments, "@Ada  x");
    let word = trigger("chat_keyword", json!({ "keyword": "Hype" }));
    let contains = trigger("chat_keyword", json!({ "keyword": "Hype", "match": "contains" }));
    for (text, is_word) in [("so HYPE!", true), ("hyped", false), ("a hyped hype", true), ("überhype", false)]
    {
        let line = Line::read(text, "!", "twitch");
        assert_eq!(word.fires_for_line(&line), is_word, "{text}");
        assert!(contains.fires_for_line(&line), "{text}");
    }
}

#[test]
fn triggers_have_patterns_for_events_of_their_type_and_platform() {
    let filters = json!([{ "path": "message", "op": "matches", "value": "^a" }]);
    let of = |filters: &Value| {
        trigger(
            "event",
            json!({ "event_types": ["twitch:raid"], "platforms": ["twitch"], "filters": filters }),
        )
    };
    let matching = of(&filters);
    assert!(matching.has_patterns_for_event("twitch:raid", Some("twitch")));
    assert!(!matching.has_patterns_for_event("twitch:follow", Some("twitch")));
    assert!(!matching.has_patterns_for_event("twitch:raid", Some("kick")));
    assert!(!matching.has_patterns_for_event("twitch:raid", None));
    let without = of(&json!([{ "path": "amount", "op": "gte", "value": 10 }]));
    assert!(!without.has_patterns_for_event("twitch:raid", Some("twitch")));
    assert!(!trigger("stream_online", json!({})).has_patterns_for_event("twitch:stream_online", None));
}

#[test]
fn triggers_of_rewards_and_bot_commands_match_their_object() {
    let (one, other) = (Uuid::from_u128(7), Uuid::from_u128(8));
    let named = trigger("reward_redeemed", json!({ "reward_id": one }));
    assert!(named.fires_for_redemption(one) && !named.fires_for_redemption(other));
    assert!(trigger("reward_redeemed", json!({})).fires_for_redemption(other));
    let command = trigger("bot_command", json!({ "command": "so", "platforms": ["twitch"] }));
    assert!(command.fires_for_command("SO", "twitch"));
    assert!(!command.fires_for_command("so", "kick") && !command.fires_for_command("s", "twitch"));
}

#[test]
fn triggers_of_a_run_are_found_by_node_then_type() {
    let numbered =
        |number: u128, r#type: &str| Node { id: Uuid::from_u128(number), ..node(r#type, json!({})) };
    let nodes = vec![
        numbered(1, "send_chat"),
        numbered(2, "extension"),
        numbered(3, "reward_redeemed"),
        numbered(4, "manual"),
        numbered(5, "bot_command"),
    ];
    let edge = Edge {
        id: Uuid::nil(),
        source_node_id: Uuid::from_u128(4),
        source_handle: "out".to_owned(),
        target_node_id: Uuid::from_u128(2),
    };
    let graph = Graph { nodes, edges: vec![edge] };
    let found = |trigger: Value| entry(&graph, &trigger).map(|id| id.as_u128());
    assert_eq!(found(json!({ "node_id": null, "type": "command" })), Some(5));
    assert_eq!(found(json!({ "node_id": null, "type": "reward_redeemed" })), Some(3));
    assert_eq!(found(json!({ "node_id": null, "type": "schedule" })), Some(4));
    assert_eq!(found(json!({ "node_id": Uuid::from_u128(3), "type": "manual" })), Some(3));
    assert_eq!(found(json!({ "node_id": Uuid::from_u128(1), "type": "manual" })), None);
    assert_eq!(found(json!({ "node_id": Uuid::from_u128(2), "type": "extension" })), None);
    assert_eq!(entry(&Graph::default(), &json!({})), None);
}
