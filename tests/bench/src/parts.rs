//! Parts that have a measuring program beside their code.

use std::{path::Path, process::Command};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use stack::measure::{Rounds, short};

use crate::table::{Row, Table};

/// A fresh instance of the engine and one call, on one core.
pub fn sandbox(programs: &Path, table: &mut Table, invocations: u32) -> Result<()> {
    let text = output(programs, "invoke_bench", &[invocations.to_string()])?;
    let micros = number_after(&text, "invocation:")?;
    let kib = number_after(&text, "live instance:")?;
    table.add(Row {
        work: "Handler invocation, fresh instance, 5 KB handler",
        figure: format!("{} µs, {} KiB each", short(micros), short(kib)),
        bar: "≤ 300 KiB each (the time is compared with a fresh isolate of isolated-vm, by hand)",
        met: Some(kib <= 300.0),
    });
    Ok(())
}

/// Jobs from a backlog, and the wait of a job in an idle queue.
pub fn jobs(programs: &Path, table: &mut Table, redis: &str, rounds: u32, count: u32) -> Result<()> {
    let arguments = [
        "--redis",
        redis,
        "--jobs",
        &count.to_string(),
        "--concurrency",
        "50",
        "--paced",
        "1000",
        "--rate",
        "200",
    ];
    let (mut done, mut p99) = (Rounds::default(), Rounds::default());
    for _ in 0..rounds {
        let text = output(programs, "throughput", &arguments.map(str::to_owned))?;
        let figures: Value = serde_json::from_str(text.trim()).context("the program printed no JSON")?;
        done.add(figures["backlog"]["done_per_second"].as_f64().context("no rate")?);
        p99.add(figures["pickup"]["p99_us"].as_f64().context("no wait")? / 1000.0);
    }
    table.add(Row {
        work: "Jobs, concurrency 50",
        figure: format!(
            "{} of {count} queued, p99 pickup {} at 200/s",
            done.summary("jobs/s"),
            p99.summary("ms")
        ),
        bar: "≥ 60,000 jobs/s, p99 ≤ 1 ms",
        met: Some(done.median() >= 60_000.0 && p99.median() <= 1.0),
    });
    Ok(())
}

fn output(programs: &Path, example: &str, arguments: &[String]) -> Result<String> {
    let program = programs.join("examples").join(example);
    let output = Command::new(&program)
        .args(arguments)
        .output()
        .with_context(|| format!("{} is missing", program.display()))?;
    ensure!(output.status.success(), "{example}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn number_after(text: &str, mark: &str) -> Result<f64> {
    let rest = text.split_once(mark).with_context(|| format!("no `{mark}` in:\n{text}"))?.1;
    Ok(rest.split_whitespace().next().context("no figure")?.parse()?)
}
