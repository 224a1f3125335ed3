//! Commands of the program.

use std::{
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::Context as _;
use clap::{Parser, Subcommand};

use crate::{
    check::{self, CheckOptions},
    declarations,
    dev::{self, DevOptions},
    init::{self, InitOptions, Template},
    output::{Outcome, print},
    pack,
    remote::{self, LogOptions, RemoteOptions, UploadOptions},
    replay, test,
};

/// Makes, checks, tests, packs and uploads extensions of Lumio.
///
/// Exits with 0 when nothing is wrong, with 1 for findings, failed tests and refused uploads, and with 2 for a wrong
/// use or a fault of the environment.
#[derive(Debug, Parser)]
#[command(name = "lumio-ext", version)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write a new extension with types, fixtures and a manifest.
    Init {
        /// Folder of the extension; it is made when it is missing, and must be empty.
        dir: PathBuf,
        /// Name of the extension; the name of the folder when absent.
        #[arg(long)]
        name: Option<String>,
        /// Kind of extension: a chat command, or a layer of overlays.
        #[arg(long, value_enum, default_value_t = Template::Command)]
        template: Template,
    },
    /// Check everything that an upload checks. Each finding is `path:line:column: message`.
    Check {
        /// Folder of the extension, or a packed `.tar.gz`.
        #[arg(default_value = ".")]
        dir: PathBuf,
        /// Print a JSON array of `{ path, line, column, field, message }` instead.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        options: CheckOptions,
    },
    /// Run handlers in the sandbox against events, and again whenever a file changes. Prints logs and effects.
    Dev {
        /// Folder of the extension.
        #[arg(default_value = ".")]
        dir: PathBuf,
        #[command(flatten)]
        options: DevOptions,
    },
    /// Run every `fixtures/*.json` and compare effects, results and logs with what it expects.
    Test {
        /// Folder of the extension.
        #[arg(default_value = ".")]
        dir: PathBuf,
        /// Folder in which failed runs are recorded, for `lumio-ext replay`.
        #[arg(long)]
        record: Option<PathBuf>,
    },
    /// Write the bundle as a `.tar.gz` and print its SHA-256. Equal files give equal bytes.
    Pack {
        /// Folder of the extension.
        #[arg(default_value = ".")]
        dir: PathBuf,
        /// File of the bundle; `bundle.tar.gz` when absent.
        #[arg(short, long, default_value = "bundle.tar.gz")]
        output: PathBuf,
    },
    /// Upload a version for review, and print its state or the findings.
    Upload {
        /// Folder of the extension, or a packed `.tar.gz`.
        #[arg(default_value = ".")]
        dir: PathBuf,
        #[command(flatten)]
        options: UploadOptions,
        #[command(flatten)]
        remote: RemoteOptions,
    },
    /// Print the log of an install, oldest line first.
    Logs {
        #[command(flatten)]
        options: LogOptions,
        #[command(flatten)]
        remote: RemoteOptions,
    },
    /// Run a recorded invocation again, without reaching anything outside.
    Replay {
        /// Recording that `dev --record` or `test --record` has written.
        recording: PathBuf,
        /// Folder of the extension whose code runs.
        #[arg(long, default_value = ".")]
        dir: PathBuf,
    },
    /// Print the TypeScript declarations of `ctx`, inputs, results, events, layers and the manifest.
    Types,
    /// Print the JSON Schema of `lumio.config.json`.
    Schema,
}

impl Cli {
    /// Runs the command.
    #[must_use]
    pub fn run(self) -> ExitCode {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let ended = runtime
            .context("the runtime")
            .and_then(|runtime| runtime.block_on(run(self.command, &mut io::stdout())));
        match ended {
            Ok(outcome) => outcome.into(),
            Err(error) => {
                eprintln!("lumio-ext: {error:#}");
                ExitCode::from(2)
            }
        }
    }
}

async fn run(command: Command, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    match command {
        Command::Init { dir, name, template } => {
            init::init(&InitOptions { dir, name, template }, out)?;
            Ok(Outcome::Good)
        }
        Command::Check { dir, json, options } => {
            let findings = check::check(&dir, &options).await?;
            check::report(&findings, json, out)?;
            Ok(Outcome::of(findings.is_empty()))
        }
        Command::Dev { dir, options } => dev::dev(&dir, &options, out).await,
        Command::Test { dir, record } => test::test(&dir, record.as_deref(), out).await,
        Command::Pack { dir, output } => {
            let hash = pack::write(&dir, &output)?;
            print(out, format_args!("{hash}  {}", output.display()))?;
            Ok(Outcome::Good)
        }
        Command::Upload { dir, options, remote } => remote::upload(&dir, &options, &remote, out).await,
        Command::Logs { options, remote } => remote::logs(&options, &remote, out).await,
        Command::Replay { recording, dir } => replay::replay(&recording, &dir, out).await,
        Command::Types => {
            print(out, declarations::text().trim_end())?;
            Ok(Outcome::Good)
        }
        Command::Schema => {
            print(out, declarations::schema().trim_end())?;
            Ok(Outcome::Good)
        }
    }
}
