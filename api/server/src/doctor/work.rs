//! Work in the background: queues and the daemons that empty them.

use chrono::{DateTime, TimeDelta, Utc};
use foundation::{daemons, jobs::QUEUES};
use queue::{Connection, Oldest};

use super::{Deployment, Finding};

/// Age of the oldest ready job that is a warning.
const MAX_AGE: TimeDelta = TimeDelta::seconds(60);
/// Age of the oldest ready job that is an error.
const MAX_TOLERATED_AGE: TimeDelta = TimeDelta::minutes(10);

/// Checks of the queues.
pub(super) async fn queues(this: &Deployment<'_>) -> Vec<Finding> {
    let config = &this.config.redis;
    let queues = match Connection::open(config.url.expose(), &config.prefix) {
        Ok(queues) => queues,
        Err(error) => {
            return vec![Finding::error("queues_unread", error.to_string(), "Correct REDIS_URL.")];
        }
    };
    let mut findings = Vec::new();
    for name in QUEUES {
        match state(&queues, name).await {
            Ok((ready, dead, oldest)) => {
                findings.extend(dead_letters(name, dead));
                findings.extend(lag(name, ready, oldest, this.clock.now()));
            }
            Err(error) => {
                let message = format!("the queue {name} cannot be read: {error}");
                findings.push(Finding::error("queues_unread", message, "Repair Redis first."));
                break;
            }
        }
    }
    findings
}

async fn state(queues: &Connection, name: &str) -> queue::Result<(u64, u64, Oldest)> {
    let stats = queues.stats(name).await?;
    // The oldest job may be a delayed one, which waits on purpose.
    let oldest = if stats.ready > 0 { queues.oldest(name).await? } else { Oldest::None };
    Ok((stats.ready, stats.dead, oldest))
}

fn dead_letters(queue: &str, dead: u64) -> Option<Finding> {
    let message = format!("the queue {queue} has {dead} dead letters");
    let remedy = format!(
        "Read them with `lumio-api admin jobs dead --queue {queue}`; once the cause is removed, run \
         `lumio-api admin jobs requeue --queue {queue} --all`."
    );
    (dead > 0).then(|| Finding::warning("dead_letters", message, remedy))
}

fn lag(queue: &str, ready: u64, oldest: Oldest, now: DateTime<Utc>) -> Option<Finding> {
    let age = match oldest {
        Oldest::None => return None,
        Oldest::AddedAt(at) => now - at,
        Oldest::Unknown => MAX_TOLERATED_AGE + MAX_AGE,
    };
    let waits = match oldest {
        Oldest::AddedAt(_) => format!("the oldest for {} s", age.num_seconds()),
        Oldest::None | Oldest::Unknown => "more than are read".to_owned(),
    };
    let message = format!("{ready} jobs of the queue {queue} wait, {waits}");
    let remedy = "Start more copies of the daemon of the queue; read its log.";
    match age {
        young if young <= MAX_AGE => None,
        late if late <= MAX_TOLERATED_AGE => Some(Finding::warning("queue_lag", message, remedy)),
        _ => Some(Finding::error("queue_lag", message, remedy)),
    }
}

/// Check of the daemons.
pub(super) async fn daemons(this: &Deployment<'_>) -> Vec<Finding> {
    let Some(redis) = &this.redis else { return Vec::new() };
    let copies = match daemons::working(redis, this.clock.now()).await {
        Ok(copies) => copies,
        Err(error) => {
            return vec![Finding::error("workers_unread", error.to_string(), "Repair Redis first.")];
        }
    };
    let remedy = "Start `lumio-worker all`, or one `lumio-worker` for each daemon as in the Procfile; check the system key.";
    if copies.values().all(|copies| *copies == 0) {
        let message = "no worker has sent a heartbeat";
        return vec![Finding::error("no_workers", message, remedy)];
    }
    let missing: Vec<&str> =
        copies.iter().filter(|(_, copies)| **copies == 0).map(|(daemon, _)| *daemon).collect();
    if missing.is_empty() {
        return Vec::new();
    }
    let message = format!("no copy works of the daemons {}", missing.join(", "));
    vec![Finding::warning("daemons_missing", message, remedy)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Severity;

    #[test]
    fn lag_of_a_queue_grows_from_a_warning_to_an_error() {
        let now = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
        let severity = |seconds| {
            let oldest = Oldest::AddedAt(now - TimeDelta::seconds(seconds));
            lag("mail", 1, oldest, now).map(|finding| finding.severity)
        };
        assert_eq!([severity(0), severity(60)], [None; 2]);
        assert_eq!([severity(61), severity(600)], [Some(Severity::Warning); 2]);
        assert_eq!(severity(601), Some(Severity::Error));
        assert!(lag("mail", 0, Oldest::None, now).is_none());
        assert!(
            lag("mail", 5000, Oldest::Unknown, now).is_some_and(|found| found.severity == Severity::Error)
        );
    }
}
