//! External load generators: wrk for HTTP, pgbench for the database alone.

use std::{path::PathBuf, process::Command, time::Duration};

use anyhow::{Context, Result, bail, ensure};
use stack::measure::children_time;

/// Arguments of wrk.
pub struct Load<'a> {
    pub url: &'a str,
    pub token: &'a str,
    /// A body makes it a POST of JSON.
    pub body: Option<&'a str>,
    pub seconds: u64,
}

/// Requests a second over 32 connections; fails on any response but success.
pub fn wrk(load: &Load<'_>) -> Result<f64> {
    let script = tempfile::Builder::new().suffix(".lua").tempfile()?;
    let mut lua = format!("wrk.headers[\"Authorization\"] = \"Bearer {}\"\n", load.token);
    if let Some(body) = load.body {
        lua += &format!(
            "wrk.method = \"POST\"\nwrk.body = [[{body}]]\nwrk.headers[\"Content-Type\"] = \"application/json\"\n"
        );
    }
    std::fs::write(script.path(), lua)?;
    let output = Command::new("wrk")
        .args(["-t1", "-c32", &format!("-d{}s", load.seconds), "-s"])
        .arg(script.path())
        .arg(load.url)
        .output()
        .context("wrk is missing: install the package wrk")?;
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(!text.contains("Non-2xx"), "not every answer was a success:\n{text}");
    figure_after(&text, "Requests/sec:")
}

/// Result of pgbench.
pub struct Transactions {
    pub per_second: f64,
    /// Processor time that pgbench itself used for a transaction, in µs.
    pub client_cpu: f64,
}

/// Runs a script over 32 prepared connections. Its `:name` become parameters of the statements.
pub fn pgbench(
    program: &PathBuf,
    database: &str,
    sql: &str,
    variables: &[(&str, &str)],
    seconds: u64,
) -> Result<Transactions> {
    let script = tempfile::Builder::new().suffix(".sql").tempfile()?;
    std::fs::write(script.path(), sql)?;
    let before = children_time()?;
    let output = Command::new(program)
        .args(["-n", "-M", "prepared", "-c", "32", "-j", "1", "-T", &seconds.to_string(), "-f"])
        .arg(script.path())
        .args(variables.iter().flat_map(|(name, value)| ["-D".to_owned(), format!("{name}={value}")]))
        .arg(database)
        .output()
        .with_context(|| format!("{} does not start", program.display()))?;
    if !output.status.success() {
        bail!("pgbench: {}", String::from_utf8_lossy(&output.stderr));
    }
    let used = children_time()? - before;
    let per_second = figure_after(&String::from_utf8_lossy(&output.stdout), "tps =")?;
    let count = per_second * Duration::from_secs(seconds).as_secs_f64();
    Ok(Transactions { per_second, client_cpu: used.as_secs_f64() * 1e6 / count })
}

fn figure_after(text: &str, mark: &str) -> Result<f64> {
    let rest = text.split_once(mark).with_context(|| format!("no `{mark}` in:\n{text}"))?.1;
    Ok(rest.split_whitespace().next().context("no figure")?.parse()?)
}
