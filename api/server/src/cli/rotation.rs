//! Command that seals every stored secret again under the current key.

use crate::rotation::{Progress, Report, rotate};
use anyhow::Context;
use api_core::State;
use foundation::{audit, db::Databases};
use serde_json::json;
use uuid::Uuid;

use super::{output::print, people::entry};

/// Seals every stored secret under the first of `LUMIO_ENCRYPTION_KEYS`, and prints which of the other keys
/// may be removed.
pub async fn rotate_encryption_key(state: &State, databases: &Databases) -> anyhow::Result<()> {
    let report = rotate(databases, &state.keyring, |progress| eprintln!("{}", line(progress))).await?;
    let entry = audit::Entry {
        resource_id: Some(report.current_key.clone()),
        metadata: json!({
            "by": "console",
            "sealed": report.places.iter().map(|place| place.sealed).sum::<usize>(),
            "unreadable": report.places.iter().map(|place| place.unreadable).sum::<usize>(),
        }),
        ..entry("encryption_key:rotated", "encryption_key", Uuid::nil())
    };
    audit::record(&mut *databases.postgres.get().await?, entry).await.context("the audit trail")?;
    for text in summary(&report) {
        print(text)?;
    }
    Ok(())
}

fn line(progress: &Progress) -> String {
    let Progress { place, sealed, unreadable } = progress;
    format!("{}.{}: {sealed} sealed, {unreadable} unreadable", place.table, place.column)
}

fn summary(report: &Report) -> Vec<String> {
    let mut lines: Vec<String> = report.places.iter().map(line).collect();
    let unreadable: usize = report.places.iter().map(|place| place.unreadable).sum();
    if unreadable > 0 {
        lines.push(format!(
            "{unreadable} values cannot be read with the configured keys; their owners must enter or connect them \
             again"
        ));
    }
    if !report.still_used.is_empty() {
        lines.push(format!("still in use: {}", report.still_used.join(", ")));
    }
    lines.push(match report.removable.join(", ") {
        none if none.is_empty() => format!("no other key than {} can be removed", report.current_key),
        keys => format!(
            "everything is under {}; once every process runs with it, remove from LUMIO_ENCRYPTION_KEYS: {keys}",
            report.current_key
        ),
    });
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rotation::ENCRYPTED;

    fn report(unreadable: usize, removable: &[&str], still_used: &[&str]) -> Report {
        let texts = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
        Report {
            current_key: "k2".into(),
            places: vec![Progress { place: ENCRYPTED[0], sealed: 3, unreadable }],
            removable: texts(removable),
            still_used: texts(still_used),
        }
    }

    #[test]
    fn summary_lists_the_keys_that_can_be_removed() {
        let done = summary(&report(0, &["k1"], &[]));
        assert_eq!(done[0], "app_credentials.client_secret: 3 sealed, 0 unreadable");
        assert!(done[1].starts_with("everything is under k2;") && done[1].ends_with(": k1"), "{done:?}");
        let lost = summary(&report(1, &[], &["k0"]));
        assert!(lost[1].starts_with("1 values cannot be read"), "{lost:?}");
        assert_eq!(lost[2..], ["still in use: k0", "no other key than k2 can be removed"]);
    }
}
