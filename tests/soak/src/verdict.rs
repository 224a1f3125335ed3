//! What came of it: everything that was accepted against what was stored, heard and answered.

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
    Arguments,
    chaos::Killer,
    listener::Listeners,
    memory::{Growth, Samples},
    replies::Replies,
    traffic::Line,
    world::World,
};

/// Longest wait for what is still under way when the last line was accepted.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(90);
/// How long after the last kill its backlog is worked off, whose times would say nothing of an undisturbed stack.
const CAUGHT_UP: Duration = Duration::from_secs(5);
/// Shortest calm time whose memory is judged.
const SETTLED: Duration = Duration::from_secs(90);

/// The findings.
#[derive(Debug)]
pub struct Verdict {
    accepted: usize,
    lost: usize,
    stored_twice: usize,
    unheard: usize,
    heard_twice: usize,
    unrecovered: u32,
    connections: u32,
    answered: usize,
    /// Lines of the calm time without an answer. Where a process is killed on the way an answer may be missing: an
    /// action is never carried out twice, so what became of it is not tried again.
    unanswered_undisturbed: usize,
    answered_twice: usize,
    calm: Times,
    overall: Times,
    memory: Vec<Growth>,
    /// Caches and pools fill for a while: what a process gains in a short time says nothing.
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

/// Waits for what is under way, and compares.
///
/// # Errors
/// When the stack cannot be asked.
pub async fn reach(
    arguments: &Arguments,
    stack: &Stack,
    world: &World,
    lines: &[Line],
    listeners: &Listeners,
    samples: &Samples,
    mut replies: Replies,
) -> Result<Verdict> {
    stack.wait_until_it_answers().await?;
    let until = Instant::now() + DRAIN_TIMEOUT;
    let mut stored = HashMap::new();
    while Instant::now() < until {
        stored = rows(&arguments.database).await?;
        replies.collect(&world.stand_in).await?;
        let unheard = count_unheard(lines, listeners);
        if lines.iter().all(|line| stored.contains_key(&line.id) && replies.has(&line.id)) && unheard == 0 {
            break;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let calm_after = arguments.calm_after();
    Ok(Verdict {
        accepted: lines.len(),
        lost: lines.iter().filter(|line| !stored.contains_key(&line.id)).count(),
        stored_twice: stored.values().filter(|times| **times > 1).count(),
        unheard: count_unheard(lines, listeners),
        heard_twice: listeners
            .each(|heard| heard.lines.values().filter(|times| **times > 1).count())
            .iter()
            .sum(),
        unrecovered: listeners.each(|heard| heard.unrecovered).iter().sum(),
        connections: listeners.each(|heard| heard.connections).iter().sum(),
        answered: lines.iter().filter(|line| replies.has(&line.id)).count(),
        unanswered_undisturbed: lines
            .iter()
            .filter(|line| line.at >= calm_after && !replies.has(&line.id))
            .count(),
        answered_twice: replies.doubled(),
        calm: Times::of(lines.iter().filter(|line| line.at >= calm_after + CAUGHT_UP), &replies),
        overall: Times::of(lines, &replies),
        memory: samples.growth(calm_after),
        judges_memory: Duration::from_secs(arguments.seconds).saturating_sub(calm_after) >= SETTLED,
    })
}

/// Accepted lines that the listener of their account did not get.
fn count_unheard(lines: &[Line], listeners: &Listeners) -> usize {
    let mut said: HashMap<usize, Vec<&str>> = HashMap::new();
    for line in lines {
        said.entry(line.account).or_default().push(&line.id);
    }
    let heard = listeners.each(|heard| heard.lines.keys().cloned().collect::<std::collections::HashSet<_>>());
    said.iter().map(|(account, ids)| ids.iter().filter(|id| !heard[*account].contains(**id)).count()).sum()
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
    /// Whether every promise was kept.
    pub fn holds(&self) -> bool {
        self.accepted > 0
            && [self.lost, self.stored_twice, self.unheard, self.heard_twice, self.answered_twice] == [0; 5]
            && self.unrecovered == 0
            && self.unanswered_undisturbed == 0
            && (!self.judges_memory || self.memory.iter().all(Growth::is_flat))
    }

    /// A table for people.
    pub fn print(&self, killer: &Killer) {
        let row = |what: &str, figure: String, kept: Option<bool>| {
            let kept = kept.map_or("–", |kept| if kept { "yes" } else { "**no**" });
            println!("| {what} | {figure} | {kept} |");
        };
        println!("| What | Measured | Kept |\n|---|---|---|");
        row("Lines accepted", self.accepted.to_string(), None);
        row("Processes killed", format!("{} ({})", killer.kills(), killer.summary()), None);
        row("Connections of the listeners", self.connections.to_string(), None);
        row("Accepted lines lost", self.lost.to_string(), Some(self.lost == 0));
        row("Lines stored twice", self.stored_twice.to_string(), Some(self.stored_twice == 0));
        row("Lines that their listener missed", self.unheard.to_string(), Some(self.unheard == 0));
        row("Lines that a listener got twice", self.heard_twice.to_string(), Some(self.heard_twice == 0));
        row("Resumptions with a gap", self.unrecovered.to_string(), Some(self.unrecovered == 0));
        let answered = format!("{} of {}", self.answered, self.accepted);
        row("Lines answered", answered, None);
        let unanswered = self.unanswered_undisturbed;
        row("Undisturbed lines without an answer", unanswered.to_string(), Some(unanswered == 0));
        row("Lines answered twice", self.answered_twice.to_string(), Some(self.answered_twice == 0));
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
    }
}
