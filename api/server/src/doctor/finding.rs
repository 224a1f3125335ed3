//! Findings and the report of them.

use serde::Serialize;
use serde_json::{Value, json};

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The deployment works; something should be done.
    Warning,
    /// A part of the deployment does not work.
    Error,
}

/// Finding with what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Code for programs.
    pub code: &'static str,
    /// Severity of the finding.
    pub severity: Severity,
    /// Finding for operators. It may name hosts, and never a secret.
    pub message: String,
    /// Remedy.
    pub remedy: String,
}

/// One check with its findings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Name of the check.
    pub name: &'static str,
    /// Findings; empty when all is well.
    pub findings: Vec<Finding>,
}

/// Checks of a deployment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Every check, in a fixed order.
    pub checks: Vec<Check>,
}

impl Finding {
    /// Finding of a part that does not work.
    pub(super) fn error(code: &'static str, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { code, severity: Severity::Error, message: message.into(), remedy: remedy.into() }
    }

    /// Finding of a part that works.
    pub(super) fn warning(code: &'static str, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message, remedy) }
    }
}

impl Check {
    fn status(&self) -> &'static str {
        match self.findings.iter().map(|finding| finding.severity).max() {
            None => "ok",
            Some(Severity::Warning) => "warning",
            Some(Severity::Error) => "error",
        }
    }
}

impl Report {
    /// Number of findings of this severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.findings().filter(|finding| finding.severity == severity).count()
    }

    /// Findings of all checks.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.checks.iter().flat_map(|check| &check.findings)
    }

    /// Form for programs: `{ healthy, checks: [{ check, status, findings }] }`.
    #[must_use]
    pub fn json(&self) -> Value {
        let check = |check: &Check| json!({ "check": check.name, "status": check.status(), "findings": check.findings });
        json!({
            "healthy": self.count(Severity::Error) == 0,
            "checks": self.checks.iter().map(check).collect::<Vec<_>>(),
        })
    }

    /// Lines for people: one for each check, and two for each finding.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for check in &self.checks {
            lines.push(format!("{:<8} {}", check.status(), check.name));
            for finding in &check.findings {
                lines.push(format!("         {}: {}", finding.code, finding.message));
                lines.push(format!("         {}", finding.remedy));
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_is_healthy_without_errors_and_prints_remedies() {
        let warned =
            Check { name: "clocks", findings: vec![Finding::warning("skew", "3 s", "Synchronise.")] };
        let fine = Check { name: "fonts", findings: Vec::new() };
        let report = Report { checks: vec![warned, fine.clone()] };
        assert_eq!((report.count(Severity::Error), report.json()["healthy"].clone()), (0, json!(true)));
        assert_eq!(report.json()["checks"][0]["status"], "warning");
        assert_eq!(report.lines()[0], "warning  clocks");
        assert_eq!(report.lines()[1..3], ["         skew: 3 s", "         Synchronise."]);
        assert_eq!(report.lines()[3], "ok       fonts");
        let failed =
            Check { name: "stores", findings: vec![Finding::error("away", "no answer", "Start it.")] };
        let report = Report { checks: vec![failed, fine] };
        assert_eq!((report.count(Severity::Error), report.json()["healthy"].clone()), (1, json!(false)));
    }
}
