//! `lumio-ext dev`: handlers in the sandbox against simulated or recorded events (reference/extension-kit.md#dev).

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use chrono::{DateTime, Utc};
use clap::Args;
use extension_model::Manifest;
use extension_runtime::local::{
    LocalInstall, LocalMemory, LocalRuntime, Moment, Network, RunReport, Trigger,
};
use sandbox::Engine;
use serde_json::{Map, Value};
use shared::clock::Clock;
use simulation::{Happening, PLATFORMS, Scenario, Simulation, plan};
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::{
    check::report,
    engine::engine,
    event_input::simulated,
    line_input::LineInput,
    load::load,
    output::{Outcome, print},
    replay::record,
    trigger_input::of_line,
    watch::{Snapshot, changed},
};

/// Name of the standard input.
const STANDARD_INPUT: &str = "-";

/// Options of the command.
#[derive(Debug, Clone, Default, Args)]
pub struct DevOptions {
    /// File of events, one a line, or `-` for standard input: triggers as in fixtures, events as the socket sends them,
    /// or the text of a chat line. Without it, each trigger of the manifest is simulated once.
    #[arg(long, value_name = "FILE")]
    pub events: Option<PathBuf>,
    /// End after the events instead of waiting for changes.
    #[arg(long)]
    pub once: bool,
    /// File of settings of the install, as JSON.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// File of secrets of the extension, a JSON object of texts.
    #[arg(long, value_name = "FILE")]
    pub secrets: Option<PathBuf>,
    /// Seed of the simulation; equal seeds simulate equal people and payloads.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Service that `ctx.fetch` may reach without being public or listed, as `host:port`; may be repeated.
    #[arg(long, value_name = "HOST:PORT")]
    pub allow_test_host: Vec<String>,
    /// Folder in which failed runs are recorded, for `lumio-ext replay`.
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
}

/// Everything that outlives a reload.
struct Session<'a> {
    dir: &'a Path,
    options: &'a DevOptions,
    engine: Engine,
    memory: LocalMemory,
    network: Network,
    clock: Clock,
}

/// Loads the folder and runs the events, and again after each change until it is interrupted.
///
/// # Errors
/// Files that cannot be read, an engine that cannot be started, and output that fails.
pub async fn dev(dir: &Path, options: &DevOptions, out: &mut dyn Write) -> Result<Outcome> {
    let session = Session {
        dir,
        options,
        engine: engine().await?,
        memory: LocalMemory::default(),
        network: Network::open(&options.allow_test_host).context("the client of ctx.fetch")?,
        clock: Clock::default(),
    };
    let events = options.events.as_deref().filter(|events| *events != Path::new(STANDARD_INPUT));
    if options.events.is_some() && events.is_none() {
        return session.follow(out).await;
    }
    loop {
        let seen = Snapshot::of(dir, events);
        let outcome = session.round(events, out).await?;
        if options.once {
            return Ok(outcome);
        }
        print(out, "waiting for changes; Ctrl-C ends")?;
        tokio::select! {
            () = changed(dir, events, &seen) => {}
            interrupted = tokio::signal::ctrl_c() => {
                interrupted?;
                return Ok(outcome);
            }
        }
    }
}

impl Session<'_> {
    /// Runs all events once.
    async fn round(&self, events: Option<&Path>, out: &mut dyn Write) -> Result<Outcome> {
        let Some((runtime, manifest)) = self.load(out).await? else { return Ok(Outcome::Bad) };
        let mut is_good = true;
        match events {
            Some(path) => {
                let text =
                    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
                for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
                    is_good &= self.line(&runtime, line, out).await?;
                }
            }
            None => {
                for (name, trigger) in simulate(&manifest, self.options.seed, self.clock.now()) {
                    print(out, format_args!("-> {name}"))?;
                    is_good &= self.trigger(&runtime, &trigger, out).await?;
                }
            }
        }
        Ok(Outcome::of(is_good))
    }

    /// Runs the lines of standard input as they come, with the code as it is then.
    async fn follow(&self, out: &mut dyn Write) -> Result<Outcome> {
        let mut lines = BufReader::new(tokio::io::stdin()).lines();
        let (mut seen, mut loaded) = (Snapshot::of(self.dir, None), self.load(out).await?);
        let mut is_good = loaded.is_some();
        while let Some(line) = lines.next_line().await? {
            let now = Snapshot::of(self.dir, None);
            if now != seen {
                (seen, loaded) = (now, self.load(out).await?);
            }
            let line = line.trim();
            if let Some((runtime, _)) = loaded.as_ref().filter(|_| !line.is_empty()) {
                is_good &= self.line(runtime, line, out).await?;
            }
        }
        Ok(Outcome::of(is_good && loaded.is_some()))
    }

    /// Loads the extension; prints the findings when it has some.
    async fn load(&self, out: &mut dyn Write) -> Result<Option<(LocalRuntime, Manifest)>> {
        let extension = match load(self.dir, &self.engine).await? {
            Ok(extension) => extension,
            Err(findings) => {
                report(&findings, false, out)?;
                return Ok(None);
            }
        };
        let manifest = extension.checked.manifest;
        let config: Map<String, Value> = read(self.options.config.as_deref())?;
        if let Err(error) = manifest.config_schema.check(&config) {
            print(out, format_args!("config.{} {}", error.key, error.message))?;
            return Ok(None);
        }
        let secrets = read(self.options.secrets.as_deref())?;
        let install = LocalInstall { manifest: manifest.clone(), config, secrets };
        print(out, format_args!("loaded {} {}", manifest.name, manifest.version))?;
        let (memory, network) = (self.memory.clone(), self.network.clone());
        Ok(Some((LocalRuntime::new(extension.handler, &install, memory, network), manifest)))
    }

    async fn line(&self, runtime: &LocalRuntime, line: &str, out: &mut dyn Write) -> Result<bool> {
        print(out, format_args!("-> {line}"))?;
        match of_line(line, self.clock.now()) {
            Ok(Some(trigger)) => self.trigger(runtime, &trigger, out).await,
            Ok(None) => {
                print(out, "   this event triggers nothing")?;
                Ok(true)
            }
            Err(problem) => {
                print(out, format_args!("   {problem}"))?;
                Ok(false)
            }
        }
    }

    /// Runs a trigger and prints what its handlers did; false when one failed.
    async fn trigger(&self, runtime: &LocalRuntime, trigger: &Trigger, out: &mut dyn Write) -> Result<bool> {
        let moment = Moment::now(shared::id::new());
        let reports = match runtime.run(trigger, &moment).await {
            Ok(reports) => reports,
            Err(undeclared) => {
                print(out, format_args!("   {undeclared}"))?;
                return Ok(false);
            }
        };
        if reports.is_empty() {
            print(out, "   no handler ran")?;
        }
        for report in &reports {
            show(report, out)?;
            if let Some(folder) = &self.options.record {
                record(report, folder, &moment.event_id.simple().to_string())?;
            }
        }
        Ok(reports.iter().all(|report| report.result.is_ok() && report.deferred.is_none()))
    }
}

fn show(report: &RunReport, out: &mut dyn Write) -> Result<()> {
    let took = report.wall.as_millis();
    print(out, format_args!("   {} ({}), {took} ms", report.handler, report.trigger))?;
    for line in &report.logs {
        print(out, format_args!("     log     {} {}", line.level.as_str(), line.message))?;
    }
    for effect in &report.effects {
        print(out, format_args!("     effect  {}", serde_json::to_string(effect)?))?;
    }
    for refused in &report.refused {
        print(out, format_args!("     refused {} {}", refused.code, refused.message))?;
    }
    match &report.result {
        Ok(value) if value.is_null() || !report.effects.is_empty() => {}
        Ok(value) => print(out, format_args!("     result  {value}"))?,
        Err(_) => {}
    }
    for failure in report.result.as_ref().err().into_iter().chain(&report.deferred) {
        print(out, format_args!("     failed  {} {failure}", failure.code))?;
        print(out, failure.stack.as_deref().unwrap_or_default().trim_end())?;
    }
    Ok(())
}

/// Returns one trigger of each that the manifest declares, with a name for people.
fn simulate(manifest: &Manifest, seed: u64, at: DateTime<Utc>) -> Vec<(String, Trigger)> {
    let mut triggers = Vec::new();
    let mut say = |text: String| {
        let line = LineInput::Text(text.clone()).line(false, at);
        triggers.push((text, Trigger::Line(Box::new(line))));
    };
    let module = manifest.bot_module.clone().unwrap_or_default();
    for command in module.commands.iter().filter(|command| command.enabled) {
        say(format!("!{}", command.name));
    }
    for keyword in module.keywords.iter().filter(|keyword| keyword.enabled) {
        say(keyword.value.clone());
    }
    if module.moderate.is_some() || !module.patterns.is_empty() {
        chat(seed, at).into_iter().for_each(say);
    }
    for event in &module.events {
        if let Ok(simulated) = simulated(&event.event_type, seed, at) {
            triggers.push((event.event_type.clone(), Trigger::Event(Box::new(simulated))));
        }
    }
    let platforms = module.platforms();
    for timer in module.timers {
        let platform = timer.platforms.iter().chain(&platforms).next().cloned().unwrap_or_default();
        triggers
            .push((format!("timer {}", timer.name), Trigger::Timer { name: timer.name, platform, run: 1 }));
    }
    triggers
}

/// Lines of a busy chat.
fn chat(seed: u64, at: DateTime<Utc>) -> Vec<String> {
    const LINES: u32 = 5;
    let [platform, ..] = PLATFORMS;
    let Ok(simulation) = Simulation::new(Scenario::BusyChat, platform, seed, (LINES, 1)) else {
        return Vec::new();
    };
    let steps = plan(&simulation, at).into_iter();
    steps
        .filter_map(|step| match step.what {
            Happening::Chat { text, .. } => Some(text.to_owned()),
            Happening::Event { .. } => None,
        })
        .collect()
}

fn read<T: Default + serde::de::DeserializeOwned>(path: Option<&Path>) -> Result<T> {
    let Some(path) = path else { return Ok(T::default()) };
    let text = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_slice(&text).with_context(|| path.display().to_string())
}
