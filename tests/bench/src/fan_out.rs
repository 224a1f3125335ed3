//! One publisher, many sockets: cost of a delivery on the server, its delay, and lost events.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use bytes::{Buf, BytesMut};
use foundation::{
    events::{Channel, Event, EventLog},
    redis::Redis,
};
use futures::{SinkExt, StreamExt, TryStreamExt, stream};
use serde_json::json;
use shared::config::Config;
use stack::{
    Stack,
    measure::{Rounds, percentile, processor_time, short},
};
use tokio::{io::AsyncReadExt, net::TcpStream, sync::watch, task::JoinSet};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{Message, client::IntoClientRequest, http::HeaderValue},
};
use uuid::Uuid;

use crate::{
    bare_writes,
    table::{Row, Table},
};

type Stream = MaybeTlsStream<TcpStream>;
/// A socket of a client.
pub type Client = WebSocketStream<Stream>;

const WORK: &str = "Socket fan-out, 1 publisher → 1,000 sockets, 200-byte body";
const MANY_WORK: &str = "… → 10,000 sockets";
const BAR: &str = "≤ 1.15 times bare writes of the same bytes, p99 ≤ 16 ms, none lost";
const MAX_TIMES_BARE: f64 = 1.15;
const MAX_DELAY_MILLIS: f64 = 16.0;
/// Sockets beyond which bare writes are measured with half as many.
const MAX_BARE_SOCKETS: usize = 5_000;
/// Approximate length of a frame: a body of 200 bytes and its envelope.
const FRAME_BYTES: usize = 300;
/// Handshakes at once.
pub const CONNECTING: usize = 50;
/// Longest wait for events in transit after the publisher has ended.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);

/// Number of events and subscribers.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    pub sockets: usize,
    pub events: usize,
    pub events_a_second: f64,
}

/// Result of a fan-out.
#[derive(Debug)]
pub struct Outcome {
    pub lost: usize,
    /// Server time for one delivery, in µs.
    pub cpu: f64,
    /// From before the append to the arrival at a socket, in ms.
    pub delays: Vec<f64>,
}

/// Measures and adds the rows for a thousand and ten thousand sockets.
pub async fn run(stack: &Stack, table: &mut Table, rounds: u32, seconds: usize) -> Result<()> {
    let token = stack.run("lumio-api", &["admin", "create-system-key", "--label", "fan-out"])?;
    let plan = Plan { sockets: 1_000, events: 100 * seconds, events_a_second: 100.0 };
    measure(stack, &token, Plan { events: 50, ..plan }).await?;
    table.add(compare(stack, &token, WORK, plan, rounds).await?);
    let many = Plan { sockets: 10_000, events: 10 * seconds, events_a_second: 10.0 };
    // Each socket needs a file descriptor on both sides.
    table.add(match compare(stack, &token, MANY_WORK, many, rounds).await {
        Ok(row) => row,
        Err(error) => Row { work: MANY_WORK, figure: format!("not measured: {error}"), bar: BAR, met: None },
    });
    Ok(())
}

/// Compares deliveries with bare writes, in turn.
async fn compare(stack: &Stack, token: &str, work: &'static str, plan: Plan, rounds: u32) -> Result<Row> {
    // Both ends of a bare connection are in this process, whose number of open files is limited.
    let half = Plan { sockets: plan.sockets / 2, ..plan };
    let bare_plan = if plan.sockets > MAX_BARE_SOCKETS { half } else { plan };
    let (mut cpu, mut bare, mut delay, mut lost) =
        (Rounds::default(), Rounds::default(), Rounds::default(), 0);
    for _ in 0..rounds {
        bare.add(tokio::task::spawn_blocking(move || bare_writes::measure(bare_plan, FRAME_BYTES)).await??);
        let mut outcome = measure(stack, token, plan).await?;
        cpu.add(outcome.cpu);
        delay.add(percentile(&mut outcome.delays, 99.0));
        lost += outcome.lost;
    }
    let times_bare = cpu.median() / bare.median();
    Ok(Row {
        work,
        figure: format!(
            "{}, {} times bare writes ({}), p99 {}, {lost} lost",
            cpu.summary("µs CPU"),
            short(times_bare),
            bare.summary("µs"),
            delay.summary("ms")
        ),
        bar: BAR,
        met: Some(times_bare <= MAX_TIMES_BARE && delay.median() <= MAX_DELAY_MILLIS && lost == 0),
    })
}

/// Connects, publishes at a steady pace, and records the arrivals.
pub async fn measure(stack: &Stack, token: &str, plan: Plan) -> Result<Outcome> {
    let log = event_log(stack)?;
    let channel = Channel::Chat(Uuid::now_v7());
    let clients = audience(&stack.origin, token, &channel.to_string(), plan.sockets).await?;
    let began = Instant::now();
    let audience = Audience::listen(clients, plan.events, began);
    let before = processor_time(stack.api_pid)?;
    publish(&log, channel, plan, began).await?;
    let delays = audience.delays().await?;
    Outcome::of(delays, plan, processor_time(stack.api_pid)? - before)
}

impl Outcome {
    /// Outcome of a plan whose events arrived with these delays.
    pub fn of(delays: Vec<f64>, plan: Plan, used: Duration) -> Result<Self> {
        ensure!(!delays.is_empty(), "nothing arrived");
        #[expect(clippy::cast_precision_loss, reason = "a count far below 2^52")]
        let cpu = used.as_secs_f64() * 1e6 / delays.len() as f64;
        Ok(Self { lost: (plan.sockets * plan.events).saturating_sub(delays.len()), cpu, delays })
    }
}

/// Sockets whose arrivals are recorded.
pub struct Audience {
    listeners: JoinSet<Vec<f64>>,
    end: watch::Sender<()>,
}

impl Audience {
    /// Listens to as many events of each socket. Nothing may be in transit.
    pub fn listen(clients: Vec<Client>, events: usize, began: Instant) -> Self {
        let (mut listeners, (end, over)) = (JoinSet::new(), watch::channel(()));
        for client in clients {
            // Nothing is published yet, so nothing can be in the buffer.
            listeners.spawn(listen(client.into_inner(), events, began, over.clone()));
        }
        Self { listeners, end }
    }

    /// Delay of every event, in ms, once all have arrived or no more are waited for: those are lost.
    pub async fn delays(self) -> Result<Vec<f64>> {
        let Self { mut listeners, end } = self;
        let watchdog = tokio::spawn(async move {
            tokio::time::sleep(DRAIN_TIMEOUT).await;
            end.send_replace(());
        });
        let mut delays = Vec::new();
        while let Some(heard) = listeners.join_next().await {
            delays.extend(heard?);
        }
        watchdog.abort();
        Ok(delays)
    }
}

fn event_log(stack: &Stack) -> Result<EventLog> {
    let config = Config::from_variables(stack.environment.clone())
        .map_err(|mistakes| anyhow::anyhow!(mistakes.join("; ")))?;
    Ok(EventLog::new(Redis::new(&config.redis)?))
}

/// Sockets that have subscribed.
pub async fn audience(origin: &str, token: &str, channel: &str, sockets: usize) -> Result<Vec<Client>> {
    let address = format!("{}/v1/ws", origin.replacen("http", "ws", 1));
    let (token, subscribe) =
        (format!("Bearer {token}"), json!({ "type": "subscribe", "channel": channel }).to_string());
    stream::iter(0..sockets)
        .map(|_| connect(&address, &token, &subscribe))
        .buffer_unordered(CONNECTING)
        .try_collect()
        .await
}

/// Connects with an `Authorization` and subscribes.
pub async fn connect(address: &str, authorization: &str, subscribe: &str) -> Result<Client> {
    let mut request = address.into_client_request()?;
    request.headers_mut().insert("authorization", HeaderValue::from_str(authorization)?);
    let (mut client, _) = connect_async(request).await?;
    client.next().await.context("a greeting")??;
    client.send(Message::text(subscribe)).await?;
    let answer = client.next().await.context("an answer")??.into_text()?;
    ensure!(answer.contains("\"subscribed\""), "not subscribed: {answer}");
    Ok(client)
}

async fn publish(log: &EventLog, channel: Channel, plan: Plan, began: Instant) -> Result<()> {
    let mut ticks = tokio::time::interval(Duration::from_secs_f64(1.0 / plan.events_a_second));
    let filling = "x".repeat(150);
    for n in 0..plan.events {
        ticks.tick().await;
        // Padded, so that every body has the same length: about 200 bytes.
        let at = format!("{:020}", began.elapsed().as_nanos());
        let now = shared::clock::Clock::default().now();
        log.append(&Event::new(channel, "bench:event", json!({ "at": at, "n": n, "x": filling }), now))
            .await?;
    }
    Ok(())
}

/// Delay of every event that arrives, in ms, until all have or the time is over. Reads the frames itself: the generator
/// shares the machine with the server, and its own cost would show as their delay.
async fn listen(
    mut stream: Stream,
    events: usize,
    began: Instant,
    mut over: watch::Receiver<()>,
) -> Vec<f64> {
    let (mut delays, mut frames) = (Vec::with_capacity(events), Frames::default());
    while delays.len() < events {
        let read = tokio::select! {
            biased;
            read = stream.read_buf(&mut frames.bytes) => read,
            _ = over.changed() => break,
        };
        if !matches!(read, Ok(1..)) {
            break;
        }
        let now = began.elapsed();
        while let Some(frame) = frames.next() {
            let sent = sent_at(&frame);
            delays.extend(sent.map(|sent| now.saturating_sub(sent).as_secs_f64() * 1e3));
        }
    }
    delays
}

/// Frames of a server (RFC 6455 §5.2): unmasked and unfragmented.
#[derive(Default)]
struct Frames {
    bytes: BytesMut,
}

impl Frames {
    /// Payload of the next complete frame.
    fn next(&mut self) -> Option<BytesMut> {
        let (header, length) = match *self.bytes.get(1)? {
            127 => (10, usize::try_from(u64::from_be_bytes(self.bytes.get(2..10)?.try_into().ok()?)).ok()?),
            126 => (4, usize::from(u16::from_be_bytes(self.bytes.get(2..4)?.try_into().ok()?))),
            length => (2, usize::from(length)),
        };
        (self.bytes.len() >= header + length).then(|| {
            self.bytes.advance(header);
            self.bytes.split_to(length)
        })
    }
}

/// Time at which an event was published. Searched for, not parsed.
fn sent_at(frame: &[u8]) -> Option<Duration> {
    const MARK: &[u8] = b"\"at\":\"";
    let start = frame.windows(MARK.len()).position(|window| window == MARK)? + MARK.len();
    let nanos = std::str::from_utf8(frame.get(start..start + 20)?).ok()?.parse().ok()?;
    Some(Duration::from_nanos(nanos))
}
