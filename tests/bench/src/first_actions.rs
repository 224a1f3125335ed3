//! Time from a chat line to the first action of the automation that it starts, alone and beside the load of other
//! accounts.

use std::{
    array,
    collections::HashMap,
    fmt::{Display, Formatter, Result as FormatResult},
    time::Duration,
};

use anyhow::{Result, ensure};
use demo::{Api, StandIn};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Double, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde_json::json;
use stack::{
    Stack,
    measure::{ProcessorTime, Rounds, percentile, short},
    text,
    twitch::Twitch,
};
use uuid::Uuid;

use crate::{
    automation_load,
    automations::{chain, enabled},
    deliveries::{Chat, Line, answered},
    table::{Row, Table},
};

/// Automations that the lines start, one after another: each may start only 60 times in a minute.
const AUTOMATIONS: u32 = 20;
/// 10 lines a second.
const LINE_INTERVAL: Duration = Duration::from_millis(100);
/// Queued runs of another account for each line: more than one worker executes meanwhile.
const BACKLOG_RUNS_OF_LINE: u32 = 40;
/// Lines of another account for each line.
const OTHER_LINES_OF_LINE: u32 = 5;
/// Word that no automation waits for.
const CALM_WORD: &str = "calm";
/// Word that each automation of the other account waits for.
const STORM_KEYWORD: &str = "storm";
/// Times by which a storm may lengthen the wait of another account, at most.
const MAX_STORM_RATIO: f64 = 2.0;

/// Load of other accounts beside the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beside {
    Nothing,
    /// Another account has more runs than the worker executes.
    Backlog,
    /// Another account has many lines that start nothing.
    Lines,
    /// One account has a backlog of runs, and each of the many lines of another starts automations.
    Storm,
}

impl Beside {
    const ALL: [Self; 4] = [Self::Nothing, Self::Backlog, Self::Lines, Self::Storm];

    const fn work(self) -> &'static str {
        match self {
            Self::Nothing => "Event in → first action of an automation, 10 events/s",
            Self::Backlog => "… while another account has a backlog of runs",
            Self::Lines => "… while another account has 50 lines/s that start nothing",
            Self::Storm => {
                "… while one has a backlog of runs, and another 50 lines/s that start 20 automations each"
            }
        }
    }

    const fn has_backlog(self) -> bool {
        matches!(self, Self::Backlog | Self::Storm)
    }
}

/// Measures and adds the rows. `lines` is their number in a round of each load.
pub async fn run(stack: &Stack, table: &mut Table, rounds: u32, lines: u32) -> Result<()> {
    let mut quiet = Quiet::start(stack, lines).await?;
    let other = Streamer::start(stack, &quiet.stand_in, &mut quiet.database, "storming").await?;
    for _ in 0..AUTOMATIONS {
        let trigger = ("chat_keyword", json!({ "keyword": STORM_KEYWORD }));
        let set = json!({ "name": "line", "value": "{{trigger.payload.message}}" });
        enabled(&other.owner, chain(trigger, vec![("set_variable", set)])).await?;
    }
    let mut measured = Beside::ALL.map(|beside| (beside, FirstActions::default()));
    for round in 0..rounds {
        // Forwards and backwards in turn, so that no load always follows the same one.
        measured.reverse();
        for (beside, actions) in &mut measured {
            quiet.round(&other, *beside, round, actions).await?;
        }
    }
    measured.sort_by_key(|(beside, _)| *beside as u8);
    let [(_, alone), ..] = &measured;
    for (beside, actions) in &measured {
        table.add(row(*beside, actions, alone, rounds * lines));
    }
    Ok(())
}

fn row(beside: Beside, actions: &FirstActions, alone: &FirstActions, lines: u32) -> Row {
    let ratio = actions.ratio(alone);
    let is_complete = actions.is_complete(lines);
    let (figure, bar, met) = match beside {
        Beside::Nothing => (format!("{actions} ({lines} lines)"), "none lost", Some(is_complete)),
        Beside::Lines => (format!("{actions}; {} times p99 alone", short(ratio)), "none", None),
        Beside::Backlog | Beside::Storm => (
            format!(
                "{actions}; {} times p99 alone ({} runs at least were still queued)",
                short(ratio),
                actions.least_backlog
            ),
            "p99 at most doubled",
            Some(is_complete && actions.least_backlog > 0 && ratio <= MAX_STORM_RATIO),
        ),
    };
    Row { work: beside.work(), figure, bar, met }
}

/// An account, each of whose lines starts an automation that sends a message.
struct Quiet {
    database: AsyncPgConnection,
    stand_in: StandIn,
    streamer: Streamer,
    lines: u32,
}

impl Quiet {
    async fn start(stack: &Stack, lines: u32) -> Result<Self> {
        let stand_in = StandIn::new(&stack.environment["STAND_IN"])?;
        let mut database = AsyncPgConnection::establish(&stack.environment["DATABASE_URL"]).await?;
        let streamer = Streamer::start(stack, &stand_in, &mut database, "automated").await?;
        for number in 0..AUTOMATIONS {
            let trigger = ("chat_command", json!({ "command": command(number) }));
            let send = json!({ "message": "Ran {{trigger.payload.message}}", "platforms": ["twitch"] });
            enabled(&streamer.owner, chain(trigger, vec![("send_chat", send)])).await?;
        }
        automation_load::add_backlogged(&mut database, streamer.account).await?;
        // The first ones make connections and read what each process keeps.
        let first = streamer.chat.deliver(commands("first", AUTOMATIONS), LINE_INTERVAL).await?;
        answered(&stand_in, &first).await?;
        Ok(Self { database, stand_in, streamer, lines })
    }

    /// Delivers the lines at a moderate rate beside the load of others, and adds what was measured.
    async fn round(
        &mut self,
        other: &Streamer,
        beside: Beside,
        round: u32,
        actions: &mut FirstActions,
    ) -> Result<()> {
        if beside.has_backlog() {
            let number = round * 2 + u32::from(beside == Beside::Storm);
            let runs = self.lines * BACKLOG_RUNS_OF_LINE;
            automation_load::begin_backlog(&mut self.database, number, runs).await?;
        }
        let prefix = format!("{beside:?}-{round}");
        let word = match beside {
            Beside::Nothing | Beside::Backlog => None,
            Beside::Lines => Some(CALM_WORD),
            Beside::Storm => Some(STORM_KEYWORD),
        };
        let began = ProcessorTime::now();
        let (sent, ()) = tokio::try_join!(
            self.streamer.chat.deliver(commands(&prefix, self.lines), LINE_INTERVAL),
            other.say(&prefix, word, self.lines)
        )?;
        actions.idle.add(began.idle_since());
        actions.platform.extend(answered(&self.stand_in, &sent).await?);
        if beside.has_backlog() {
            let left = automation_load::end_backlog(&mut self.database).await?;
            actions.least_backlog = actions.least_backlog.min(left);
        }
        actions.read(&mut self.database, self.streamer.account, &sent).await
    }
}

/// A streamer on a plan with many automations, and the chat of the channel.
struct Streamer {
    owner: Api,
    account: Uuid,
    chat: Chat,
}

impl Streamer {
    async fn start(
        stack: &Stack,
        stand_in: &StandIn,
        database: &mut AsyncPgConnection,
        login: &str,
    ) -> Result<Self> {
        let user = stand_in.create_user("twitch", login).await?;
        let (owner, _) = demo::exchange(&Api::new(&stack.origin)?, &user).await?;
        demo::connect(&owner, "twitch", &user).await?;
        let account: Uuid = text(&owner.get("/v1/users/me").await?, "/data/active_account_id")?.parse()?;
        admit(database, account).await?;
        let chat = Chat {
            twitch: Twitch::new(&stack.environment["LUMIO_TWITCH_EVENTSUB_SECRET"])?,
            origin: stack.origin.clone(),
            channel: user.id,
        };
        Ok(Self { owner, account, chat })
    }

    /// Delivers lines that begin with a word, many for each line of the quiet account; none without a word.
    async fn say(&self, prefix: &str, word: Option<&str>, lines: u32) -> Result<()> {
        let Some(word) = word else { return Ok(()) };
        let line = |number: u32| Line {
            id: format!("other-{prefix}-{number}"),
            text: format!("{word} {number}"),
            reply: String::new(),
        };
        let lines = (0..lines * OTHER_LINES_OF_LINE).map(line).collect();
        self.chat.deliver(lines, LINE_INTERVAL / OTHER_LINES_OF_LINE).await?;
        Ok(())
    }
}

/// Puts an account on a plan with as many automations.
async fn admit(database: &mut AsyncPgConnection, account: Uuid) -> Result<()> {
    let sql = "UPDATE accounts SET plan_id = (SELECT id FROM plans WHERE slug = 'enterprise') WHERE id = $1";
    let changed = sql_query(sql).bind::<SqlUuid, _>(account).execute(database).await?;
    ensure!(changed == 1, "{changed} accounts have another plan");
    Ok(())
}

fn command(number: u32) -> String {
    format!("go{number}")
}

/// Lines with the commands of all automations.
fn commands(prefix: &str, lines: u32) -> Vec<Line> {
    let line = |number: u32| {
        let id = format!("{prefix}-{number}");
        let text = format!("!{} {id}", command(number % AUTOMATIONS));
        Line { reply: format!("Ran {text}"), text, id }
    };
    (0..lines).map(line).collect()
}

/// Times of a run in Unix seconds.
#[derive(QueryableByName)]
struct Times {
    #[diesel(sql_type = Text)]
    reply: String,
    #[diesel(sql_type = Double)]
    queued: f64,
    #[diesel(sql_type = Double)]
    started: f64,
    /// Begin of the first action.
    #[diesel(sql_type = Double)]
    begun: f64,
}

/// Milliseconds from lines to the first actions that they started, over all rounds.
struct FirstActions {
    /// To the begin of the action.
    begun: Vec<f64>,
    /// The parts of it: until the run was queued, until it was started, until its first action began.
    parts: [Vec<f64>; 3],
    /// To the platform.
    platform: Vec<f64>,
    /// Percentage of time in which the processors had no work.
    idle: Rounds,
    /// Least number of runs of a backlog that were queued at the end of a round.
    least_backlog: usize,
}

impl Default for FirstActions {
    fn default() -> Self {
        Self {
            begun: Vec::new(),
            parts: array::from_fn(|_| Vec::new()),
            platform: Vec::new(),
            idle: Rounds::default(),
            least_backlog: usize::MAX,
        }
    }
}

impl FirstActions {
    /// Reads the runs of lines with the Unix seconds at which each was sent.
    async fn read(
        &mut self,
        database: &mut AsyncPgConnection,
        account: Uuid,
        sent: &HashMap<String, f64>,
    ) -> Result<()> {
        let runs: Vec<Times> = sql_query(
            "SELECT 'Ran ' || (run.trigger -> 'payload' ->> 'message') AS reply,
                extract(epoch FROM run.created_at)::float8 AS queued,
                extract(epoch FROM run.started_at)::float8 AS started,
                extract(epoch FROM min(step.started_at))::float8 AS begun
             FROM automation_runs AS run
             JOIN automation_steps AS step ON step.account_id = run.account_id AND step.run_id = run.id
             WHERE run.account_id = $1 AND run.started_at IS NOT NULL GROUP BY run.id",
        )
        .bind::<SqlUuid, _>(account)
        .load(database)
        .await?;
        for run in &runs {
            let Some(sent) = sent.get(&run.reply) else { continue };
            self.begun.push((run.begun - sent) * 1e3);
            let parts = [run.queued - sent, run.started - run.queued, run.begun - run.started];
            for (all, part) in self.parts.iter_mut().zip(parts) {
                all.push(part * 1e3);
            }
        }
        ensure!(!self.begun.is_empty(), "no action has begun");
        Ok(())
    }

    /// True when each line has started an action that arrived.
    fn is_complete(&self, lines: u32) -> bool {
        [self.begun.len(), self.platform.len()].iter().all(|count| u32::try_from(*count) == Ok(lines))
    }

    /// Times by which p99 is longer than another.
    fn ratio(&self, other: &Self) -> f64 {
        p99(&self.begun) / p99(&other.begun)
    }
}

impl Display for FirstActions {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> FormatResult {
        let [queued, started, begun] = array::from_fn(|part| short(p99(&self.parts[part])));
        write!(
            formatter,
            "p50 {}, p99 {} ms to its begin (p99 of the parts: run queued {queued}, started {started}, action {begun} ms); \
             p50 {}, p99 {} ms to the platform; processors idle {}",
            short(p50(&self.begun)),
            short(p99(&self.begun)),
            short(p50(&self.platform)),
            short(p99(&self.platform)),
            self.idle.summary("%")
        )
    }
}

fn p50(samples: &[f64]) -> f64 {
    percentile(&mut samples.to_vec(), 50.0)
}

fn p99(samples: &[f64]) -> f64 {
    percentile(&mut samples.to_vec(), 99.0)
}
