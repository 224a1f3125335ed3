//! `lumio-bench`: measures the promised performance of Lumio and prints it as a table. `scripts/bench` builds and
//! starts its programs.

mod access;
mod automation_load;
mod automations;
mod bare_writes;
mod chat_traffic;
mod cost_meter;
mod costs;
mod crawler;
mod creators;
mod deliveries;
mod fan_out;
mod first_actions;
mod history;
mod history_statements;
mod hostile;
mod idle_costs;
mod ingest;
mod live;
mod matching;
mod overlays;
mod parts;
mod polled_triggers;
mod pollers;
mod reads;
mod report_making;
mod search;
mod seed_history;
mod statement_counter;
mod table;
mod tools;
mod uploads;

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Parser, ValueEnum};

use automations::Amounts;
use seed_history::Amounts as HistoryAmounts;
use stack::Stack;
use table::Table;

/// Measures the binaries in the same folder.
#[derive(Debug, Parser)]
#[command(name = "lumio-bench", version)]
struct Arguments {
    /// Shorter rounds and fewer rows.
    #[arg(long)]
    quick: bool,
    /// Only these parts.
    #[arg(value_enum)]
    parts: Vec<Part>,
    /// The same, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Part>,
    /// Users that the search is measured with; a million with `--quick`.
    #[arg(long, default_value_t = 10_000_000)]
    users: u32,
    /// Channels whose samples the part `history` writes; each has 1,440 a day.
    #[arg(long)]
    channels: Option<u32>,
    /// Size of the file of the part `uploads`, in MiB.
    #[arg(long, default_value_t = uploads::DEFAULT_MIB, value_parser = clap::value_parser!(u32).range(1..=i64::from(uploads::MAX_MIB)))]
    megabytes: u32,
    #[arg(long, env = "DATABASE_URL")]
    database: String,
    #[arg(long, env = "REDIS_URL")]
    redis: String,
    #[arg(long, env = "LUMIO_PGBENCH")]
    pgbench: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    Sandbox,
    Matching,
    Jobs,
    Reads,
    Access,
    Ingest,
    FanOut,
    Overlays,
    Uploads,
    Pollers,
    Automations,
    Crawler,
    Live,
    Search,
    /// A year of history and public statistics.
    History,
    /// The report of a long session.
    ReportMaking,
    /// Costs of a line, a reply, a socket and a daemon; measured only on request, with the other parts whose figures
    /// the chapter on scale uses: sandbox, reads, access and fan-out. It needs PostgreSQL and a Redis on this machine.
    Costs,
    /// Effect of attacks on a bystander; measured only on request.
    Hostile,
}

/// Parts that are measured only by name.
const ON_REQUEST: [Part; 2] = [Part::Costs, Part::Hostile];
/// Parts whose figures the chapter on scale uses beside those of `costs` (docs/operators/scaling.md).
const WITH_COSTS: [Part; 4] = [Part::Sandbox, Part::Reads, Part::Access, Part::FanOut];

impl Arguments {
    fn includes(&self, part: Part) -> bool {
        (self.only.is_empty() && self.parts.is_empty() && !ON_REQUEST.contains(&part))
            || self.names(part)
            || (self.names(Part::Costs) && WITH_COSTS.contains(&part))
    }

    fn names(&self, part: Part) -> bool {
        self.only.contains(&part) || self.parts.contains(&part)
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let programs = std::env::current_exe()?.parent().context("a folder")?.to_owned();
    let (rounds, seconds) = if arguments.quick { (3, 3) } else { (5, 7) };
    let mut table = Table::new();
    if arguments.includes(Part::Sandbox) {
        parts::sandbox(&programs, &mut table, if arguments.quick { 2_000 } else { 10_000 })?;
    }
    if arguments.includes(Part::Matching) {
        matching::run(&mut table, rounds)?;
    }
    if arguments.includes(Part::Jobs) {
        parts::jobs(&programs, &mut table, &arguments.redis, rounds, 200_000)?;
    }
    let mut stack = Stack::start(&programs, &arguments.database, &arguments.redis).await?;
    if arguments.includes(Part::Reads) {
        reads::run(&stack, &mut table, rounds, seconds, &arguments.pgbench).await?;
    }
    if arguments.includes(Part::Access) {
        access::run(&stack, &mut table, rounds, seconds).await?;
    }
    // Before the parts that write much, whose rows are flushed to the disk for minutes.
    if arguments.includes(Part::Live) {
        live::run(&mut stack, &mut table, rounds, if arguments.quick { 1_000 } else { 4_000 }).await?;
    }
    if arguments.includes(Part::Costs) {
        let amounts = if arguments.quick { costs::Amounts::QUICK } else { costs::Amounts::FULL };
        costs::run(&mut stack, &mut table, amounts).await?;
    }
    if arguments.includes(Part::Ingest) {
        ingest::run(&stack, &mut table, rounds, if arguments.quick { 40_000 } else { 200_000 }).await?;
    }
    if arguments.includes(Part::FanOut) {
        fan_out::run(&stack, &mut table, rounds, seconds as usize).await?;
    }
    if arguments.includes(Part::Overlays) {
        let lines = if arguments.quick { 100 } else { 400 };
        overlays::run(&mut stack, &mut table, rounds, seconds as usize, lines).await?;
    }
    if arguments.includes(Part::Pollers) {
        pollers::run(&mut stack, &mut table).await?;
        polled_triggers::run(&mut stack, &mut table).await?;
    }
    if arguments.includes(Part::Automations) {
        let amounts = if arguments.quick { Amounts::QUICK } else { Amounts::FULL };
        automations::run(&mut stack, &mut table, amounts).await?;
    }
    if arguments.includes(Part::Crawler) {
        let amounts = if arguments.quick { crawler::Amounts::QUICK } else { crawler::Amounts::FULL };
        crawler::run(&mut stack, &mut table, amounts).await?;
    }
    if arguments.includes(Part::Uploads) {
        uploads::run(&stack, &mut table, rounds, arguments.megabytes).await?;
    }
    if arguments.includes(Part::Search) {
        let users = if arguments.quick { arguments.users.min(1_000_000) } else { arguments.users };
        search::run(&stack, &mut table, users).await?;
    }
    if arguments.includes(Part::History) {
        let amounts = if arguments.quick { HistoryAmounts::QUICK } else { HistoryAmounts::FULL };
        let channels = arguments.channels.unwrap_or(amounts.channels);
        history::run(&mut stack, &mut table, HistoryAmounts { channels, ..amounts }).await?;
    }
    if arguments.includes(Part::ReportMaking) {
        report_making::run(&stack, &mut table, rounds).await?;
    }
    if arguments.includes(Part::Hostile) {
        hostile::run(&stack, &mut table, 3, seconds).await?;
    }
    table.print();
    Ok(())
}
