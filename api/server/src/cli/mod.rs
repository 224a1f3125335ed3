//! Commands of the binary. Results go to standard output, one value a line; logs and errors go to standard
//! error.

mod admin;
mod archives;
mod audit;
mod channels;
mod doctor;
mod env_file;
mod jobs;
mod keys;
mod listing;
mod output;
mod payments;
mod people;
mod rotation;
mod simulate;

use std::process::ExitCode;

use crate::seeds;
use anyhow::{Context, ensure};
use api_core::State;
use clap::{Parser, Subcommand};
use extension_model::system;
use foundation::{db, storage::Storage, telemetry};
use shared::{
    clock::Clock,
    config::{Config, Environment, Settings},
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
    /// Print every variable with its effective value and the source of it, a line each, secrets masked.
    Config {
        /// Print a JSON array of `{ name, value, source, default, description }` instead.
        #[arg(long)]
        json: bool,
    },
    /// Make up the secrets of a new deployment in a file for `LUMIO_CONFIG_FILE`, and keep those that it holds.
    InitEnv {
        #[command(flatten)]
        files: env_file::Files,
    },
    /// Check the readiness of the API on this machine, over its internal listener. Exits with 1 when it is not
    /// ready.
    Health,
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
            Command::Openapi => document(&format!("{:#}", openapi::document())),
            Command::Schema => document(&schema(true).as_sdl()),
            Command::Asyncapi => document(&format!("{:#}", asyncapi::document())),
            // Nor does the command that makes it.
            Command::InitEnv { files } => ended(env_file::write(&files)),
            command => configured(command),
        }
    }
}

fn configured(command: Command) -> ExitCode {
    let settings = Settings::from_env();
    let config = match &settings.config {
        Ok(config) => config.clone(),
        Err(mistakes) => {
            for line in mistakes.iter().chain(&settings.warnings) {
                eprintln!("lumio-api: {line}");
            }
            return ExitCode::from(78);
        }
    };
    if let Command::Config { json } = command {
        return variables(&settings, json);
    }
    let outcome = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("the runtime")
        .and_then(|runtime| runtime.block_on(run(command, config, &settings.warnings)));
    ended(outcome)
}

fn ended(outcome: anyhow::Result<()>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lumio-api: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(command: Command, config: Config, warnings: &[String]) -> anyhow::Result<()> {
    let telemetry = telemetry::init(&config.telemetry, "lumio-api")?;
    for warning in warnings {
        tracing::warn!("{warning}");
    }
    let outcome = match command {
        Command::Serve => serve(config).await,
        Command::Migrate { down } => migrate(&config, down).await,
        // It reports what cannot be opened.
        Command::Admin { command: AdminCommand::Doctor { json } } => doctor::doctor(&config, json).await,
        Command::Admin { command } => {
            let (state, databases) = open(config)?;
            admin(&state, &databases, command).await
        }
        Command::Health => Ok(output::print(telemetry::probe(config.http.metrics_bind).await?)?),
        Command::Config { .. }
        | Command::InitEnv { .. }
        | Command::Openapi
        | Command::Schema
        | Command::Asyncapi => Ok(()),
    };
    tokio::task::spawn_blocking(move || telemetry.flush()).await?;
    outcome
}

async fn serve(config: Config) -> anyhow::Result<()> {
    // Before listening, so that a signal during the start is not lost.
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let (state, databases) = open(config)?;
    let mut running = server::start(state, databases).await?;
    tokio::select! {
        () = either(&mut terminate, &mut interrupt) => {}
        failure = running.failed() => return Err(failure),
    }
    tracing::info!("stopping; a second signal stops immediately");
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
        return report(&db::revert(&config.databases).await?);
    }
    report(&db::migrate(&config.databases).await?)?;
    // The rows of built-in bundles name objects that must be there first.
    system::put_files(&Storage::open(&config.storage_url)?).await?;
    seeds::apply(&db::Databases::new(&config.databases).postgres).await?;
    Ok(())
}

fn open(config: Config) -> anyhow::Result<(State, db::Databases)> {
    let databases = db::Databases::new(&config.databases);
    let state = State::new(config, Clock::default(), databases.clone())?;
    Ok((state, databases))
}

/// Prints a line for each migration that ran.
fn report(ran: &[(db::Schema, String)]) -> anyhow::Result<()> {
    for (schema, name) in ran {
        output::print(format_args!("{}: {name}", schema.store()))?;
    }
    if ran.is_empty() {
        output::print("nothing to do: both schemas are those of this version")?;
    }
    Ok(())
}

fn variables(settings: &Settings, json: bool) -> ExitCode {
    for warning in &settings.warnings {
        eprintln!("lumio-api: {warning}");
    }
    if json {
        return document(&format!("{:#}", serde_json::json!(settings.variables)));
    }
    let lines: Vec<String> = settings.variables.iter().map(ToString::to_string).collect();
    document(&lines.join("\n"))
}

fn document(text: &str) -> ExitCode {
    match output::print(text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lumio-api: standard output: {error}");
            ExitCode::FAILURE
        }
    }
}
