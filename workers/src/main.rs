//! `lumio-worker`: runs one daemon or all of them, or replays one failed invocation of an extension.

use std::{io::Write, process::ExitCode};

use anyhow::{Context, bail};
use clap::Parser;
use extension_runtime::failed_runs::replay::Replayed;
use foundation::telemetry;
use lumio_worker::Daemon;
use mimalloc::MiMalloc;
use shared::config::{Config, Settings};
use tokio::signal::unix::{SignalKind, signal};
use uuid::Uuid;

/// As in the API: jobs and batches allocate much and briefly.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Runs the background work of Lumio.
#[derive(Debug, Parser)]
#[command(name = "lumio-worker", version)]
struct Arguments {
    /// Daemon to run.
    #[arg(value_parser = Choice::parse, help = help())]
    daemon: Choice,
    /// Id of the error of the failed invocation to replay.
    #[arg(required_if_eq("daemon", REPLAY))]
    id: Option<Uuid>,
}

/// Replays a failed invocation, without reaching anything outside.
const REPLAY: &str = "replay";

/// Checks over the internal listener whether the workers on this machine are ready.
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
        "one of {} or all; health checks whether the workers on this machine are ready; replay runs a failed \
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

/// Prints a line. Ignores a closed pipe: the reader needs no more output.
fn print(text: impl std::fmt::Display) -> anyhow::Result<()> {
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

async fn replay(config: Config, id: Uuid) -> anyhow::Result<()> {
    let context = worker_core::Context::new(config, shared::clock::Clock::default())?;
    let replayed = extension_runtime::failed_runs::replay::replay(&context, id).await?;
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
    if is_the_same { Ok(()) } else { bail!("the replay ended differently than the recorded run") }
}

async fn serve(config: Config, daemons: &[Daemon]) -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate()).context("SIGTERM cannot be handled")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("SIGINT cannot be handled")?;
    let running = lumio_worker::start(config, daemons).await?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    running.stop().await
}
