//! An automation of every account that answers lines with a word after a delay, and the runs that it must have had.

use std::{collections::HashMap, time::Duration};

use anyhow::Result;
use demo::{Api, text};
use diesel::{QueryableByName, sql_query, sql_types};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    chaos::{API, Kill, POSTGRES, REDIS},
    replies::Replies,
    traffic::Line,
};

/// Word that starts the automation of an account.
pub const WORD: &str = "alarm";
/// Shortest time between two lines with the word in an account: twenty in a minute. The starts of the time in which a
/// process was away come together, and must not exceed the limit of a minute (reference/automations.md#starts).
pub const INTERVAL: Duration = Duration::from_secs(3);
/// Begin of the message of a run; the line follows.
pub const PREFIX: &str = "run ";

/// Daemon that executes the runs.
pub const DAEMON: &str = "automations";
/// Longest time from a kill of a process until it serves again.
const RESTART_TIMEOUT: Duration = Duration::from_secs(15);
/// Error of an action that the API did not begin.
const UNAVAILABLE: &str = "The service is not available";
/// Largest number of runs that are listed.
const MAX_LISTED: usize = 20;

/// Makes the automation of an account: word, delay, message that names the line.
///
/// # Errors
/// An error when a step is refused.
pub async fn make(owner: &Api) -> Result<()> {
    let made = owner.post("/v1/automations", json!({ "name": "Soak" })).await?;
    let path = format!("/v1/automations/{}", text(&made, "/data/id")?);
    let [trigger, delay, message] = [(); 3].map(|()| Uuid::now_v7());
    let line = format!("{PREFIX}{{{{trigger.payload.message_id}}}}");
    let nodes = [
        node(trigger, "chat_keyword", json!({ "keyword": WORD })),
        node(delay, "delay", json!({ "seconds": 1 })),
        node(message, "send_chat", json!({ "message": line, "platforms": ["twitch"] })),
    ];
    let edges = [edge(trigger, delay), edge(delay, message)];
    let graph = json!({ "version": 1, "nodes": nodes, "edges": edges });
    owner.call(Method::PUT, &format!("{path}/graph"), Some(graph)).await?;
    owner.call(Method::PATCH, &path, Some(json!({ "enabled": true }))).await?;
    Ok(())
}

fn node(id: Uuid, node_type: &str, config: Value) -> Value {
    json!({ "id": id, "type": node_type, "config": config })
}

fn edge(from: Uuid, to: Uuid) -> Value {
    json!({ "id": Uuid::now_v7(), "source_node_id": from, "source_handle": "out", "target_node_id": to })
}

/// Stored run, with its step that did not succeed.
#[derive(Debug, QueryableByName)]
pub struct Run {
    #[diesel(sql_type = sql_types::Text)]
    line: String,
    #[diesel(sql_type = sql_types::Text)]
    status: String,
    #[diesel(sql_type = sql_types::Nullable<sql_types::Text>)]
    error: Option<String>,
    /// Status of the step.
    #[diesel(sql_type = sql_types::Nullable<sql_types::Text>)]
    step: Option<String>,
    /// Begin of the step, in Unix seconds; that of the run without such a step.
    #[diesel(sql_type = sql_types::Double)]
    began_at: f64,
    /// End of the run, in Unix seconds.
    #[diesel(sql_type = sql_types::Double)]
    ended_at: f64,
}

/// Runs of all automations.
///
/// # Errors
/// An error when the database does not reply.
pub async fn runs(database: &str) -> Result<Vec<Run>> {
    let mut connection = AsyncPgConnection::establish(database).await?;
    Ok(sql_query(
        "SELECT coalesce(run.trigger->'payload'->>'message_id', '') AS line, run.status, run.error, \
             step.status AS step, \
             extract(epoch FROM coalesce(step.started_at, run.created_at))::float8 AS began_at, \
             extract(epoch FROM coalesce(run.finished_at, now()))::float8 AS ended_at \
         FROM automation_runs AS run \
         LEFT JOIN automation_steps AS step ON step.account_id = run.account_id AND step.run_id = run.id \
             AND step.status IN ('unknown', 'failed')",
    )
    .load(&mut connection)
    .await?)
}

/// True when every line with the word has a run, and each has ended.
pub fn are_done(lines: &[Line], runs: &[Run]) -> bool {
    let started = lines.iter().filter(|line| line.has_word).count();
    runs.len() >= started && runs.iter().all(Run::has_ended)
}

impl Run {
    fn has_ended(&self) -> bool {
        !matches!(self.status.as_str(), "queued" | "running")
    }

    /// True when a kill explains that the run did not succeed.
    fn is_interrupted(&self, kills: &[Kill]) -> bool {
        let is_unknown = self.step.as_deref() == Some("unknown");
        let is_refused = self.error.as_deref().is_some_and(|error| error.contains(UNAVAILABLE));
        if self.status != "failed" || !(is_unknown || is_refused) {
            return false;
        }
        kills.iter().filter(|kill| kill.at <= self.ended_at).any(|kill| match kill.name {
            DAEMON => is_unknown && kill.at >= self.began_at,
            API | REDIS | POSTGRES => kill.at + RESTART_TIMEOUT.as_secs_f64() >= self.began_at,
            _ => false,
        })
    }
}

/// Runs and messages compared with the accepted lines.
#[derive(Debug, Default)]
pub struct Findings {
    /// Lines with the word.
    lines: usize,
    lost: usize,
    doubled: usize,
    /// Runs of lines that were not accepted, or have no word.
    foreign: usize,
    unfinished: usize,
    succeeded: usize,
    /// Runs whose action a kill interrupted. It is not known if it happened, or it could not begin.
    interrupted: usize,
    /// Highest number of those that the kills explain.
    max_interrupted: usize,
    /// Runs that ended in another way.
    failed: usize,
    messages: usize,
    /// Succeeded runs without a message.
    missing: usize,
    doubled_messages: usize,
    /// Messages of lines without a run.
    foreign_messages: usize,
    /// Runs that ended in another way, for the report.
    listed: Vec<String>,
}

impl Findings {
    pub fn of(lines: &[Line], runs: &[Run], replies: &Replies, kills: &[Kill], accounts: usize) -> Self {
        let with_word = lines.iter().filter(|line| line.has_word);
        let mut by_line: HashMap<&str, usize> = with_word.map(|line| (line.id.as_str(), 0)).collect();
        let mut found = Self {
            lines: by_line.len(),
            max_interrupted: max_interrupted(kills, accounts),
            messages: replies.of_runs().len(),
            doubled_messages: replies.of_runs().values().filter(|messages| messages.len() > 1).count(),
            ..Self::default()
        };
        for run in runs {
            match by_line.get_mut(run.line.as_str()) {
                Some(times) => *times += 1,
                None => found.foreign += 1,
            }
            found.count(run, replies, kills);
        }
        found.lost = by_line.values().filter(|times| **times == 0).count();
        found.doubled = by_line.values().filter(|times| **times > 1).count();
        let has_run = |line: &str| by_line.get(line).is_some_and(|times| *times > 0);
        found.foreign_messages = replies.of_runs().keys().filter(|line| !has_run(line)).count();
        found
    }

    fn count(&mut self, run: &Run, replies: &Replies, kills: &[Kill]) {
        if !run.has_ended() {
            self.unfinished += 1;
        } else if run.status == "succeeded" {
            self.succeeded += 1;
            self.missing += usize::from(!replies.of_runs().contains_key(&run.line));
        } else if run.is_interrupted(kills) {
            self.interrupted += 1;
        } else {
            self.failed += 1;
            self.listed.push(format!("{}: {}, {:?}", run.line, run.status, run.error));
        }
    }

    /// True when every line with the word has one run, which ended, and whose message was sent at most once.
    pub fn hold(&self) -> bool {
        self.lines > 0
            && [self.lost, self.doubled, self.foreign, self.unfinished, self.failed] == [0; 5]
            && [self.missing, self.doubled_messages, self.foreign_messages] == [0; 3]
            && self.interrupted <= self.max_interrupted
    }

    /// Rows of the table: description, figure, and if the promise was kept.
    pub fn rows(&self) -> Vec<(&'static str, String, Option<bool>)> {
        let none = |what, figure: usize| (what, figure.to_string(), Some(figure == 0));
        let interrupted = format!("{} (at most {})", self.interrupted, self.max_interrupted);
        vec![
            ("Lines that start an automation", self.lines.to_string(), Some(self.lines > 0)),
            none("Runs of automations lost", self.lost),
            none("Lines with two runs", self.doubled),
            none("Runs of other lines", self.foreign),
            none("Runs that did not end", self.unfinished),
            ("Runs that succeeded", self.succeeded.to_string(), None),
            ("Runs that a kill interrupted", interrupted, Some(self.interrupted <= self.max_interrupted)),
            none("Runs that ended otherwise", self.failed),
            ("Messages of runs", self.messages.to_string(), None),
            none("Succeeded runs without a message", self.missing),
            none("Runs with two messages", self.doubled_messages),
            none("Messages without a run", self.foreign_messages),
        ]
    }

    /// Prints runs that ended otherwise.
    pub fn explain(&self) {
        for run in self.listed.iter().take(MAX_LISTED) {
            println!("run of {run}");
        }
    }
}

/// Runs that began in an account while a killed process was away, for each kill.
fn max_interrupted(kills: &[Kill], accounts: usize) -> usize {
    let relevant = kills.iter().filter(|kill| [DAEMON, API, REDIS, POSTGRES].contains(&kill.name)).count();
    let begun = RESTART_TIMEOUT.as_millis().div_ceil(INTERVAL.as_millis());
    relevant * accounts * usize::try_from(begun).unwrap_or(usize::MAX)
}
