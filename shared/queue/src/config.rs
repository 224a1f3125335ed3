//! Settings of a queue. Producers and workers of one queue take the same ones.

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

    /// How often a job may fail before it goes to the dead letters, where the job does not say otherwise.
    /// Counts runs that returned an error, panicked or took too long. At least 1. Default 5.
    pub max_attempts: u32,
    /// How long an idempotency key keeps other jobs out, counted from the moment the job was added.
    /// Default 24 hours.
    pub idempotency_ttl: Duration,
    /// Whether the key of a job that succeeded is forgotten at once: for jobs that find out by themselves that they
    /// were done, and of which there are many. Default false.
    pub forgets_keys: bool,
    /// Most jobs the queue holds (ready, running and delayed together). Beyond it, adding fails with
    /// [`Error::Full`]. Default 1,000,000.
    pub max_backlog: u64,
    /// Most bytes of a payload as JSON. Default 256 KiB.
    pub max_payload_bytes: usize,

    /// Jobs one worker holds at a time, 1 to 10,000. It reads no further ones, so that none waits behind
    /// a long job while another worker is idle. Default 50.
    pub concurrency: usize,
    /// Longest run of a handler. Then it is stopped, and the run counts as failed. Default 60 s.
    pub timeout: Duration,
    /// An entry that its worker has not renewed for this long is taken over by another worker. Renewal
    /// goes on for as long as the handler runs, so a job may be longer than the lease. At least 100 ms.
    /// Default 30 s.
    pub lease: Duration,
    /// How many workers may die or hang while they hold a job before it goes to the dead letters. From the
    /// second loss on (the first, if this is 1), a worker runs such a job beside no other such job, so that
    /// those that merely shared a process with a deadly one survive. At least 1. Default 5.
    pub max_lost: u32,
    /// Time between attempts.
    pub backoff: Backoff,
    /// Longest wait of one read from Redis, which is also how long an idle worker may take to stop. From
    /// 1 ms to 60 s. Default 1 s.
    pub block: Duration,
    /// How often workers look for delayed jobs that are due. At least 1 ms. Default 100 ms.
    pub promote_every: Duration,
    /// How long handlers of a stopping worker may run on. Then they are stopped, and their jobs are put back as if
    /// they had never begun. Default `None`: until they end.
    pub drain: Option<Duration>,
    /// How long a stopping worker tries to report finished jobs when Redis does not answer. Afterwards they
    /// run again elsewhere. Default 10 s.
    pub settle_timeout: Duration,
    /// About how many dead letters are kept; the oldest go first. Default 100,000.
    pub max_dead_letters: usize,
}

/// Time between attempts: doubles from `first` to `longest`, then a random half of it is taken off at most,
/// so that jobs that failed together do not come back together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// After the first failure. Default 1 s.
    pub first: Duration,
    /// Never more than this. Default 10 min.
    pub longest: Duration,
}

impl Config {
    /// The defaults for a queue of this name.
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
            backoff: Backoff { first: Duration::from_secs(1), longest: Duration::from_mins(10) },
            block: Duration::from_secs(1),
            promote_every: Duration::from_millis(100),
            drain: None,
            settle_timeout: Duration::from_secs(10),
            max_dead_letters: 100_000,
        }
    }

    /// Whether the settings make sense.
    ///
    /// # Errors
    /// [`Error::Invalid`] names the first setting that does not, and what is allowed.
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
        if self.backoff.first > self.backoff.longest {
            let problem = format!(
                "first ({:?}) must not be longer than longest ({:?})",
                self.backoff.first, self.backoff.longest
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
        let full = self.first.saturating_mul(1 << doublings).min(self.longest);
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
    fn defaults_make_sense() {
        Config::new("mail").check().unwrap();
    }

    #[test]
    fn a_setting_out_of_range_is_named() {
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
                Config { backoff: Backoff { first: Duration::MAX, longest: Duration::ZERO }, ..base() },
            ),
        ];
        for (field, config) in wrong {
            let error = config.check().unwrap_err().to_string();
            assert!(error.starts_with(&format!("invalid {field}: ")), "{field}: {error}");
        }
    }

    #[test]
    fn backoff_doubles_up_to_its_longest_and_takes_off_at_most_half() {
        let backoff = Backoff { first: Duration::from_secs(1), longest: Duration::from_secs(600) };
        for (failed, full) in [(1, 1), (2, 2), (3, 4), (10, 512), (11, 600), (u32::MAX, 600)] {
            let full = Duration::from_secs(full);
            for _ in 0..100 {
                let delay = backoff.delay(failed);
                assert!(delay >= full / 2 && delay <= full, "{failed}: {delay:?}");
            }
        }
    }
}
