//! Actions of an operator at the console: `lumio-api admin …`.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use tokio::process::Command;

/// The program alone: it takes its configuration from the environment, as the servers do.
pub struct Operator {
    pub program: PathBuf,
}

impl Operator {
    /// Runs `lumio-api admin` and returns its output.
    pub async fn run(&self, arguments: &[&str]) -> Result<String> {
        let output = Command::new(&self.program)
            .arg("admin")
            .args(arguments)
            .output()
            .await
            .with_context(|| format!("starting {}", self.program.display()))?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "lumio-api admin {} failed: {errors}", arguments.join(" "));
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }
}
