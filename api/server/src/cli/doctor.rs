//! Command that checks the deployment.

use anyhow::ensure;
use shared::{clock::Clock, config::Config};

use super::output::print;
use crate::doctor::{Severity, examine};

/// Checks the deployment and prints the findings with their remedies.
///
/// # Errors
/// An error when something does not work.
pub async fn doctor(config: &Config, json: bool) -> anyhow::Result<()> {
    let report = examine(config, Clock::default()).await;
    if json {
        print(format!("{:#}", report.json()))?;
    } else {
        for line in report.lines() {
            print(line)?;
        }
    }
    let errors = report.count(Severity::Error);
    ensure!(errors == 0, "errors that need a remedy: {errors}");
    Ok(())
}
