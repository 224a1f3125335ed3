use std::time::Instant;

use chrono::DateTime;
use shared::{
    events::{Channel, Event},
    feeds::{EventTrigger, Keyword, Pattern},
    ingest::{Badge, ChatMessage},
};

use super::*;

fn install(id: u128) -> TriggerInstall {
    TriggerInstall {
        install_id: Uuid::from_u128(id),
        extension_id: Uuid::from_u128(1000 + id),
        extension_name: "Test".to_owned(),
        commands: Vec::new(),
        keywords: Vec::new(),
        patterns: Vec::new(),
        has_moderate: false,
        platforms: Vec::new(),
        moderate: None,
        events: Vec::new(),
        timers: Vec::new(),
    }
}

fn command(name: &str) -> Command {
    Command {
        name: name.to_owned(),
        alias: None,
        cooldown_global: 0,
        cooldown_user: 0,
        min_role: MinRole::Everyone,
        enabled: true,
        handler: format!("on_{name}"),
    }
}

fn triggers(installs: Vec<TriggerInstall>) -> Triggers {
    Triggers::compile(&TriggerFeed { installs, killed: false })
}

fn said(text: &str) -> Line {
    let message = ChatMessage {
        id: Uuid::nil(),
        account_id: Uuid::nil(),
        platform: "twitch".to_owned(),
        platform_message_id: "m1".to_owned(),
        platform_user_id: "u1".to_owned(),
        username: "ada".to_owned(),
        display_name: "Ada".to_owned(),
        color: None,
        badges: Vec::new(),
        text: text.to_owned(),
        fragments: Vec::new(),
        emotes: Vec::new(),
        reply_to: None,
        is_deleted: false,
        is_action: false,
        sent_at: DateTime::UNIX_EPOCH,
    };
    Line { message, channel_id: Some("c1".to_owned()) }
}

fn said_by(text: &str, badge: &str) -> Line {
    let mut line = said(text);
    line.message.badges = vec![Badge { id: badge.to_owned(), version: String::new(), info: None }];
    line
}

fn happened(event_type: &str, platform: Option<&str>) -> AccountEvent {
    AccountEvent {
        id: Uuid::nil(),
        account_id: Uuid::nil(),
        event_type: event_type.to_owned(),
        platform: platform.map(str::to_owned),
        platform_user_id: None,
        username: None,
        display_name: None,
        avatar_url: None,
        amount: None,
        currency: None,
        message: None,
        data: json!({ "viewer_count": 5 }),
        is_test: false,
        occurred_at: DateTime::UNIX_EPOCH,
    }
}

fn handlers(calls: &[Call]) -> Vec<&str> {
    calls.iter().map(|call| call.handler.as_ref()).collect()
}

#[test]
fn a_command_is_known_by_name_and_alias_in_any_case() {
    let triggers = triggers(vec![TriggerInstall {
        commands: vec![Command { alias: Some("hi".to_owned()), ..command("hello") }],
        ..install(1)
    }]);
    let calls = triggers.of_chat(&said("!Hello  wide world ")).commands;
    assert_eq!(handlers(&calls), ["on_hello"]);
    assert_eq!(calls[0].install_id, Uuid::from_u128(1));
    assert_eq!(calls[0].input.to_json()["command"], "hello");
    assert_eq!(calls[0].input.to_json()["alias"], Value::Null);
    assert_eq!(calls[0].input.to_json()["args"], json!(["wide", "world"]));
    assert_eq!(calls[0].input.to_json()["argsText"], "wide world");
    assert_eq!(calls[0].input.to_json()["message"]["user"]["displayName"], "Ada");

    let calls = triggers.of_chat(&said("!hi")).commands;
    assert_eq!(
        (calls[0].input.to_json()["command"].as_str(), calls[0].input.to_json()["alias"].as_str()),
        (Some("hello"), Some("hi"))
    );

    for text in [
        "hello",
        "! hello",
        "!",
        "!hello!",
        "say !hello",
        "!helloo",
        "!hi-there",
        &format!("!{}", "x".repeat(33)),
    ] {
        assert_eq!(triggers.of_chat(&said(text)), ChatCalls::default(), "{text}");
    }
}

#[test]
fn commands_that_are_switched_off_or_above_the_chatter_do_not_run() {
    let commands = vec![
        Command { enabled: false, ..command("off") },
        Command { min_role: MinRole::Moderator, ..command("mod") },
        Command { min_role: MinRole::Subscriber, ..command("sub") },
        Command { min_role: MinRole::Broadcaster, ..command("owner") },
    ];
    let triggers = triggers(vec![TriggerInstall { commands, ..install(1) }]);
    for (text, badge, runs) in [
        ("!off", "broadcaster", false),
        ("!mod", "", false),
        ("!mod", "vip", false),
        ("!mod", "moderator", true),
        ("!mod", "broadcaster", true),
        ("!sub", "subscriber", true),
        ("!sub", "vip", true),
        ("!sub", "follower", false),
        ("!owner", "moderator", false),
        ("!owner", "broadcaster", true),
    ] {
        assert_eq!(!triggers.of_chat(&said_by(text, badge)).commands.is_empty(), runs, "{text} by {badge}");
    }
    let in_own_channel = Line { channel_id: Some("u1".to_owned()), ..said("!owner") };
    assert_eq!(triggers.of_chat(&in_own_channel).commands.len(), 1);
}

#[test]
fn moderation_and_commands_keep_the_order_of_the_installs() {
    let with = |id: u128| TriggerInstall {
        moderate: Some(format!("moderate_{id}")),
        has_moderate: true,
        commands: vec![Command { handler: format!("hello_{id}"), ..command("hello") }],
        ..install(id)
    };
    let calls = triggers(vec![with(3), with(1), with(2)]).of_chat(&said("!hello"));
    assert_eq!(handlers(&calls.moderate), ["moderate_3", "moderate_1", "moderate_2"]);
    assert_eq!(handlers(&calls.commands), ["hello_3", "hello_1", "hello_2"]);
}

#[test]
fn keywords_and_patterns_say_what_matched() {
    let triggers = triggers(vec![TriggerInstall {
        keywords: vec![
            Keyword { value: "GG".to_owned(), enabled: true, handler: "gg".to_owned() },
            Keyword { value: "world".to_owned(), enabled: false, handler: "off".to_owned() },
        ],
        patterns: vec![Pattern {
            regex: r"(\d+)\s*bits".to_owned(),
            enabled: true,
            handler: "bits".to_owned(),
        }],
        ..install(1)
    }]);
    let calls = triggers.of_chat(&said("gg world, 100 bits")).others;
    assert_eq!(handlers(&calls), ["gg", "bits"]);
    assert_eq!(
        (calls[0].kind, calls[0].input.to_json()["value"].as_str()),
        (TriggerKind::Keyword, Some("GG"))
    );
    assert_eq!(calls[1].input.to_json()["regex"], r"(\d+)\s*bits");
    assert_eq!(calls[1].input.to_json()["groups"], json!(["100 bits", "100"]));
}

#[test]
fn an_install_sees_its_platforms_only() {
    let triggers = triggers(vec![TriggerInstall {
        platforms: vec!["kick".to_owned()],
        moderate: Some("moderate".to_owned()),
        commands: vec![command("hello")],
        keywords: vec![Keyword { value: "hello".to_owned(), enabled: true, handler: "word".to_owned() }],
        events: vec![EventTrigger { event_type: "custom:x".to_owned(), handler: "x".to_owned() }],
        ..install(1)
    }]);
    assert_eq!(triggers.of_chat(&said("!hello")), ChatCalls::default());
    let mut line = said("!hello");
    line.message.platform = "kick".to_owned();
    let on_kick = triggers.of_chat(&line);
    assert_eq!((on_kick.moderate.len(), on_kick.commands.len(), on_kick.others.len()), (1, 1, 1));
    // An event of no platform is for everybody.
    assert_eq!(triggers.of_event(&happened("custom:x", None)).len(), 1);
    assert_eq!(triggers.of_event(&happened("custom:x", Some("twitch"))).len(), 0);
}

#[test]
fn events_trigger_by_their_type() {
    let triggers = triggers(vec![TriggerInstall {
        events: vec![EventTrigger { event_type: "twitch:raid".to_owned(), handler: "raid".to_owned() }],
        ..install(1)
    }]);
    let calls = triggers.of_event(&happened("twitch:raid", Some("twitch")));
    assert_eq!(handlers(&calls), ["raid"]);
    assert_eq!(calls[0].input.to_json()["event"]["data"]["viewer_count"], 5);
    assert_eq!(triggers.of_event(&happened("twitch:cheer", Some("twitch"))), []);
}

#[test]
fn events_of_the_log_are_read_by_type() {
    let log = |event_type: &str, data: Value| {
        Source::of(&Event::new(Channel::Chat(Uuid::nil()), event_type, data, DateTime::UNIX_EPOCH), None)
    };
    let line = said("hi");
    let read = Source::of(&line.message.announcement().unwrap(), line.channel_id.clone()).unwrap();
    assert_eq!(read, Some(Source::Chat(Box::new(line))));
    let event = Source::of(&happened("custom:x", None).announcement().unwrap(), None).unwrap();
    assert_eq!(event, Some(Source::Event(Box::new(happened("custom:x", None)))));
    assert!(log("chat:clear", json!({})).unwrap().is_none());
    assert!(log("chat:message", json!({ "platform": 1 })).is_err());
    assert!(log("event:new", json!([])).is_err());
}

/// Prints what one line costs; run it in a release build. Fails on no time.
#[test]
#[ignore = "a measurement, not a check"]
fn matching_cost_at_500_triggers() {
    let mut installs = Vec::new();
    for id in 0..10_u128 {
        installs.push(TriggerInstall {
            commands: (0..20).map(|n| command(&format!("command_{id}_{n}"))).collect(),
            keywords: (0..15)
                .map(|n| Keyword {
                    value: format!("word{id} number{n}"),
                    enabled: true,
                    handler: "k".to_owned(),
                })
                .collect(),
            patterns: (0..15)
                .map(|n| Pattern {
                    regex: format!(r"(?i)\b(buy|sell)\s+item{id}x{n}\b.*(now|today)"),
                    enabled: true,
                    handler: "p".to_owned(),
                })
                .collect(),
            ..install(id)
        });
    }
    let triggers = triggers(installs);
    let lines: Vec<Line> = [
        "just an ordinary line of chat that somebody wrote, with nothing in it that anything looks for",
        "!command_7_13 some arguments here",
        "word3 number9 and then I buy item4x2 maybe today",
        "ein gewöhnlicher Satz mit Ümläuten und 漢字 darin, der nichts auslöst",
    ]
    .map(said)
    .to_vec();
    const ROUNDS: u32 = 20_000;
    for line in &lines {
        let started = Instant::now();
        for _ in 0..ROUNDS {
            std::hint::black_box(triggers.of_chat(std::hint::black_box(line)));
        }
        println!("{:?} a line: {}", started.elapsed() / ROUNDS, line.message.text);
    }
}
