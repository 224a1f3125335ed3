//! `lumio-ext test`: fixture events in, expected effects out (reference/extension-kit.md#test).

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use extension_runtime::local::{LocalInstall, LocalMemory, LocalRuntime, Moment, Network, RunReport};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    check::report,
    engine::engine,
    fixture::{self, Expectation, Fixture},
    load::{Extension, load},
    matching::differences,
    output::{Outcome, print},
    replay::record,
};

/// Id of the event of every fixture, so that random numbers are the same in every run.
const EVENT_ID: Uuid = Uuid::from_u128(1);

/// Runs all fixtures of a folder.
///
/// # Errors
/// Fixtures that cannot be read, an engine that cannot be started, and output that fails.
pub async fn test(dir: &Path, recordings: Option<&Path>, out: &mut dyn Write) -> Result<Outcome> {
    let (paths, engine) = (fixture::paths(dir)?, engine().await?);
    let extension = match load(dir, &engine).await? {
        Ok(extension) => extension,
        Err(findings) => {
            report(&findings, false, out)?;
            return Ok(Outcome::Bad);
        }
    };
    let mut failed = 0;
    for path in &paths {
        let problems = run(&extension, path, recordings).await?;
        let name = path.strip_prefix(dir).unwrap_or(path).display();
        print(out, format_args!("{}  {name}", if problems.is_empty() { "ok  " } else { "FAIL" }))?;
        for problem in &problems {
            print(out, format_args!("      {problem}"))?;
        }
        failed += usize::from(!problems.is_empty());
    }
    print(out, format_args!("{} passed, {failed} failed", paths.len() - failed))?;
    Ok(Outcome::of(failed == 0))
}

/// Runs one fixture and returns what differs.
async fn run(extension: &Extension, path: &Path, recordings: Option<&Path>) -> Result<Vec<String>> {
    let text = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let fixture = Fixture::parse(&text).with_context(|| path.display().to_string())?;
    let trigger = fixture.trigger().with_context(|| path.display().to_string())?;
    let trigger = match trigger.trigger(fixture.now) {
        Ok(trigger) => trigger,
        Err(problem) => return Ok(vec![problem]),
    };
    let manifest = extension.checked.manifest.clone();
    if let Err(error) = manifest.config_schema.check(&fixture.config) {
        return Ok(vec![format!("config.{} {}", error.key, error.message)]);
    }
    let install = LocalInstall { manifest, config: fixture.config.clone(), secrets: fixture.secrets.clone() };
    let network = Network::recorded(fixture.answers());
    let runtime = LocalRuntime::new(extension.handler.clone(), &install, LocalMemory::default(), network);
    let (viewer, moment) = (LocalRuntime::viewer(&trigger), Moment::fixed(EVENT_ID, fixture.now));
    if let Err(error) = runtime.fill(&fixture.store, viewer.as_deref(), &moment) {
        return Ok(vec![format!("store: {error}")]);
    }
    let reports = match runtime.run(&trigger, &moment).await {
        Ok(reports) => reports,
        Err(undeclared) => return Ok(vec![undeclared.to_string()]),
    };
    if let Some(folder) = recordings {
        for report in &reports {
            record(report, folder, &stem(path))?;
        }
    }
    let mut problems = compare(&fixture.expect, &reports);
    if let Some(expected) = &fixture.expect.store {
        let found =
            runtime.contents(viewer.as_deref(), &moment).map_err(|error| anyhow::anyhow!("{error}"))?;
        problems.extend(differences("store", expected, &serde_json::to_value(found)?));
    }
    Ok(problems)
}

fn stem(path: &Path) -> String {
    PathBuf::from(path).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Compares everything but the storage.
fn compare(expected: &Expectation, reports: &[RunReport]) -> Vec<String> {
    let effects: Vec<_> = reports.iter().flat_map(|report| &report.effects).collect();
    let refused: Vec<_> = reports.iter().flat_map(|report| &report.refused).collect();
    let mut problems = differences("effects", &json!(expected.effects), &json!(effects));
    problems.extend(differences("refused", &json!(expected.refused), &json!(refused)));
    if let Some(result) = &expected.result {
        problems.extend(differences("result", result, &results(reports)));
    }
    if let Some(logs) = &expected.logs {
        let lines = reports.iter().flat_map(|report| &report.logs);
        let found: Vec<Value> = match logs.iter().all(Value::is_string) {
            true => lines.map(|line| json!(line.message)).collect(),
            false => lines.map(|line| json!(line)).collect(),
        };
        problems.extend(differences("logs", &json!(logs), &json!(found)));
    }
    problems.extend(failures(expected, reports));
    let unanswered = reports.iter().flat_map(|report| &report.unanswered);
    problems.extend(unanswered.map(|asked| format!("fetch: no answer is given for {asked}")));
    problems
}

/// Result of the only handler, else those of all.
fn results(reports: &[RunReport]) -> Value {
    let of = |report: &RunReport| report.result.clone().unwrap_or_default();
    match reports {
        [only] => of(only),
        all => all.iter().map(of).collect(),
    }
}

fn failures(expected: &Expectation, reports: &[RunReport]) -> Vec<String> {
    let failed = reports.iter().filter_map(|report| {
        let failure = report.result.as_ref().err().or(report.deferred.as_ref())?;
        Some((report, failure))
    });
    let mut failed = failed.peekable();
    if let (Some(expected), None) = (&expected.failure, failed.peek()) {
        return vec![format!("failure: expected {expected}, found nothing")];
    }
    failed
        .flat_map(|(report, failure)| match &expected.failure {
            Some(expected) => differences("failure", expected, &json!(failure)),
            None => {
                let stack = failure.stack.as_deref().unwrap_or_default().trim_end();
                vec![
                    format!("{} failed: {} {failure}\n{stack}", report.handler, failure.code)
                        .trim_end()
                        .to_owned(),
                ]
            }
        })
        .collect()
}
