use chrono::DateTime;
use extension_model::feeds::{EventTrigger, Keyword, MessageFilter, Pattern};
use foundation::events::{Channel, Event};
use live_model::{Badge, ChatMessage};

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
        exempt_roles: Vec::new(),
        filter: None,
    }
}

fn of_chat(triggers: &Triggers, line: &Line) -> ChatCalls {
    let text = line.message.text.clone();
    triggers.of_chat(line, CommandLine::parse(&text, "!").as_ref())
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

fn chat_line(text: &str) -> Line {
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
        forgets_user: false,
        counted_as: None,
    };
    Line { message, channel_id: Some("c1".to_owned()), is_test: false }
}

fn chat_line_by(text: &str, badge: &str) -> Line {
    let mut line = chat_line(text);
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
fn triggers_match_commands_by_name_and_alias_in_any_case() {
    let triggers = triggers(vec![TriggerInstall {
        commands: vec![Command { alias: Some("hi".to_owned()), ..command("hello") }],
        ..install(1)
    }]);
    let calls = of_chat(&triggers, &chat_line("!Hello  wide world ")).commands;
    assert_eq!(handlers(&calls), ["on_hello"]);
    assert_eq!(calls[0].install_id, Uuid::from_u128(1));
    assert_eq!(calls[0].input.to_json()["command"], "hello");
    assert_eq!(calls[0].input.to_json()["alias"], Value::Null);
    assert_eq!(calls[0].input.to_json()["args"], json!(["wide", "world"]));
    assert_eq!(calls[0].input.to_json()["argsText"], "wide world");
    assert_eq!(calls[0].input.to_json()["message"]["user"]["displayName"], "Ada");

    let calls = of_chat(&triggers, &chat_line("!hi")).commands;
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
        assert_eq!(of_chat(&triggers, &chat_line(text)), ChatCalls::default(), "{text}");
    }
}

#[test]
fn triggers_skip_commands_that_are_off_or_above_the_role() {
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
        assert_eq!(
            !of_chat(&triggers, &chat_line_by(text, badge)).commands.is_empty(),
            runs,
            "{text} by {badge}"
        );
    }
    let in_own_channel = Line { channel_id: Some("u1".to_owned()), ..chat_line("!owner") };
    assert_eq!(of_chat(&triggers, &in_own_channel).commands.len(), 1);
}

#[test]
fn triggers_keep_the_order_of_the_installs() {
    let with = |id: u128| TriggerInstall {
        moderate: Some(format!("moderate_{id}")),
        has_moderate: true,
        commands: vec![Command { handler: format!("hello_{id}"), ..command("hello") }],
        ..install(id)
    };
    let calls = of_chat(&triggers(vec![with(3), with(1), with(2)]), &chat_line("!hello"));
    assert_eq!(handlers(&calls.moderate), ["moderate_3", "moderate_1", "moderate_2"]);
    assert_eq!(handlers(&calls.commands), ["hello_3", "hello_1", "hello_2"]);
}

#[test]
fn triggers_of_keywords_and_patterns_carry_the_match() {
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
    let calls = of_chat(&triggers, &chat_line("gg world, 100 bits")).others;
    assert_eq!(handlers(&calls), ["gg", "bits"]);
    assert_eq!(
        (calls[0].kind, calls[0].input.to_json()["value"].as_str()),
        (TriggerKind::Keyword, Some("GG"))
    );
    assert_eq!(calls[1].input.to_json()["regex"], r"(\d+)\s*bits");
    assert_eq!(calls[1].input.to_json()["groups"], json!(["100 bits", "100"]));
}

#[test]
fn triggers_are_limited_to_the_platforms_of_the_install() {
    let triggers = triggers(vec![TriggerInstall {
        platforms: vec!["kick".to_owned()],
        moderate: Some("moderate".to_owned()),
        commands: vec![command("hello")],
        keywords: vec![Keyword { value: "hello".to_owned(), enabled: true, handler: "word".to_owned() }],
        events: vec![EventTrigger { event_type: "custom:x".to_owned(), handler: "x".to_owned() }],
        ..install(1)
    }]);
    assert_eq!(of_chat(&triggers, &chat_line("!hello")), ChatCalls::default());
    let mut line = chat_line("!hello");
    line.message.platform = "kick".to_owned();
    let on_kick = of_chat(&triggers, &line);
    assert_eq!((on_kick.moderate.len(), on_kick.commands.len(), on_kick.others.len()), (1, 1, 1));
    // An event of no platform is for all platforms.
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
    let line = chat_line("hi");
    let read = Source::of(&line.message.announcement().unwrap(), line.channel_id.clone()).unwrap();
    assert_eq!(read, Some(Source::Chat(Box::new(line))));
    let event = Source::of(&happened("custom:x", None).announcement().unwrap(), None).unwrap();
    assert_eq!(event, Some(Source::Event(Box::new(happened("custom:x", None)))));
    assert!(log("chat:clear", json!({})).unwrap().is_none());
    assert!(log("chat:message", json!({ "platform": 1 })).is_err());
    assert!(log("event:new", json!([])).is_err());
}

#[test]
fn triggers_moderate_neither_exempt_roles_nor_clean_messages() {
    let triggers = triggers(vec![TriggerInstall {
        moderate: Some("moderate".to_owned()),
        exempt_roles: vec![MinRole::Moderator, MinRole::Broadcaster],
        filter: Some(MessageFilter {
            words: vec!["Darn".to_owned()],
            patterns: vec![r"(?i:h[e3]ck+)".to_owned()],
            whole_words: true,
        }),
        ..install(1)
    }]);
    let moderates = |line: &Line| !of_chat(&triggers, line).moderate.is_empty();
    for (text, badge, moderated) in [
        ("oh DARN!", "", true),
        ("what the h3ckk", "vip", true),
        ("darned", "", false),
        ("nothing of it", "", false),
        ("darn", "moderator", false),
        ("darn", "broadcaster", false),
    ] {
        assert_eq!(moderates(&chat_line_by(text, badge)), moderated, "{text} by {badge}");
    }
}

#[test]
fn timers_are_known_by_install_and_name() {
    let timer = |name: &str, platforms: &[&str]| extension_model::feeds::Timer {
        name: name.to_owned(),
        interval_secs: 60,
        min_chat_lines: 5,
        handler: "send".to_owned(),
        platforms: platforms.iter().map(|platform| (*platform).to_owned()).collect(),
    };
    let triggers = triggers(vec![TriggerInstall {
        platforms: vec!["twitch".to_owned(), "kick".to_owned()],
        timers: vec![timer("all", &[]), timer("some", &["kick"])],
        ..install(1)
    }]);
    assert!(triggers.counts_lines());
    let platforms: Vec<_> = triggers.timers().iter().map(|timer| timer.platforms.len()).collect();
    assert_eq!(platforms, [2, 1]);
    let due = |install: u128, name: &str| TimerRun {
        install_id: Uuid::from_u128(install),
        name: name.to_owned(),
        platform: "kick".to_owned(),
        run: 7,
    };
    let call = triggers.of_timer(&due(1, "some")).unwrap();
    assert_eq!((call.kind, call.handler.as_ref()), (TriggerKind::Timer, "send"));
    assert_eq!(
        call.input.to_json(),
        json!({ "trigger": "timer", "name": "some", "platform": "kick", "run": 7 })
    );
    assert_eq!(triggers.of_timer(&due(2, "some")), None);
    assert_eq!(triggers.of_timer(&due(1, "gone")), None);
}

#[test]
fn triggers_mark_simulated_lines() {
    let mut event = chat_line("hi").message.announcement().unwrap();
    event.data["is_test"] = json!(true);
    let source = Source::of(&event, None).unwrap().unwrap();
    assert!(source.is_test());
    let due = json!({ "install_id": Uuid::nil(), "name": "n", "platform": "kick", "run": 1 });
    let event = Event::new(Channel::Extensions(Uuid::nil()), TIMER, due, DateTime::UNIX_EPOCH);
    assert_eq!(Source::of(&event, None).unwrap().unwrap().platform(), Some("kick"));
}
