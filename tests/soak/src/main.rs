//! `lumio-soak`: chat on many accounts that go on air and off while sockets are cut and processes are killed, and a
//! verdict at the end: no accepted line lost, none stored or answered twice, each line and event received by the overlay of
//! its account, each run of an automation ended and executed once, the lines of each session counted and reported exactly,
//! public sums equal to their samples, memory flat. `scripts/drill` builds and starts its programs.

mod automations;
mod broadcasts;
mod chaos;
mod listener;
mod memory;
mod overlays;
mod pair;
mod replies;
mod statistics;
mod traffic;
mod verdict;
mod world;

use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Parser;
use rand::{SeedableRng, rngs::StdRng};
use stack::{RedisCluster, Stack};
use tokio::{sync::watch, time::Instant};

use broadcasts::Broadcasts;
use chaos::Store;
use pair::Pair;
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
    #[arg(long, conflicts_with = "failover")]
    cluster: bool,
    /// Uses a PostgreSQL server of its own with a synchronous replica, kills the server and promotes the replica after a
    /// third of the time, and kills no process.
    #[arg(long)]
    failover: bool,
}

impl Arguments {
    /// Time after which nothing is killed, so that memory and times are those of an undisturbed stack.
    fn calm_after(&self) -> Duration {
        Duration::from_secs(self.seconds * 2 / 3)
    }

    /// True when the run is to kill the master of a store.
    const fn kills_master(&self) -> bool {
        self.cluster || self.failover
    }

    /// Starts the store whose master is killed, and uses it.
    async fn take_store(&mut self) -> Option<Store> {
        if self.cluster {
            let cluster = RedisCluster::start().await;
            self.redis = cluster.url();
            Some(Store::Redis(cluster))
        } else if self.failover {
            let pair = Pair::start().await;
            self.database = pair.url();
            Some(Store::Postgres(Box::new(pair)))
        } else {
            None
        }
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
    let mut arguments = Arguments::parse();
    let programs = std::env::current_exe()?.parent().context("a folder")?.to_owned();
    let store = arguments.take_store().await;
    let mut stack = Stack::start(&programs, &arguments.database, &arguments.redis).await?;
    let (name, value) = broadcasts::CLOSE;
    stack.environment.insert(name.to_owned(), value.to_owned());
    for daemon in DAEMONS {
        stack.start_worker(daemon)?;
    }
    eprintln!("making {} accounts with {} installs each", arguments.accounts, arguments.installs);
    let world = World::make(&stack, &arguments).await?;
    let (stop, stopped) = watch::channel(false);
    statistics::prepare(&stack, &arguments.database).await?;
    let pages = overlays::open(&world, &stack.origin, &arguments, &stopped).await?;
    let broadcasts = Broadcasts::begin(&stack, &world, &arguments).await?;
    let listeners = listener::start(world.chats(), &stack.origin, arguments.seed, &stopped);
    traffic::greet(&stack, &world, &listeners).await?;

    eprintln!("{} lines a second for {} s", arguments.lines, arguments.seconds);
    let began = Instant::now();
    let traffic = tokio::spawn(traffic::run(traffic::Plan::new(&stack, &world, &arguments)?, began));
    let broadcasts = tokio::spawn(broadcasts.run(began));
    let (mut samples, mut replies) = (memory::Samples::default(), Replies::default());
    let mut killer = chaos::Killer::new(StdRng::seed_from_u64(arguments.seed), &arguments);
    let mut failover = store.map(|store| chaos::Failover::new(store, &arguments));
    while !traffic.is_finished() {
        match &mut failover {
            Some(failover) => failover.disturb(began.elapsed()).await,
            None => killer.disturb(&mut stack, began.elapsed()).await?,
        }
        samples.take(&stack, began.elapsed());
        replies.collect(&world.stand_in).await?;
        let watched = broadcasts::watch(&arguments.database).await;
        // Between two primaries.
        if !arguments.failover {
            watched?;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let lines = traffic.await??;
    broadcasts.await??;
    eprintln!("{} lines were accepted; {} kills", lines.len(), killer.kills().len());
    let takeover = failover.as_ref().and_then(chaos::Failover::takeover);
    let mut kills = killer.kills().to_vec();
    kills.extend(takeover.map(|takeover| chaos::Kill { name: takeover.store, at: takeover.killed_at }));
    let run = verdict::Run {
        lines: &lines,
        listeners: &listeners,
        pages: &pages,
        samples: &samples,
        kills: &kills,
        takeover,
    };
    let verdict = verdict::reach(&arguments, &stack, &world, &run, &mut replies).await?;
    stop.send(true)?;
    verdict.print(&killer);
    if verdict.lacks_answers() {
        verdict::explain(&stack, &run, &replies).await?;
    }
    // Before the store, which it uses.
    drop(stack);
    if !verdict.holds() {
        bail!("the soak failed");
    }
    Ok(())
}
