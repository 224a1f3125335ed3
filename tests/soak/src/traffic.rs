//! Chat lines at a steady rate, delivered again until they are accepted, as Twitch does.

use std::{collections::HashMap, time::Duration};

use anyhow::{Context, Result, ensure};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use stack::{Stack, twitch::Twitch};
use tokio::{task::JoinSet, time::Instant};

use crate::{Arguments, automations, chaos::unix_seconds, listener::Listeners, world::World};

/// Longest time that a line is delivered again.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(120);
const RETRY_DELAY: Duration = Duration::from_millis(250);

/// A line that was accepted.
#[derive(Debug, Clone)]
pub struct Line {
    /// Of the message at the platform.
    pub id: String,
    /// The account's place in the world.
    pub account: usize,
    /// True for a line that starts the account's automation.
    pub has_word: bool,
    /// From the beginning of the traffic to the delivery that was accepted.
    pub at: Duration,
    /// Unix seconds of that delivery.
    pub sent_at: f64,
    /// Unix seconds of its acceptance.
    pub accepted_at: f64,
}

/// Lines to send, by account.
pub struct Plan {
    twitch: Twitch,
    origin: String,
    channels: Vec<String>,
    commands: usize,
    rate: u64,
    seconds: u64,
    /// Time of each account after which a line has the word of its automation.
    words: Vec<Duration>,
    random: StdRng,
}

/// A line to send.
struct Draft {
    id: String,
    account: usize,
    has_word: bool,
    text: String,
}

impl Plan {
    /// # Errors
    /// An error when no client can be created.
    pub fn new(stack: &Stack, world: &World, arguments: &Arguments) -> Result<Self> {
        Ok(Self {
            twitch: Twitch::new(&stack.environment["LUMIO_TWITCH_EVENTSUB_SECRET"])?,
            origin: stack.origin.clone(),
            channels: world.accounts.iter().map(|account| account.channel.clone()).collect(),
            commands: arguments.installs,
            rate: arguments.lines,
            seconds: arguments.seconds,
            words: vec![Duration::ZERO; world.accounts.len()],
            random: StdRng::seed_from_u64(arguments.seed),
        })
    }

    /// The line of this number, which is due at this time.
    fn draft(&mut self, number: u64, due: Duration) -> Draft {
        let account = self.random.random_range(0..self.channels.len());
        let command = self.random.random_range(0..self.commands);
        let id = format!("soak-{number}");
        let has_word = due >= self.words[account];
        let mut text = format!("!c{command} {id}");
        if has_word {
            self.words[account] = due + automations::INTERVAL;
            text = format!("{text} {}", automations::WORD);
        }
        Draft { id, account, has_word, text }
    }
}

/// Ids of the lines, by the place of their account.
pub fn ids_by_account(lines: &[Line]) -> HashMap<usize, Vec<&str>> {
    let mut ids: HashMap<usize, Vec<&str>> = HashMap::new();
    for line in lines {
        ids.entry(line.account).or_default().push(&line.id);
    }
    ids
}

/// Sends one line on every account and waits until every listener has it: later events are resumed from there.
///
/// # Errors
/// An error when a line is refused or does not arrive.
pub async fn greet(stack: &Stack, world: &World, listeners: &Listeners) -> Result<()> {
    let twitch = Twitch::new(&stack.environment["LUMIO_TWITCH_EVENTSUB_SECRET"])?;
    let until = Instant::now() + DELIVERY_TIMEOUT;
    listeners.subscribed(until).await?;
    for (number, account) in world.accounts.iter().enumerate() {
        let line =
            twitch.chat_line(&stack.origin, &account.channel, "hello", &format!("greeting-{number}"))?;
        line.send().await?.error_for_status()?;
    }
    listeners.heard_something(until).await
}

/// Sends all lines; returns the accepted ones, which must be all.
///
/// # Errors
/// An error when a line is refused for good, or is not accepted in time.
pub async fn run(mut plan: Plan, began: Instant) -> Result<Vec<Line>> {
    let mut deliveries = JoinSet::new();
    let total = plan.rate * plan.seconds;
    for number in 0..total {
        let due = Duration::from_micros(number * 1_000_000 / plan.rate);
        tokio::time::sleep_until(began + due).await;
        let draft = plan.draft(number, due);
        let (twitch, origin, channel) =
            (plan.twitch.clone(), plan.origin.clone(), plan.channels[draft.account].clone());
        deliveries.spawn(async move { deliver(&twitch, &origin, &channel, draft, began).await });
    }
    let mut lines = Vec::new();
    while let Some(line) = deliveries.join_next().await {
        lines.push(line.context("a delivery panicked")??);
    }
    Ok(lines)
}

async fn deliver(twitch: &Twitch, origin: &str, channel: &str, draft: Draft, began: Instant) -> Result<Line> {
    let Draft { id, account, has_word, text } = draft;
    let until = Instant::now() + DELIVERY_TIMEOUT;
    loop {
        let (at, sent_at) = (began.elapsed(), unix_seconds());
        // The API may be dead or starting: an error and a 5xx mean "again", as they do to Twitch.
        match twitch.chat_line(origin, channel, &text, &id)?.send().await {
            Ok(answer) if answer.status().is_success() => {
                return Ok(Line { id, account, has_word, at, sent_at, accepted_at: unix_seconds() });
            }
            Ok(answer) => {
                ensure!(!answer.status().is_client_error(), "a delivery was refused: {}", answer.status());
            }
            Err(_unreachable) => {}
        }
        ensure!(Instant::now() < until, "a line was not accepted within {} s", DELIVERY_TIMEOUT.as_secs());
        tokio::time::sleep(RETRY_DELAY).await;
    }
}
