//! Overlays: the state that a page gets first, a change of a layer on its way to a thousand pages, and an event on its
//! way to the pixels of one.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use api_core::token::{NewToken, TokenKind};
use demo::{Api, text};
use diesel::{
    sql_query,
    sql_types::{Binary, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use futures::{SinkExt, StreamExt, TryStreamExt, stream};
use reqwest::Method;
use serde_json::{Value, json};
use stack::{
    Stack,
    browser::Browser,
    drawn,
    measure::{Rounds, percentile, processor_time, short},
    unix_millis, watch,
};
use tokio_tungstenite::tungstenite::Message;
use uuid::Uuid;

use crate::{
    bare_writes,
    creators::Creators,
    deliveries::Chat,
    fan_out::{Audience, CONNECTING, Client, Outcome, Plan, connect},
    table::{Row, Table},
};

const SNAPSHOT_WORK: &str = "Overlay snapshot, 100 layers";
const UPDATE_WORK: &str = "Layer update → 1,000 sockets of one overlay";
const PIXEL_WORK: &str = "Event in → pixel of an overlay, idle system";
/// Layers of a full overlay (reference/overlays.md#layers).
const LAYERS: usize = 100;
/// Types of its layers, repeated.
const TYPES: [&str; 8] =
    ["text", "image", "timer", "alert_box", "chat_box", "event_list", "music", "custom_html"];
/// Snapshots that are read: each socket subscribes so often that its 60 frames in 10 s suffice.
const SNAPSHOTS: usize = 100;
const SNAPSHOT_SOCKETS: usize = 5;
/// Sockets of one token (reference/realtime.md#open-sockets).
const SOCKETS_PER_TOKEN: usize = 10;
/// Time between two lines, so that a frame of the page is over.
const LINE_INTERVAL: Duration = Duration::from_millis(50);
/// Lines that only warm the page.
const WARM_UP_LINES: u64 = 5;

/// An overlay of the account, and a token of it.
struct Overlay {
    id: String,
    channel: String,
    token: String,
}

/// Measures and adds the three rows.
pub async fn run(
    stack: &mut Stack,
    table: &mut Table,
    rounds: u32,
    seconds: usize,
    lines: u64,
) -> Result<()> {
    stack.ensure_worker("outbox")?;
    stack.ensure_worker("ingest")?;
    let owner = Api::new(&stack.origin)?.with(&stack.session);
    snapshots(&owner, table).await?;
    updates(stack, &owner, table, rounds, seconds).await?;
    pixels(stack, table, lines).await
}

async fn overlay(owner: &Api, layers: Vec<Value>) -> Result<Overlay> {
    let made = owner.post("/v1/overlays", json!({ "name": "Bench" })).await?;
    let id = text(&made, "/data/id")?.to_owned();
    let path = format!("/v1/overlays/{id}");
    owner.call(Method::PUT, &format!("{path}/layers"), Some(json!({ "layers": layers }))).await?;
    let token = owner.get(&format!("{path}/token")).await?;
    let channel = format!("overlay:{}", text(&made, "/data/key")?);
    Ok(Overlay { id, channel, token: text(&token, "/data/token")?.to_owned() })
}

fn layer(layer_type: &str, at: usize) -> Value {
    json!({ "type": layer_type, "name": format!("{layer_type} {at}"), "x": at % 10 * 190, "y": at / 10 * 105,
            "width": 190, "height": 100 })
}

/// From a subscription to the whole state. No socket listens meanwhile, so that each state is read anew.
async fn snapshots(owner: &Api, table: &mut Table) -> Result<()> {
    let layers = TYPES.iter().cycle().take(LAYERS).enumerate().map(|(at, kind)| layer(kind, at)).collect();
    let overlay = overlay(owner, layers).await?;
    let mut clients = Vec::new();
    for _ in 0..SNAPSHOT_SOCKETS {
        let (mut client, _) = subscribed(owner.origin(), &overlay.token, &overlay.channel).await?;
        unsubscribe(&mut client, &overlay.channel).await?;
        clients.push(client);
    }
    let subscribe = json!({ "type": "subscribe", "channel": overlay.channel }).to_string();
    let (mut waits, mut bytes) = (Vec::new(), 0);
    for number in 0..SNAPSHOTS {
        let client = &mut clients[number % SNAPSHOT_SOCKETS];
        let began = Instant::now();
        client.send(Message::text(subscribe.as_str())).await?;
        let state = state(client).await?;
        waits.push(began.elapsed().as_secs_f64() * 1e3);
        bytes = state.len();
        unsubscribe(client, &overlay.channel).await?;
    }
    let (_client, state) = subscribed(owner.origin(), &overlay.token, &overlay.channel).await?;
    let state: Value = serde_json::from_str(&state)?;
    let shown = state["data"]["layers"].as_array().map_or(0, Vec::len);
    ensure!(shown == LAYERS, "the state has {shown} layers");
    table.add(Row {
        work: SNAPSHOT_WORK,
        figure: format!(
            "p50 {}, p99 {} ms from the subscription ({SNAPSHOTS} states, each read anew), {} KiB",
            short(percentile(&mut waits, 50.0)),
            short(percentile(&mut waits, 99.0)),
            bytes / 1024
        ),
        bar: "none",
        met: None,
    });
    Ok(())
}

/// A socket that has the state of an overlay, and the frame of that state.
async fn subscribed(origin: &str, token: &str, channel: &str) -> Result<(Client, String)> {
    let address = format!("{}/v1/ws", origin.replacen("http", "ws", 1));
    let subscribe = json!({ "type": "subscribe", "channel": channel }).to_string();
    let mut client = connect(&address, &format!("Bearer {token}"), &subscribe).await?;
    let state = state(&mut client).await?;
    Ok((client, state))
}

/// The next frame that is the state of an overlay.
async fn state(client: &mut Client) -> Result<String> {
    frame_with(client, "\"overlay:snapshot\"").await
}

async fn unsubscribe(client: &mut Client, channel: &str) -> Result<()> {
    client.send(Message::text(json!({ "type": "unsubscribe", "channel": channel }).to_string())).await?;
    frame_with(client, "\"unsubscribed\"").await.map(drop)
}

/// The next frame that contains a text.
async fn frame_with(client: &mut Client, wanted: &str) -> Result<String> {
    loop {
        let frame = client.next().await.context("the socket was closed")??.into_text()?;
        ensure!(!frame.contains("\"type\":\"error\""), "refused: {frame}");
        if frame.contains(wanted) {
            return Ok(frame.as_str().to_owned());
        }
    }
}

/// Changes of one layer, one after the other. The API admits ten sockets of a token and twenty shares of an overlay, so
/// that further tokens of the overlay are written into the database.
async fn updates(stack: &Stack, owner: &Api, table: &mut Table, rounds: u32, seconds: usize) -> Result<()> {
    let plan = Plan { sockets: 1_000, events: 10 * seconds, events_a_second: 10.0 };
    let overlay = overlay(owner, vec![layer("image", 0)]).await?;
    let (_, length) = update(stack, owner, &overlay, Plan { events: 3, ..plan }).await?;
    let (mut cpu, mut bare, mut delays, mut lost) = (Rounds::default(), Rounds::default(), Vec::new(), 0);
    for _ in 0..rounds {
        bare.add(tokio::task::spawn_blocking(move || bare_writes::measure(plan, length)).await??);
        let (outcome, _) = update(stack, owner, &overlay, plan).await?;
        cpu.add(outcome.cpu);
        lost += outcome.lost;
        delays.extend(outcome.delays);
    }
    table.add(Row {
        work: UPDATE_WORK,
        figure: format!(
            "{} a frame of {length} bytes, change and reading included, {} times bare writes ({}), p50 {}, p99 {} ms \
             from the request, {lost} lost ({} tokens)",
            cpu.summary("µs CPU"),
            short(cpu.median() / bare.median()),
            bare.summary("µs"),
            short(percentile(&mut delays, 50.0)),
            short(percentile(&mut delays, 99.0)),
            plan.sockets / SOCKETS_PER_TOKEN
        ),
        bar: "none lost",
        met: Some(lost == 0),
    });
    Ok(())
}

/// Further tokens of an overlay.
async fn tokens(stack: &Stack, overlay: &Overlay, count: usize) -> Result<Vec<String>> {
    let key = overlay.channel.split_once(':').context("a channel")?.1;
    let mut connection = AsyncPgConnection::establish(&stack.environment["DATABASE_URL"]).await?;
    let mut tokens = Vec::with_capacity(count);
    for _ in 0..count {
        let token = NewToken::generate(TokenKind::Overlay);
        sql_query(
            "INSERT INTO surface_tokens (id, kind, account_id, subject, token_hash, token_prefix)
             VALUES (gen_random_uuid(), 'overlay', $1, $2, $3, $4)",
        )
        .bind::<SqlUuid, _>(stack.account_id.parse::<Uuid>()?)
        .bind::<Text, _>(key)
        .bind::<Binary, _>(&token.hash)
        .bind::<Text, _>(&token.prefix)
        .execute(&mut connection)
        .await?;
        tokens.push(token.text.expose().to_owned());
    }
    Ok(tokens)
}

/// Changes the layer at the plan's pace, each time after one more page has got the former change: changes that come
/// together are sent as one. Returns the outcome and the length of a frame.
async fn update(stack: &Stack, owner: &Api, overlay: &Overlay, plan: Plan) -> Result<(Outcome, usize)> {
    // New ones: the places of sockets that were just closed may be taken for a moment.
    let tokens = tokens(stack, overlay, plan.sockets / SOCKETS_PER_TOKEN).await?;
    let clients: Vec<Client> = stream::iter(0..plan.sockets)
        .map(async |socket| {
            let token = &tokens[socket / SOCKETS_PER_TOKEN % tokens.len()];
            anyhow::Ok(subscribed(owner.origin(), token, &overlay.channel).await?.0)
        })
        .buffer_unordered(CONNECTING)
        .try_collect()
        .await?;
    let (mut page, state) = subscribed(owner.origin(), &overlay.token, &overlay.channel).await?;
    let state: Value = serde_json::from_str(&state)?;
    let path = format!("/v1/overlays/{}/layers/{}", overlay.id, text(&state, "/data/layers/0/id")?);
    let began = Instant::now();
    let audience = Audience::listen(clients, plan.events, began);
    let before = processor_time(stack.api_pid)?;
    let mut ticks = tokio::time::interval(Duration::from_secs_f64(1.0 / plan.events_a_second));
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut length = 0;
    for _ in 0..plan.events {
        ticks.tick().await;
        // In the form in which the audience searches for it.
        let at = format!("{:020}", began.elapsed().as_nanos());
        let change = json!({ "config": { "at": at } });
        owner.call(Method::PATCH, &path, Some(change)).await?;
        length = frame_with(&mut page, &at).await?.len();
    }
    let delays = audience.delays().await?;
    Ok((Outcome::of(delays, plan, processor_time(stack.api_pid)? - before)?, length))
}

/// Chat lines one after another on an idle system, until a chat box of a page has drawn them.
async fn pixels(stack: &Stack, table: &mut Table, lines: u64) -> Result<()> {
    let Some(mut browser) = Browser::start_as_obs().await else {
        table.add(Row {
            work: PIXEL_WORK,
            figure: "not measured: no browser is installed".into(),
            bar: "none",
            met: None,
        });
        return Ok(());
    };
    let chat = page_with_chat(stack, &mut browser).await?;
    let (mut texts, mut frames) = (Vec::new(), Vec::new());
    for line in 0..WARM_UP_LINES + lines {
        let wanted = format!("pixel {line}.");
        watch(&mut browser, "[data-type=chat_box]", &[&wanted]).await;
        let sent = unix_millis();
        chat.say(&wanted, &format!("pixel-{line}")).await?;
        let seen = drawn(&mut browser).await?;
        if line >= WARM_UP_LINES {
            texts.push(seen.text_at - sent);
            frames.push(seen.frame_at - sent);
        }
        tokio::time::sleep(LINE_INTERVAL).await;
    }
    table.add(Row {
        work: PIXEL_WORK,
        figure: format!(
            "p50 {}, p99 {} ms to the text in the page, p50 {}, p99 {} ms to the frame after the one that draws it \
             ({lines} lines, HTTP delivery included)",
            short(percentile(&mut texts, 50.0)),
            short(percentile(&mut texts, 99.0)),
            short(percentile(&mut frames, 50.0)),
            short(percentile(&mut frames, 99.0))
        ),
        bar: "none",
        met: None,
    });
    Ok(())
}

/// Opens the page of an overlay with a chat box; returns the chat that it shows.
async fn page_with_chat(stack: &Stack, browser: &mut Browser) -> Result<Chat> {
    let (creator, chat) = Creators::new(stack)?.sign_in("pixels").await?;
    let shown = overlay(&creator.api, vec![layer("chat_box", 0)]).await?;
    let key = shown.channel.split_once(':').context("a channel")?.1;
    browser.open(&format!("{}/v1/overlays/{key}/page#token={}", stack.origin, shown.token)).await;
    browser.until("document.querySelector('.layer')?.childElementCount > 0").await;
    Ok(chat)
}
