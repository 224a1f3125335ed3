//! The job queues: what they hold, what is dead, and making jobs of dead letters again.

use anyhow::{Context, ensure};
use api_core::State;
use clap::Subcommand;
use queue::Connection;
use serde_json::json;
use shared::jobs::QUEUES;

use super::output::print;

/// A command for the queues.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// What every queue holds.
    List,
    /// The newest dead letters of a queue, newest first.
    Dead {
        /// Name of the queue, as `list` prints it.
        #[arg(long)]
        queue: String,
        /// Most of them that are printed.
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
        count: u16,
    },
    /// Make jobs of dead letters again.
    Requeue {
        /// Name of the queue, as `list` prints it.
        #[arg(long)]
        queue: String,
        /// Name of the dead letter, as `dead` prints it.
        #[arg(long, required_unless_present = "all")]
        entry: Option<String>,
        /// Every dead letter that is there now, at most a thousand.
        #[arg(long, conflicts_with = "entry")]
        all: bool,
    },
}

/// Runs a command and prints its result.
pub async fn run(state: &State, command: Command) -> anyhow::Result<()> {
    let config = &state.config.redis;
    let queues = Connection::open(config.url.expose(), &config.prefix)?;
    match command {
        Command::List => {
            for name in QUEUES {
                print(json!({ "queue": name, "stats": queues.stats(name).await? }))?;
            }
        }
        Command::Dead { queue, count } => {
            check(&queue)?;
            for letter in queues.dead_letters(&queue, count.into()).await? {
                print(serde_json::to_string(&letter)?)?;
            }
        }
        Command::Requeue { queue, entry, all } => {
            check(&queue)?;
            let entries = if all { all_entries(&queues, &queue).await? } else { entry.into_iter().collect() };
            for entry in entries {
                let requeued =
                    queues.requeue(&queue, &entry).await.with_context(|| format!("dead letter {entry}"))?;
                print(json!({ "entry": entry, "requeued": requeued }))?;
            }
        }
    }
    Ok(())
}

async fn all_entries(queues: &Connection, queue: &str) -> anyhow::Result<Vec<String>> {
    Ok(queues.dead_letters(queue, 1000).await?.into_iter().map(|letter| letter.entry).collect())
}

fn check(queue: &str) -> anyhow::Result<()> {
    ensure!(QUEUES.contains(&queue), "there is no queue `{queue}`; there are: {}", QUEUES.join(", "));
    Ok(())
}
