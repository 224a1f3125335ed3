//! `lumio-soak`: chat on many accounts that go on air and off while sockets are cut and processes are killed, and a
//! verdict at the end: no accepted line lost, none stored or answered twice, each run of an automation ended and executed
//! once, the lines of each session counted and reported exactly, public sums equal to their samples, memory flat.
//! `scripts/drill` builds and starts its programs.

mod automations;
mod broadcasts;
mod chaos;
mod listener;
mod memory;
mod replies;
mod statistics;
mod traffic;
mod verdict;
mod world;

use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Parser;
use diesel_async::{AsyncConnection, AsyncPgConnection};
use rand::{SeedableRng, rngs::StdRng};
use stack::{RedisCluster, Stack};
use tokio::{sync::watch, time::Instant};

use broadcasts::Broadcasts;
use replies::Replies;
use world::World;

/// Treatment of the stack.
#[derive(Debug, Clone, Parser)]
#[command(name = "lumio-soak", version, args_override_self = true)]
pub struct Arguments {
    /// Seconds of chat.
    #[arg(long, default_value_t = 600)]
    seconds: u64,
    /// Lines a second over all accounts.
    #[arg(long, default_value_t = 200)]
    lines: u64,
    #[arg(long, default_value_t = 50)]
    accounts: usize,
    /// Installs of each account.
    #[arg(long, default_value_t = 20)]
    installs: usize,
    /// Seed of all random choices.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Seconds between kills, less when each process would not be killed otherwise; the last third of the time is calm.
    #[arg(long, default_value_t = 15)]
    kill_every: u64,
    #[arg(long, env = "DATABASE_URL")]
    database: String,
    #[arg(long, env = "REDIS_URL", default_value = "")]
    redis: String,
    /// Uses a Redis Cluster of its own and kills one of its masters after a third of the time, and no process.
    #[arg(long)]
    cluster: bool,
}

impl Arguments {
    /// Time after which nothing is killed, so that memory and times are those of an undisturbed stack.
    fn calm_after(&self) -> Duration {
        Duration::from_secs(self.seconds * 2 / 3)
    }
}

/// Daemons that chat passes through, that of the automations that it starts, and those that count and sample.
const DAEMONS: [&str; 7] = [
    "ingest",
    "outbox",
    "extension-runtime",
    automations::DAEMON,
    broadcasts::DAEMON,
    statistics::DAEMONS[0],
    statistics::DAEMONS[1],
];

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let programs = std::env::current_exe()?.parent().context("a folder")?.to_owned();
    let cluster = if arguments.cluster { Some(RedisCluster::start().await) } else { None };
    let redis = cluster.as_ref().map_or_else(|| arguments.redis.clone(), RedisCluster::url);
    let mut stack = Stack::start(&programs, &arguments.database, &redis).await?;
    let (name, value) = broadcasts::CLOSE;
    stack.environment.insert(name.to_owned(), value.to_owned());
    for daemon in DAEMONS {
        stack.start_worker(daemon)?;
    }
    eprintln!("making {} accounts with {} installs each", arguments.accounts, arguments.installs);
    let world = World::make(&stack, &arguments).await?;
    let (stop, stopped) = watch::channel(false);
    statistics::prepare(&stack, &arguments.database).await?;
    let broadcasts = Broadcasts::begin(&stack, &world, &arguments).await?;
    let listeners = listener::start(&world, &stack.origin, arguments.seed, &stopped);
    traffic::greet(&stack, &world, &listeners).await?;

    eprintln!("{} lines a second for {} s", arguments.lines, arguments.seconds);
    let began = Instant::now();
    let traffic = tokio::spawn(traffic::run(traffic::Plan::new(&stack, &world, &arguments)?, began));
    let broadcasts = tokio::spawn(broadcasts.run(began));
    let mut audience = AsyncPgConnection::establish(&arguments.database).await?;
    let (mut samples, mut replies) = (memory::Samples::default(), Replies::default());
    let mut killer = chaos::Killer::new(StdRng::seed_from_u64(arguments.seed), &arguments);
    let mut failover = cluster.map(|cluster| chaos::Failover::new(cluster, &arguments));
    while !traffic.is_finished() {
        match &mut failover {
            Some(failover) => failover.disturb(began.elapsed()).await,
            None => killer.disturb(&mut stack, began.elapsed()).await?,
        }
        samples.take(&stack, began.elapsed());
        replies.collect(&world.stand_in).await?;
        broadcasts::watch(&mut audience).await?;
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let lines = traffic.await??;
    broadcasts.await??;
    eprintln!("{} lines were accepted; {} kills", lines.len(), killer.kills().len());
    let killed_at = failover.as_ref().and_then(chaos::Failover::killed_at);
    let mut kills = killer.kills().to_vec();
    kills.extend(killed_at.map(|at| chaos::Kill { name: chaos::REDIS, at }));
    let run =
        verdict::Run { lines: &lines, listeners: &listeners, samples: &samples, kills: &kills, killed_at };
    let verdict = verdict::reach(&arguments, &stack, &world, &run, &mut replies).await?;
    stop.send(true)?;
    verdict.print(&killer);
    if verdict.lacks_answers() {
        verdict::explain(&stack, &run, &replies).await?;
    }
    // Before the cluster, which it uses.
    drop(stack);
    if !verdict.holds() {
        bail!("the soak failed");
    }
    Ok(())
}
