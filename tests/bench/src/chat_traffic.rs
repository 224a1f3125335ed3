//! Chat lines at a steady rate over several channels.

use std::time::{Duration, Instant, SystemTime};

use anyhow::{Result, ensure};
use chrono::{DateTime, SubsecRound, Utc};
use serde_json::json;
use stack::DEADLINE;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::{
    cost_meter::{Meter, Reading},
    creators::Creators,
    deliveries::{Chat, Line},
};

/// Channels that share the lines: a rate is a multiple of it.
pub const CHANNELS: u32 = 10;
const COMMAND: &str = "cost";
const WARM_UP_SECONDS: u32 = 1;
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// Reaction to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Plain,
    /// The reply of a command of the account.
    Command,
    /// The reply of a handler of an extension.
    Handler,
}

/// Lines of one kind at a rate.
#[derive(Debug, Clone, Copy)]
pub struct ChatLoad {
    pub kind: Kind,
    pub lines_a_second: u32,
    pub seconds: u32,
}

/// Channels whose accounts have a command, and an extension with handlers.
pub struct Traffic {
    creators: Creators,
    chats: Vec<Chat>,
    accounts: Vec<Uuid>,
    /// Number of loads until now, for the ids of lines.
    loads: u32,
}

impl Kind {
    fn line(self, id: String) -> Line {
        let text = match self {
            Self::Plain => format!("line {id} of a lively chat with some words in it"),
            Self::Command => format!("!{COMMAND} {id}"),
            Self::Handler => format!("!hello {id}"),
        };
        Line { reply: id.clone(), id, text }
    }
}

impl ChatLoad {
    pub const fn lines(self) -> u32 {
        self.lines_a_second * self.seconds
    }
}

impl Traffic {
    pub async fn new(creators: Creators) -> Result<Self> {
        let (mut chats, mut accounts) = (Vec::new(), Vec::new());
        for number in 0..CHANNELS {
            let (creator, chat) = creators.sign_in_with_extension(&format!("costs{number}")).await?;
            // A platform may refuse the same text twice.
            let command = json!({ "name": COMMAND, "response_type": "template", "response": "Use {count}",
                                  "cooldown_global": 0, "cooldown_user": 0 });
            creator.api.post("/v1/bot-commands", command).await?;
            chats.push(chat);
            accounts.push(creator.account_id.parse()?);
        }
        Ok(Self { creators, chats, accounts, loads: 0 })
    }

    /// Readings before and after lines. The lines follow others of their kind, so that what is written or counted late
    /// is of as many lines at both readings.
    pub async fn measure(&mut self, meter: &mut Meter, load: ChatLoad) -> Result<(Reading, Reading)> {
        self.send(meter, ChatLoad { seconds: WARM_UP_SECONDS, ..load }).await?;
        let before = meter.read().await?;
        self.send(meter, load).await?;
        Ok((before, meter.read().await?))
    }

    /// Sends lines and waits until all are stored, and answered if a reply follows them.
    pub async fn send(&mut self, meter: &mut Meter, load: ChatLoad) -> Result<()> {
        // Lines are stored with milliseconds.
        let began = DateTime::<Utc>::from(SystemTime::now()).trunc_subsecs(3);
        self.loads += 1;
        let pace = Duration::from_secs(1) * CHANNELS / load.lines_a_second;
        let mut deliveries = JoinSet::new();
        for (number, chat) in (0_u32..).zip(self.chats.clone()) {
            let line = |line: u32| load.kind.line(format!("costs-{}-{number}-{line}", self.loads));
            let lines: Vec<Line> = (0..load.lines() / CHANNELS).map(line).collect();
            deliveries.spawn(async move {
                // The channels in turn, and not all at the same moment.
                tokio::time::sleep(pace * number / CHANNELS).await;
                chat.deliver(lines, pace).await
            });
        }
        while let Some(delivered) = deliveries.join_next().await {
            delivered??;
        }
        self.settle(meter, load, began).await
    }

    async fn settle(&self, meter: &mut Meter, load: ChatLoad, began: DateTime<Utc>) -> Result<()> {
        let (lines, deadline) = (load.lines(), Instant::now() + DEADLINE);
        let replies = if load.kind == Kind::Plain { 0 } else { lines as usize };
        loop {
            let stored = meter.stored_since(&self.accounts, began).await?;
            let sent = self.creators.stand_in.sent_since("twitch", Some(began)).await?.len();
            if stored >= i64::from(lines) && sent >= replies {
                return Ok(());
            }
            ensure!(
                Instant::now() < deadline,
                "{stored} of {lines} lines were stored, {sent} of {replies} replies were sent"
            );
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }
}
