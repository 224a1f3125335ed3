//! Cost of matching a line of chat against an account's 500 triggers.

use std::{hint::black_box, time::Instant};

use anyhow::Result;
use extension_model::feeds::TriggerFeed;
use extension_runtime::triggers::{CommandLine, Line, Triggers};
use live_model::ChatMessage;
use serde_json::json;
use stack::measure::{Rounds, short};

use crate::table::{Row, Table};

const LINES: u32 = 20_000;
/// Of ten installs: 200 commands, 150 keywords, 150 patterns.
const INSTALLS: u32 = 10;

/// Four kinds of lines: one that meets nothing, a command, one that meets a keyword and a pattern, one outside of ASCII.
const TEXTS: [&str; 4] = [
    "just an ordinary line of chat that somebody wrote, with nothing in it that anything looks for",
    "!command_7_13 some arguments here",
    "word3 number9 and then I buy item4x2 maybe today",
    "ein gewöhnlicher Satz mit Ümläuten und 漢字 darin, der nichts auslöst",
];

pub fn run(table: &mut Table, rounds: u32) -> Result<()> {
    let triggers = Triggers::compile(&feed()?);
    let lines: Vec<Line> = TEXTS.into_iter().map(line).collect::<Result<_>>()?;
    let mut slowest = 0.0_f64;
    let mut figures = Vec::new();
    for line in &lines {
        let mut micros = Rounds::default();
        for _ in 0..rounds {
            let started = Instant::now();
            for _ in 0..LINES {
                let command = CommandLine::parse(&line.message.text, "!");
                black_box(triggers.of_chat(black_box(line), command.as_ref()));
            }
            micros.add(started.elapsed().as_secs_f64() * 1e6 / f64::from(LINES));
        }
        slowest = slowest.max(micros.median());
        figures.push(short(micros.median()));
    }
    table.add(Row {
        work: "Matching a chat line against 500 triggers",
        figure: format!("{} µs (nothing, command, keyword and pattern, not ASCII)", figures.join(" / ")),
        bar: "≤ 50 µs",
        met: Some(slowest <= 50.0),
    });
    Ok(())
}

fn feed() -> Result<TriggerFeed> {
    let install = |id: u32| {
        let each =
            |count: u32, one: &dyn Fn(u32) -> serde_json::Value| (0..count).map(one).collect::<Vec<_>>();
        json!({
            "install_id": uuid::Uuid::from_u128(id.into()),
            "extension_id": uuid::Uuid::from_u128(id.into()),
            "extension_name": "Bench",
            "commands": each(20, &|n| json!({ "name": format!("command_{id}_{n}"), "handler": "c" })),
            "keywords": each(15, &|n| json!({ "value": format!("word{id} number{n}"), "handler": "k" })),
            "patterns": each(15, &|n| json!({
                "regex": format!(r"(?i)\b(buy|sell)\s+item{id}x{n}\b.*(now|today)"), "handler": "p",
            })),
            "has_moderate": false,
            "platforms": [],
            "moderate": null,
            "events": [],
            "timers": [],
        })
    };
    let installs: Vec<_> = (0..INSTALLS).map(install).collect();
    Ok(serde_json::from_value(json!({ "installs": installs, "killed": false }))?)
}

fn line(text: &str) -> Result<Line> {
    let message: ChatMessage = serde_json::from_value(json!({
        "id": uuid::Uuid::nil(), "account_id": uuid::Uuid::nil(), "platform": "twitch",
        "platform_message_id": "m", "platform_user_id": "u", "username": "ada", "display_name": "Ada",
        "color": null, "badges": [{ "id": "subscriber", "version": "3" }], "text": text, "fragments": [],
        "emotes": [], "reply_to": null, "is_deleted": false, "is_action": false,
        "sent_at": "2026-01-01T00:00:00Z",
    }))?;
    Ok(Line { message, channel_id: Some("c".to_owned()), is_test: false })
}
