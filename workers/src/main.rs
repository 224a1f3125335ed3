//! `lumio-worker`: runs one daemon, or all; or one failed invocation of an extension again.

use std::{io::Write, process::ExitCode};

use anyhow::{Context, bail};
use clap::Parser;
use lumio_worker::{Daemon, Replayed};
use mimalloc::MiMalloc;
use shared::{
    config::{Config, Settings},
    telemetry,
};
use tokio::signal::unix::{SignalKind, signal};
use uuid::Uuid;

/// See the API's: jobs and batches allocate much and briefly too.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Runs the background work of Lumio.
#[derive(Debug, Parser)]
#[command(name = "lumio-worker", version)]
struct Arguments {
    /// Which daemon to run.
    #[arg(value_parser = Choice::parse, help = help())]
    daemon: Choice,
    /// Which failed invocation to replay: the id of its error.
    #[arg(required_if_eq("daemon", REPLAY))]
    id: Option<Uuid>,
}

/// Runs a failed invocation again, where nothing outside is reached.
const REPLAY: &str = "replay";

/// Asks the workers on this machine, on their internal listener, whether they are ready.
const HEALTH: &str = "health";

/// One daemon or all of them.
#[derive(Debug, Clone, Copy)]
enum Choice {
    One(Daemon),
    All,
    Health,
    Replay,
}

impl Choice {
    fn parse(name: &str) -> Result<Self, String> {
        if name == "all" {
            return Ok(Self::All);
        }
        if name == HEALTH {
            return Ok(Self::Health);
        }
        if name == REPLAY {
            return Ok(Self::Replay);
        }
        Daemon::parse(name).map(Self::One).ok_or_else(help)
    }

    fn daemons(self) -> Vec<Daemon> {
        match self {
            Self::One(daemon) => vec![daemon],
            Self::All => Daemon::ALL.to_vec(),
            Self::Health | Self::Replay => Vec::new(),
        }
    }
}

fn help() -> String {
    let names: Vec<&str> = Daemon::ALL.into_iter().map(Daemon::name).collect();
    format!(
        "one of {} or all; health asks the workers on this machine whether they are ready; replay runs a failed \
         invocation again",
        names.join(", ")
    )
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let settings = Settings::from_env();
    let config = match settings.config {
        Ok(config) => config,
        Err(mistakes) => {
            for line in mistakes.iter().chain(&settings.warnings) {
                eprintln!("lumio-worker: {line}");
            }
            return ExitCode::from(78);
        }
    };
    match run(arguments, config, &settings.warnings) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lumio-worker: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments, config: Config, warnings: &[String]) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(config.workers.threads)
        .enable_all()
        .build()?;
    let telemetry = runtime.block_on(async { telemetry::init(&config.telemetry, "lumio-worker") })?;
    for warning in warnings {
        tracing::warn!("{warning}");
    }
    let ended = match (arguments.daemon, arguments.id) {
        (Choice::Health, _) => runtime.block_on(health(config.workers.metrics_bind)),
        (Choice::Replay, Some(id)) => runtime.block_on(replay(config, id)),
        (daemon, _) => runtime.block_on(serve(config, &daemon.daemons())),
    };
    telemetry.flush();
    ended
}

async fn health(bind: std::net::SocketAddr) -> anyhow::Result<()> {
    print(telemetry::probe(bind).await?)
}

/// Prints a line. A closed pipe is the reader's way to say that it has seen enough.
fn print(text: impl std::fmt::Display) -> anyhow::Result<()> {
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

async fn replay(config: Config, id: Uuid) -> anyhow::Result<()> {
    let context = lumio_worker::Context::new(config, shared::clock::Clock::default())?;
    let replayed = lumio_worker::replay(&context, id).await?;
    let is_the_same = replayed.is_the_same();
    let Replayed { handler, recorded, result, lines } = replayed;
    print(format_args!("handler   {handler}"))?;
    print(format_args!("recorded  {} {recorded}", recorded.code))?;
    for line in lines {
        print(format_args!("log       {} {}", line.level.as_str(), line.message))?;
    }
    match result {
        Ok(value) => print(format_args!("now       {value}"))?,
        Err(failure) => {
            print(format_args!("now       {} {failure}", failure.code))?;
            print(failure.stack.unwrap_or_default())?;
        }
    }
    if is_the_same { Ok(()) } else { bail!("the run did not end as it did then") }
}

async fn serve(config: Config, daemons: &[Daemon]) -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate()).context("SIGTERM cannot be heard")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("SIGINT cannot be heard")?;
    let running = lumio_worker::start(config, daemons).await?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    running.stop().await
}
