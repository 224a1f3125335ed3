//! `lumio-worker`: runs one daemon, or all.

use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Parser;
use lumio_worker::Daemon;
use mimalloc::MiMalloc;
use shared::{config::Config, telemetry};
use tokio::signal::unix::{SignalKind, signal};

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
}

/// One daemon or all of them.
#[derive(Debug, Clone, Copy)]
enum Choice {
    One(Daemon),
    All,
}

impl Choice {
    fn parse(name: &str) -> Result<Self, String> {
        if name == "all" {
            return Ok(Self::All);
        }
        Daemon::parse(name).map(Self::One).ok_or_else(help)
    }

    fn daemons(self) -> Vec<Daemon> {
        match self {
            Self::One(daemon) => vec![daemon],
            Self::All => Daemon::ALL.to_vec(),
        }
    }
}

fn help() -> String {
    let names: Vec<&str> = Daemon::ALL.into_iter().map(Daemon::name).collect();
    format!("one of {} or all", names.join(", "))
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lumio-worker: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> anyhow::Result<()> {
    let config = match Config::from_env() {
        Ok(config) => config,
        Err(mistakes) => bail!("the configuration is not usable:\n  {}", mistakes.join("\n  ")),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let telemetry = runtime.block_on(async { telemetry::init(&config.telemetry, "lumio-worker") })?;
    let ended = runtime.block_on(serve(config, &arguments.daemon.daemons()));
    telemetry.flush();
    ended
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
