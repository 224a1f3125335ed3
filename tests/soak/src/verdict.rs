//! Verdict: the accepted lines compared with the stored, received and answered ones.

use std::{collections::HashMap, time::Duration};

use anyhow::Result;
use diesel::{QueryableByName, sql_query, sql_types};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use stack::{
    Stack,
    measure::{load_average, percentile, short},
};
use tokio::time::Instant;

use crate::{
    Arguments, automations, broadcasts,
    chaos::{Kill, Killer, POSTGRES, Takeover},
    listener::Listeners,
    memory::{Growth, Samples},
    overlays,
    replies::Replies,
    statistics,
    traffic::{self, Line},
    world::World,
};

/// Longest wait for work in progress after the last line was accepted.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(90);
/// Longest wait for reports of sessions whose lines are stored.
const REPORT_TIMEOUT: Duration = Duration::from_secs(90);
/// Time after the last kill in which its backlog is processed, whose latencies are not those of an undisturbed stack.
const CATCH_UP_INTERVAL: Duration = Duration::from_secs(5);
/// Shortest calm time in which memory is judged.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(90);

/// Daemon that runs handlers.
const RUNTIME: &str = "extension-runtime";

/// Longest time from the kill of a master until a later line is answered, and from the promotion of a replica until a
/// line is accepted.
const MAX_FAILOVER: f64 = 15.0;

/// Course of the traffic.
pub struct Run<'a> {
    pub lines: &'a [Line],
    pub listeners: &'a Listeners,
    /// Listeners of the overlays.
    pub pages: &'a Listeners,
    pub samples: &'a Samples,
    pub kills: &'a [Kill],
    /// Replacement of a store's master.
    pub takeover: Option<Takeover>,
}

/// Result of a replacement.
#[derive(Debug)]
enum Failover {
    /// Seconds from the kill of a master of Redis until a later line was answered.
    Redis(f64),
    /// Seconds from the promotion of a replica of PostgreSQL until a line was accepted.
    Postgres(f64),
}

/// The findings.
#[derive(Debug)]
pub struct Verdict {
    accepted: usize,
    failover: Option<Failover>,
    /// A run that is to kill a master proves nothing without its replacement.
    requires_failover: bool,
    lost: usize,
    stored_twice: usize,
    unheard: usize,
    heard_twice: usize,
    unrecovered: u32,
    connections: u32,
    answered: usize,
    /// Lines of the calm time without a reply. A reply may be missing where a process was killed: an action is never
    /// repeated after an unknown outcome.
    unanswered_undisturbed: usize,
    /// Handlers that the runtime ended at their time limit since its last start, as it does on a slow machine. Their
    /// lines have no reply.
    timed_out: usize,
    answered_twice: usize,
    overlays: overlays::Findings,
    automations: automations::Findings,
    sessions: broadcasts::Findings,
    statistics: statistics::Findings,
    calm: Times,
    overall: Times,
    memory: Vec<Growth>,
    /// Caches and pools fill for a while: growth in a short time is not conclusive.
    judges_memory: bool,
}

/// From a delivery to its reply at the platform, in milliseconds.
#[derive(Debug)]
struct Times {
    p50: f64,
    p99: f64,
}

#[derive(QueryableByName)]
struct Stored {
    #[diesel(sql_type = sql_types::Text)]
    platform_message_id: String,
    #[diesel(sql_type = sql_types::BigInt)]
    times: i64,
}

/// Largest number of unanswered lines that are listed.
const MAX_LISTED: usize = 20;

/// Prints the lines without an answer, and the counters of the runtime that say why it gave none.
///
/// # Errors
/// An error when the runtime does not reply.
pub async fn explain(stack: &Stack, run: &Run<'_>, replies: &Replies) -> Result<()> {
    let unanswered = run.lines.iter().filter(|line| !replies.has(&line.id));
    for line in unanswered.take(MAX_LISTED) {
        let since = |takeover: Takeover| short(line.sent_at - takeover.killed_at);
        let since_kill = run.takeover.map(|takeover| format!(", {} s after the kill", since(takeover)));
        let since_kill = since_kill.unwrap_or_default();
        println!("without an answer: {} of account {}{since_kill}", line.id, line.account);
    }
    let metrics = stack.metrics(RUNTIME).await?;
    let counters =
        ["lumio_runtime_refusals_total{", "lumio_runtime_actions_total{", "lumio_runtime_invocations_total{"];
    for line in metrics.lines().filter(|line| counters.iter().any(|counter| line.starts_with(counter))) {
        println!("{line}");
    }
    Ok(())
}

/// Waits for the lines in progress, and compares.
///
/// # Errors
/// An error when the stack does not reply.
pub async fn reach(
    arguments: &Arguments,
    stack: &Stack,
    world: &World,
    run: &Run<'_>,
    replies: &mut Replies,
) -> Result<Verdict> {
    let Run { lines, listeners, pages, samples, kills, takeover } = *run;
    stack.wait_until_it_answers().await?;
    let until = Instant::now() + DRAIN_TIMEOUT;
    let (mut stored, mut runs) = (HashMap::new(), Vec::new());
    let sent = traffic::ids_by_account(lines);
    while Instant::now() < until {
        stored = rows(&arguments.database).await?;
        // Before the messages: those of the runs that have ended are there.
        runs = automations::runs(&arguments.database).await?;
        replies.collect(&world.stand_in).await?;
        let overlays = overlays::Findings::read(arguments, world, lines, pages).await?;
        let has_arrived = listeners.count_missed(&sent) == 0 && overlays.are_complete();
        let is_handled = |line: &Line| stored.contains_key(&line.id) && replies.has(&line.id);
        let are_over = broadcasts::are_over(&arguments.database, arguments.accounts).await?;
        let are_complete = statistics::Findings::read(&arguments.database).await?.are_complete();
        let is_done = has_arrived && automations::are_done(lines, &runs) && are_over && are_complete;
        if lines.iter().all(is_handled) && is_done {
            break;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let sessions = broadcasts::Findings::of(arguments, world, Instant::now() + REPORT_TIMEOUT).await?;
    let calm_after = arguments.calm_after();
    Ok(Verdict {
        accepted: lines.len(),
        failover: takeover.map(|takeover| Failover::of(lines, replies, takeover)),
        requires_failover: arguments.kills_master(),
        lost: lines.iter().filter(|line| !stored.contains_key(&line.id)).count(),
        stored_twice: stored.values().filter(|times| **times > 1).count(),
        unheard: listeners.count_missed(&sent),
        heard_twice: listeners.count_doubled(),
        unrecovered: listeners.each(|heard| heard.unrecovered).iter().sum(),
        connections: listeners.each(|heard| heard.connections).iter().sum(),
        answered: lines.iter().filter(|line| replies.has(&line.id)).count(),
        unanswered_undisturbed: lines
            .iter()
            .filter(|line| line.at >= calm_after && !replies.has(&line.id))
            .count(),
        timed_out: timed_out(&stack.metrics(RUNTIME).await?),
        answered_twice: replies.doubled(),
        overlays: overlays::Findings::read(arguments, world, lines, pages).await?,
        automations: automations::Findings::of(lines, &runs, replies, kills, arguments.accounts),
        sessions,
        statistics: statistics::Findings::read(&arguments.database).await?,
        calm: Times::of(lines.iter().filter(|line| line.at >= calm_after + CATCH_UP_INTERVAL), replies),
        overall: Times::of(lines, replies),
        memory: samples.growth(calm_after),
        judges_memory: Duration::from_secs(arguments.seconds).saturating_sub(calm_after) >= SETTLE_TIMEOUT,
    })
}

/// Number of handlers that ran out of time, as the runtime counted them.
fn timed_out(metrics: &str) -> usize {
    let counters = metrics.lines().filter(|line| line.starts_with("lumio_runtime_invocations_total{"));
    let counters = counters.filter(|line| line.contains(r#"outcome="TIMEOUT""#));
    counters.filter_map(|line| line.rsplit(' ').next()?.parse::<usize>().ok()).sum()
}

impl Failover {
    /// Infinite without a line that was answered or accepted after the kill.
    fn of(lines: &[Line], replies: &Replies, takeover: Takeover) -> Self {
        let later = lines.iter().filter(|line| line.sent_at > takeover.killed_at);
        let since =
            |times: &mut dyn Iterator<Item = f64>| times.fold(f64::INFINITY, f64::min) - takeover.from;
        if takeover.store == POSTGRES {
            // Nothing accepts a line without a primary.
            Self::Postgres(since(&mut later.map(|line| line.accepted_at)))
        } else {
            Self::Redis(since(&mut later.filter_map(|line| replies.first(&line.id))))
        }
    }

    const fn seconds(&self) -> f64 {
        let (Self::Redis(seconds) | Self::Postgres(seconds)) = self;
        *seconds
    }

    const fn name(&self) -> &'static str {
        match self {
            Self::Redis(_) => "Kill of a master to the first reply",
            Self::Postgres(_) => "Promotion of the replica to the first accepted write",
        }
    }

    /// True when every line is answered. An action that a loss of PostgreSQL interrupts is not repeated.
    const fn loses_no_answer(&self) -> bool {
        matches!(self, Self::Redis(_))
    }

    /// True when a replacement was soon enough, with every answer where none may be lost.
    fn is_kept(&self, answers_all: bool) -> bool {
        self.seconds() <= MAX_FAILOVER && (answers_all || !self.loses_no_answer())
    }
}

/// True when a replacement was kept. Without one it is true unless the run is to have one.
fn keeps_failover(failover: Option<&Failover>, is_required: bool, answers_all: bool) -> bool {
    failover.map_or(!is_required, |failover| failover.is_kept(answers_all))
}

async fn rows(database: &str) -> Result<HashMap<String, i64>> {
    let mut connection = AsyncPgConnection::establish(database).await?;
    let rows: Vec<Stored> = sql_query(
        "SELECT platform_message_id, count(*) AS times FROM chat_messages \
         WHERE platform_message_id LIKE 'soak-%' GROUP BY platform_message_id",
    )
    .load(&mut connection)
    .await?;
    Ok(rows.into_iter().map(|row| (row.platform_message_id, row.times)).collect())
}

impl Times {
    fn of<'a>(lines: impl IntoIterator<Item = &'a Line>, replies: &Replies) -> Self {
        let mut waits: Vec<f64> = lines
            .into_iter()
            .filter_map(|line| Some((replies.first(&line.id)? - line.sent_at) * 1000.0))
            .collect();
        Self { p50: percentile(&mut waits, 50.0), p99: percentile(&mut waits, 99.0) }
    }
}

impl Verdict {
    /// True when every promise was kept.
    pub fn holds(&self) -> bool {
        self.accepted > 0
            && [self.lost, self.stored_twice, self.unheard, self.heard_twice, self.answered_twice] == [0; 5]
            && self.unrecovered == 0
            && self.overlays.hold()
            && self.automations.hold()
            && self.sessions.hold()
            && self.statistics.hold()
            && self.unanswered_undisturbed <= self.timed_out
            && keeps_failover(self.failover.as_ref(), self.requires_failover, self.answers_all())
            && (!self.judges_memory || self.memory.iter().all(Growth::is_flat))
    }

    /// True when every line has an answer whose handler had enough time. This is expected when no process was killed.
    const fn answers_all(&self) -> bool {
        self.answered + self.timed_out >= self.accepted
    }

    /// True when a line has no answer.
    pub const fn lacks_answers(&self) -> bool {
        self.answered < self.accepted
    }

    /// A table for the report.
    pub fn print(&self, killer: &Killer) {
        let row = |what: &str, figure: String, kept: Option<bool>| {
            let kept = kept.map_or("–", |kept| if kept { "yes" } else { "**no**" });
            println!("| {what} | {figure} | {kept} |");
        };
        println!("| What | Measured | Kept |\n|---|---|---|");
        row("Lines accepted", self.accepted.to_string(), None);
        row("Processes killed", format!("{} ({})", killer.kills().len(), killer.summary()), None);
        if let Some(failover) = &self.failover {
            let figure = format!("{} s", short(failover.seconds()));
            row(failover.name(), figure, Some(failover.seconds() <= MAX_FAILOVER));
        } else if self.requires_failover {
            row("Replacement of a master", "none".to_owned(), Some(false));
        }
        row("Connections of the listeners", self.connections.to_string(), None);
        row("Accepted lines lost", self.lost.to_string(), Some(self.lost == 0));
        row("Lines stored twice", self.stored_twice.to_string(), Some(self.stored_twice == 0));
        row("Lines that their listener missed", self.unheard.to_string(), Some(self.unheard == 0));
        row("Lines that a listener got twice", self.heard_twice.to_string(), Some(self.heard_twice == 0));
        row("Resumptions with a gap", self.unrecovered.to_string(), Some(self.unrecovered == 0));
        let (what, figure, kept) = self.overlays.row();
        row(what, figure, kept);
        let answered = format!("{} of {}", self.answered, self.accepted);
        let is_promised = self.failover.as_ref().is_some_and(Failover::loses_no_answer);
        row("Lines answered", answered, is_promised.then(|| self.answers_all()));
        let unanswered = self.unanswered_undisturbed;
        let kept = unanswered <= self.timed_out;
        row("Undisturbed lines without an answer", unanswered.to_string(), Some(kept));
        row("Handlers that ran out of time", self.timed_out.to_string(), None);
        row("Lines answered twice", self.answered_twice.to_string(), Some(self.answered_twice == 0));
        let rows = [self.automations.rows(), self.sessions.rows(), self.statistics.rows()];
        for (what, figure, kept) in rows.into_iter().flatten() {
            row(what, figure, kept);
        }
        for (when, times) in [("undisturbed", &self.calm), ("all", &self.overall)] {
            let figure = format!("p50 {} ms, p99 {} ms", short(times.p50), short(times.p99));
            row(&format!("Line to reply, {when}"), figure, None);
        }
        for growth in &self.memory {
            let figure = format!("{} → {} MiB", short(growth.from_mib), short(growth.to_mib));
            row(
                &format!("Memory of {}", growth.process),
                figure,
                self.judges_memory.then(|| growth.is_flat()),
            );
        }
        println!("\nLoad average: {}", load_average());
        self.automations.explain();
        self.sessions.explain();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_failover_requires_a_replacement_that_is_soon_enough() {
        let (soon, late) = (MAX_FAILOVER, MAX_FAILOVER + 1.0);
        for (failover, is_required, answers_all, expected) in [
            (None, false, false, true),
            (None, true, true, false),
            (Some(Failover::Redis(soon)), true, true, true),
            (Some(Failover::Redis(soon)), true, false, false),
            (Some(Failover::Redis(late)), true, true, false),
            (Some(Failover::Postgres(soon)), true, false, true),
            (Some(Failover::Postgres(late)), true, true, false),
            (Some(Failover::Postgres(f64::INFINITY)), true, true, false),
        ] {
            let kept = keeps_failover(failover.as_ref(), is_required, answers_all);
            assert_eq!(kept, expected, "{failover:?}, required: {is_required}, all answers: {answers_all}");
        }
    }
}
