//! From a platform's delivery to a socket, and to a handler's reply.

use std::{
    collections::HashMap,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use anyhow::{Context, Result, ensure};
use chrono::{DateTime, Utc};
use demo::{Creator, Demo, Socket, StandIn};
use serde_json::json;
use stack::{
    Stack,
    measure::{percentile, short},
    text,
    twitch::Twitch,
};

use crate::table::{Row, Table};

/// Delivers chat lines as Twitch would.
struct Chat<'a> {
    stack: &'a Stack,
    twitch: Twitch,
    channel: &'a str,
}

pub async fn run(stack: &mut Stack, table: &mut Table, lines: u64) -> Result<()> {
    stack.start_worker("ingest")?;
    stack.start_worker("extension-runtime")?;
    let demo = Demo::new(
        stack.origin.clone(),
        String::new(),
        stack.environment["STAND_IN"].clone(),
        stack.program("lumio-api"),
        "tests/fixtures/extensions/greeter".into(),
    );
    // The demonstration calls the operator's commands in this process's environment.
    let (api, stand_in) = (demo::Api::new(&stack.origin)?, StandIn::new(&stack.environment["STAND_IN"])?);
    let creator = demo.sign_in(&api, &stand_in, "bench").await?;
    demo.install(&api, &stand_in, &creator, "bench").await?;
    let chat = Chat {
        stack,
        twitch: Twitch::new(&stack.environment["LUMIO_TWITCH_EVENTSUB_SECRET"])?,
        channel: &creator.twitch.id,
    };
    socket(&chat, &creator, table, lines.min(200)).await?;
    replies(&chat, &stand_in, table, lines).await
}

/// Lines one after another on an idle system.
async fn socket(chat: &Chat<'_>, creator: &Creator, table: &mut Table, lines: u64) -> Result<()> {
    let issued = creator.api.post("/v1/auth/ws-token", json!({})).await?;
    let (mut socket, _) = Socket::connect(creator.api.origin(), &text(&issued, "/data/ws_token")?).await?;
    socket.subscribe(&format!("chat:{}", creator.account_id)).await?;
    let mut waits = Vec::new();
    for line in 0..lines {
        let wanted = format!("idle {line}");
        let sent = Instant::now();
        chat.say(&wanted, &format!("idle-{line}")).await?;
        socket.event("chat:message", |data| data["text"] == wanted.as_str()).await?;
        waits.push(sent.elapsed().as_secs_f64() * 1000.0);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let (p50, p99) = (percentile(&mut waits, 50.0), percentile(&mut waits, 99.0));
    table.add(Row {
        work: "Event in → socket out, idle system",
        figure: format!(
            "p50 {} ms, p99 {} ms ({lines} lines, HTTP delivery included)",
            short(p50),
            short(p99)
        ),
        bar: "p99 ≤ 10 ms",
        met: Some(p99 <= 10.0),
    });
    Ok(())
}

/// Lines at 200 a second, each of which a handler answers.
async fn replies(chat: &Chat<'_>, stand_in: &StandIn, table: &mut Table, lines: u64) -> Result<()> {
    const PACE: Duration = Duration::from_millis(5);
    let mut sent = HashMap::new();
    let mut next = tokio::time::Instant::now();
    let mut calls = tokio::task::JoinSet::new();
    for line in 0..lines {
        tokio::time::sleep_until(next).await;
        next += PACE;
        let name = format!("n{line}");
        sent.insert(format!("Welcome, {name}!"), now());
        let request = chat.request(&format!("!hello {name}"), &format!("line-{line}"))?;
        calls.spawn(async move { request.send().await.and_then(reqwest::Response::error_for_status) });
    }
    while let Some(call) = calls.join_next().await {
        call?.context("a delivery was refused")?;
    }
    let mut waits = answered(stand_in, &sent).await?;
    let (p50, p99) = (percentile(&mut waits, 50.0), percentile(&mut waits, 99.0));
    table.add(Row {
        work: "Chat line in → bot reply action out, 200 lines/s",
        figure: format!(
            "p50 {} ms, p99 {} ms ({lines} lines, {} answered)",
            short(p50),
            short(p99),
            waits.len()
        ),
        bar: "p99 ≤ 50 ms, none lost",
        met: Some(p99 <= 50.0 && u64::try_from(waits.len())? == lines),
    });
    Ok(())
}

/// Milliseconds from each line to the arrival of its reply at the platform, once all have one or nothing comes any more.
async fn answered(stand_in: &StandIn, sent: &HashMap<String, f64>) -> Result<Vec<f64>> {
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        let replies = stand_in.sent("twitch").await?;
        let waits: Vec<f64> = replies
            .iter()
            .filter_map(|reply| {
                let began = sent.get(reply["text"].as_str()?)?;
                let arrived: DateTime<Utc> = serde_json::from_value(reply["sent_at"].clone()).ok()?;
                #[expect(clippy::cast_precision_loss, reason = "microseconds of today fit a double")]
                Some((arrived.timestamp_micros() as f64 / 1e6 - began) * 1000.0)
            })
            .collect();
        if waits.len() >= sent.len() || Instant::now() > until {
            ensure!(!waits.is_empty(), "no line was answered");
            return Ok(waits);
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

impl Chat<'_> {
    async fn say(&self, text: &str, id: &str) -> Result<()> {
        self.request(text, id)?.send().await?.error_for_status()?;
        Ok(())
    }

    fn request(&self, text: &str, id: &str) -> Result<reqwest::RequestBuilder> {
        self.twitch.chat_line(&self.stack.origin, self.channel, text, id)
    }
}

/// Unix seconds.
fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}
