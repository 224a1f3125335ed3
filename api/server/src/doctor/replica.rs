//! Replica of the main database: it answers, follows the primary, and is not behind.

use foundation::db::{ReplicaProblem, check_replica};

use super::{Deployment, Finding};

/// Checks the replica, if one is configured. The primary serves its reads meanwhile, so a finding is a warning.
pub(super) async fn follows(this: &Deployment<'_>) -> Vec<Finding> {
    let problem = check_replica(&this.config.databases).await;
    problem.as_ref().and_then(finding).into_iter().collect()
}

fn finding(problem: &ReplicaProblem) -> Option<Finding> {
    let (code, remedy) = match problem {
        // The check of the stores reports it.
        ReplicaProblem::PrimaryAway(_) => return None,
        ReplicaProblem::Away(_) => (
            "replica_unreachable",
            "Start the replica; check LUMIO_DATABASE_REPLICA_URL, its user and the network between.",
        ),
        ReplicaProblem::NotAReplica | ReplicaProblem::OtherDatabases => {
            ("replica_foreign", "Point LUMIO_DATABASE_REPLICA_URL at a streaming replica of DATABASE_URL.")
        }
        ReplicaProblem::OtherTimeline => (
            "replica_detached",
            "Let the replica follow the present primary; after a failover it serves again with its next restart point.",
        ),
        ReplicaProblem::Lags => (
            "replica_lags",
            "Check network, disk and long queries of the replica; more than a second behind it serves no reads.",
        ),
    };
    Some(Finding::warning(code, problem.to_string(), remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finding_of_a_replica_is_a_warning_with_a_remedy() {
        for problem in [
            ReplicaProblem::Away("refused".to_owned()),
            ReplicaProblem::NotAReplica,
            ReplicaProblem::OtherDatabases,
            ReplicaProblem::OtherTimeline,
            ReplicaProblem::Lags,
        ] {
            let found = finding(&problem).unwrap();
            assert!(found.code.starts_with("replica_") && found.remedy.ends_with('.'), "{found:?}");
            assert_eq!(
                (found.severity, found.message),
                (crate::doctor::Severity::Warning, problem.to_string())
            );
        }
        assert_eq!(finding(&ReplicaProblem::PrimaryAway("away".to_owned())), None);
    }
}
