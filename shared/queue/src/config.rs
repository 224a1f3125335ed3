//! Settings of a queue. Producers and workers of one queue use the same ones.

use std::time::Duration;

use crate::{Error, Result, keys::check_name};

/// Settings of one queue.
///
/// ```
/// use std::time::Duration;
///
/// let config = queue::Config { concurrency: 8, timeout: Duration::from_secs(30), ..queue::Config::new("mail") };
/// assert!(config.check().is_ok());
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Name of the queue: 1 to 64 characters out of `A-Z a-z 0-9 _ - . :`.
    pub queue: String,

    /// Number of failures after which a job becomes a dead letter, where the job does not set its own. Counts
    /// runs that returned an error, panicked or timed out. At least 1. Default 5.
    pub max_attempts: u32,
    /// Time that an idempotency key rejects other jobs, counted from the moment the job was added. Default 24
    /// hours.
    pub idempotency_ttl: Duration,
    /// True to forget the key of a job at once when it succeeds: for frequent jobs that detect by themselves
    /// that they were done. Default false.
    pub forgets_keys: bool,
    /// Highest number of jobs in the queue (ready, running and delayed together). Beyond it, adding fails
    /// with [`Error::Full`]. Default 1,000,000.
    pub max_backlog: u64,
    /// Highest number of bytes of a payload as JSON. Default 256 KiB.
    pub max_payload_bytes: usize,

    /// Jobs that one worker holds at a time, 1 to 10,000. It reads no further ones, so that none waits behind
    /// a long job while another worker is idle. Default 50.
    pub concurrency: usize,
    /// Longest run of a handler. Then it is stopped, and the run counts as failed. Default 60 s.
    pub timeout: Duration,
    /// Time after which another worker takes over a job whose lease was not renewed. Renewal goes on while
    /// the handler runs, so a job may be longer than the lease. At least 100 ms. Default 30 s.
    pub lease: Duration,
    /// Number of workers that may die or hang while they hold a job before it becomes a dead letter. From the
    /// second loss on (the first, if this is 1), a worker runs such a job beside no other such job, so that
    /// jobs that merely shared a process with a deadly one survive. At least 1. Default 5.
    pub max_lost: u32,
    /// Time between attempts.
    pub backoff: Backoff,
    /// Longest wait of one read from Redis, which is also the longest time that an idle worker takes to stop.
    /// From 1 ms to 60 s. Default 1 s.
    pub block: Duration,
    /// Interval of the checks for delayed jobs that are due. At least 1 ms. Default 100 ms.
    pub promote_every: Duration,
    /// Time that handlers of a stopping worker may continue to run. Then they are stopped, and their jobs are
    /// put back as if they had never started. Default `None`: until they end.
    pub drain: Option<Duration>,
    /// Time that a stopping worker tries to report finished jobs when Redis does not reply. Afterwards they
    /// run again elsewhere. Default 10 s.
    pub settle_timeout: Duration,
    /// Approximate number of dead letters that are kept. The oldest are dropped first. Default 100,000.
    pub max_dead_letters: usize,
}

/// Time between attempts. It doubles from `first` to `max`. A random part, up to half, is taken off, so
/// that jobs that failed together do not come back together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// Wait after the first failure. Default 1 s.
    pub initial: Duration,
    /// Longest wait. Default 10 min.
    pub max: Duration,
}

impl Config {
    /// Defaults for a queue of this name.
    #[must_use]
    pub fn new(queue: impl Into<String>) -> Self {
        Self {
            queue: queue.into(),
            max_attempts: 5,
            idempotency_ttl: Duration::from_hours(24),
            forgets_keys: false,
            max_backlog: 1_000_000,
            max_payload_bytes: 256 * 1024,
            concurrency: 50,
            timeout: Duration::from_mins(1),
            lease: Duration::from_secs(30),
            max_lost: 5,
            backoff: Backoff { initial: Duration::from_secs(1), max: Duration::from_mins(10) },
            block: Duration::from_secs(1),
            promote_every: Duration::from_millis(100),
            drain: None,
            settle_timeout: Duration::from_secs(10),
            max_dead_letters: 100_000,
        }
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// [`Error::Invalid`] with the first setting out of range, and its range.
    pub fn check(&self) -> Result<()> {
        check_name("queue", &self.queue)?;
        at_least("max_attempts", u64::from(self.max_attempts), 1)?;
        at_least("max_lost", u64::from(self.max_lost), 1)?;
        at_least("max_backlog", self.max_backlog, 1)?;
        at_least("max_payload_bytes", self.max_payload_bytes as u64, 1)?;
        at_least("max_dead_letters", self.max_dead_letters as u64, 1)?;
        if !(1..=10_000).contains(&self.concurrency) {
            return Err(Error::invalid(
                "concurrency",
                format!("must be 1 to 10000, is {}", self.concurrency),
            ));
        }
        lasts("idempotency_ttl", self.idempotency_ttl, 1)?;
        lasts("timeout", self.timeout, 1)?;
        lasts("lease", self.lease, 100)?;
        lasts("promote_every", self.promote_every, 1)?;
        // To Redis, 0 means to wait for ever.
        lasts("block", self.block, 1)?;
        if self.block > Duration::from_mins(1) {
            return Err(Error::invalid("block", format!("must be at most 60 s, is {:?}", self.block)));
        }
        if self.backoff.initial > self.backoff.max {
            let problem = format!(
                "first ({:?}) must not be longer than longest ({:?})",
                self.backoff.initial, self.backoff.max
            );
            return Err(Error::invalid("backoff", problem));
        }
        Ok(())
    }
}

impl Backoff {
    /// Time to wait after a job has failed `failed_attempts` times (from 1).
    #[must_use]
    pub fn delay(&self, failed_attempts: u32) -> Duration {
        let doublings = failed_attempts.saturating_sub(1).min(30);
        let full = self.initial.saturating_mul(1 << doublings).min(self.max);
        full.mul_f64(rand::random_range(0.5..=1.0))
    }
}

fn at_least(field: &'static str, value: u64, least: u64) -> Result<()> {
    if value >= least {
        return Ok(());
    }
    Err(Error::invalid(field, format!("must be at least {least}, is {value}")))
}

fn lasts(field: &'static str, value: Duration, least_ms: u64) -> Result<()> {
    if value >= Duration::from_millis(least_ms) {
        return Ok(());
    }
    Err(Error::invalid(field, format!("must be at least {least_ms} ms, is {value:?}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn config_defaults_are_valid() {
        Config::new("mail").check().unwrap();
    }

    #[test]
    fn config_errors_name_the_setting_out_of_range() {
        let base = || Config::new("mail");
        let wrong = [
            ("queue", Config::new("two words")),
            ("max_attempts", Config { max_attempts: 0, ..base() }),
            ("max_lost", Config { max_lost: 0, ..base() }),
            ("max_backlog", Config { max_backlog: 0, ..base() }),
            ("max_payload_bytes", Config { max_payload_bytes: 0, ..base() }),
            ("max_dead_letters", Config { max_dead_letters: 0, ..base() }),
            ("concurrency", Config { concurrency: 0, ..base() }),
            ("concurrency", Config { concurrency: 10_001, ..base() }),
            ("idempotency_ttl", Config { idempotency_ttl: Duration::ZERO, ..base() }),
            ("timeout", Config { timeout: Duration::ZERO, ..base() }),
            ("lease", Config { lease: Duration::from_millis(99), ..base() }),
            ("promote_every", Config { promote_every: Duration::ZERO, ..base() }),
            ("block", Config { block: Duration::ZERO, ..base() }),
            ("block", Config { block: Duration::from_secs(61), ..base() }),
            (
                "backoff",
                Config { backoff: Backoff { initial: Duration::MAX, max: Duration::ZERO }, ..base() },
            ),
        ];
        for (field, config) in wrong {
            let error = config.check().unwrap_err().to_string();
            assert!(error.starts_with(&format!("invalid {field}: ")), "{field}: {error}");
        }
    }

    #[test]
    fn backoff_doubles_up_to_its_longest_and_takes_off_at_most_half() {
        let backoff = Backoff { initial: Duration::from_secs(1), max: Duration::from_secs(600) };
        for (failed, full) in [(1, 1), (2, 2), (3, 4), (10, 512), (11, 600), (u32::MAX, 600)] {
            let full = Duration::from_secs(full);
            for _ in 0..100 {
                let delay = backoff.delay(failed);
                assert!(delay >= full / 2 && delay <= full, "{failed}: {delay:?}");
            }
        }
    }
}
