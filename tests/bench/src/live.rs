//! Time from a platform's delivery to a socket, and to a handler's reply; alone, and beside an account under heavy
//! load.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use demo::{Creator, Socket, StandIn};
use serde_json::json;
use stack::{
    Stack,
    measure::{Rounds, percentile, short},
    text,
};

use crate::{
    creators::Creators,
    deliveries::{Chat, answered},
    table::{Row, Table},
};

/// 200 lines a second.
const BUSY_INTERVAL: Duration = Duration::from_millis(5);
/// 40 lines a second.
const QUIET_INTERVAL: Duration = Duration::from_millis(25);

pub async fn run(stack: &mut Stack, table: &mut Table, rounds: u32, lines: u64) -> Result<()> {
    stack.ensure_worker("ingest")?;
    stack.ensure_worker("extension-runtime")?;
    let creators = Creators::new(stack)?;
    let (creator, chat) = creators.sign_in_with_extension("bench").await?;
    let (_, storming) = creators.sign_in_with_extension("storming").await?;
    socket(&chat, &creator, table, lines.min(200)).await?;
    replies(&chat, &creators.stand_in, table, lines).await?;
    fairness(&chat, &storming, &creators.stand_in, table, rounds).await
}

/// Lines one after another on an idle system.
async fn socket(chat: &Chat, creator: &Creator, table: &mut Table, lines: u64) -> Result<()> {
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

/// Lines at 200 a second, each of which a handler answers. The first ones, without warm connections, plans and code,
/// are not counted.
async fn replies(chat: &Chat, stand_in: &StandIn, table: &mut Table, lines: u64) -> Result<()> {
    let first = chat.greet("first", 200, BUSY_INTERVAL).await?;
    answered(stand_in, &first).await?;
    let sent = chat.greet("n", lines, BUSY_INTERVAL).await?;
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

/// Replies of a quiet account, alone and beside an account under heavy load.
async fn fairness(
    quiet: &Chat,
    storming: &Chat,
    stand_in: &StandIn,
    table: &mut Table,
    rounds: u32,
) -> Result<()> {
    const LINES: u64 = 400;
    let (mut alone, mut beside) = (Rounds::default(), Rounds::default());
    for round in 0..rounds {
        let sent = quiet.greet(&format!("alone{round}x"), LINES, QUIET_INTERVAL).await?;
        alone.add(percentile(&mut answered(stand_in, &sent).await?, 99.0));
        let storm = storming.clone();
        let name = format!("storm{round}x");
        let storm = tokio::spawn(async move { storm.greet(&name, LINES * 5, BUSY_INTERVAL).await });
        let sent = quiet.greet(&format!("beside{round}x"), LINES, QUIET_INTERVAL).await?;
        beside.add(percentile(&mut answered(stand_in, &sent).await?, 99.0));
        answered(stand_in, &storm.await?.context("the storm")?).await?;
    }
    let ratio = beside.median() / alone.median();
    table.add(Row {
        work: "Replies of a quiet account (40 lines/s) while another gets 200 lines/s",
        figure: format!("p99 {}, alone {}: {ratio:.2} times", beside.summary("ms"), alone.summary("ms")),
        bar: "p99 under twice that alone",
        met: Some(ratio < 2.0),
    });
    Ok(())
}
