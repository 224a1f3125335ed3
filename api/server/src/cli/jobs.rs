//! Commands for the job queues: their contents, dead letters, and making jobs of dead letters again.

use anyhow::{Context, ensure};
use api_core::State;
use clap::Subcommand;
use foundation::jobs::QUEUES;
use queue::Connection;
use serde_json::json;

use super::output::print;

/// A command for the queues.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print the size of every queue.
    List,
    /// Print the newest dead letters of a queue, newest first.
    Dead {
        /// Name of the queue, as `list` prints it.
        #[arg(long)]
        queue: String,
        /// Maximum number of printed dead letters.
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
        /// Every dead letter that exists now, at most a thousand.
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
