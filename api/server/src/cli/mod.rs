//! The commands of the binary. Results go to standard output, one value a line; logs and mistakes to standard error.

mod admin;
mod channels;
mod jobs;
mod keys;
mod people;
mod rotation;
mod simulate;

use std::process::ExitCode;

use anyhow::{Context, ensure};
use api_core::State;
use clap::{Parser, Subcommand};
use shared::{
    clock::Clock,
    config::{Config, Environment},
    db,
    extensions::system,
    seeds,
    storage::Storage,
    telemetry,
};
use tokio::signal::unix::{Signal, SignalKind, signal};

pub use admin::{Command as AdminCommand, run as admin};

use crate::{asyncapi, graphql::schema, openapi, server};

/// The Lumio API.
#[derive(Debug, Parser)]
#[command(name = "lumio-api", version = crate::VERSION)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve requests until SIGTERM or SIGINT, then drain.
    Serve,
    /// Bring both databases to the newest schema and insert the seeds that are missing.
    Migrate {
        /// Undo every migration instead; in development only.
        #[arg(long)]
        down: bool,
    },
    /// Print the configuration, secrets masked.
    Config,
    /// Print the OpenAPI document.
    Openapi,
    /// Print the GraphQL schema.
    Schema,
    /// Print the AsyncAPI document of the WebSocket protocol.
    Asyncapi,
    /// Commands for operators.
    Admin {
        #[command(subcommand)]
        command: AdminCommand,
    },
}

impl Cli {
    /// Runs the command.
    #[must_use]
    pub fn run(self) -> ExitCode {
        match self.command {
            // The documents need no configuration.
            Command::Openapi => print(&format!("{:#}", openapi::document())),
            Command::Schema => print(&schema(true).as_sdl()),
            Command::Asyncapi => print(&format!("{:#}", asyncapi::document())),
            command => configured(command),
        }
    }
}

fn configured(command: Command) -> ExitCode {
    let config = match Config::from_env() {
        Ok(config) => config,
        Err(mistakes) => {
            for mistake in mistakes {
                eprintln!("lumio-api: {mistake}");
            }
            return ExitCode::from(78);
        }
    };
    if matches!(command, Command::Config) {
        return print(&format!("{config:#?}"));
    }
    let outcome = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("the runtime")
        .and_then(|runtime| runtime.block_on(run(command, config)));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lumio-api: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(command: Command, config: Config) -> anyhow::Result<()> {
    let telemetry = telemetry::init(&config.telemetry, "lumio-api")?;
    let outcome = match command {
        Command::Serve => serve(config).await,
        Command::Migrate { down } => migrate(&config, down).await,
        Command::Admin { command } => admin(&state(config)?, command).await,
        Command::Config | Command::Openapi | Command::Schema | Command::Asyncapi => Ok(()),
    };
    tokio::task::spawn_blocking(move || telemetry.flush()).await?;
    outcome
}

async fn serve(config: Config) -> anyhow::Result<()> {
    // Before listening, so that a signal during the start is not lost.
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let mut running = server::start(state(config)?).await?;
    tokio::select! {
        () = either(&mut terminate, &mut interrupt) => {}
        failure = running.failed() => return Err(failure),
    }
    tracing::info!("stopping; a second signal stops at once");
    tokio::select! {
        stopped = running.stop() => stopped,
        () = either(&mut terminate, &mut interrupt) => anyhow::bail!("stopped without draining"),
    }
}

async fn either(terminate: &mut Signal, interrupt: &mut Signal) {
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}

async fn migrate(config: &Config, down: bool) -> anyhow::Result<()> {
    if down {
        ensure!(config.environment == Environment::Development, "migrations are undone in development only");
        db::revert(&config.databases).await?;
        return Ok(());
    }
    for migration in db::migrate(&config.databases).await? {
        println!("{migration}");
    }
    // The rows of built-in bundles name objects that must be there first.
    system::put_files(&Storage::open(&config.storage_url)?).await?;
    seeds::apply(&db::Databases::new(&config.databases).postgres).await?;
    Ok(())
}

fn state(config: Config) -> anyhow::Result<State> {
    Ok(State::new(config, Clock::default())?)
}

/// A closed pipe is the reader's way to say that it has seen enough.
fn print(text: &str) -> ExitCode {
    use std::io::Write;
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    }
}
