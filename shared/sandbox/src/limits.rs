use std::time::Duration;

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

/// Limits of one run of handler code (reference/handlers.md#limits-of-a-call).
///
/// Wall time and reply size have hard bounds (`MAX_*`). Larger values are cut to them when the invocation
/// starts, so that a limit raised for one extension never exceeds the platform's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Time from the call of [`Handler::invoke`](crate::Handler::invoke) to its end, host operations
    /// included.
    pub wall: Duration,
    /// Processor time in handler code; waiting for a host operation does not count.
    pub cpu: Duration,
    /// Size of the linear memory: engine (about 1.5 MiB), heap and stack together.
    /// At most [`EngineConfig::max_memory_bytes`](crate::EngineConfig::max_memory_bytes).
    pub memory_bytes: usize,
    /// `ctx.fetch` calls per invocation; the next one rejects.
    pub fetches: u32,
    /// Size of the result as JSON text.
    pub reply_bytes: usize,
    /// Log lines per invocation; later lines are dropped and counted.
    pub log_lines: u32,
    /// Size of one log line; the rest of the line is cut.
    pub log_line_bytes: usize,
    /// Host operations, timers included, that may run concurrently; the next one rejects.
    pub outstanding_operations: usize,
    /// Size of the argument of one host operation, such as a request with its body.
    pub argument_bytes: usize,
    /// Calls of `ctx.db`, `ctx.cache`, `ctx.push` and `ctx.actions` per invocation; the next one rejects.
    pub host_requests: u32,
}

impl Limits {
    /// Maximum wall time of any configuration.
    pub const MAX_WALL: Duration = Duration::from_secs(120);
    /// Maximum size of a reply in any configuration, in bytes.
    pub const MAX_REPLY_BYTES: usize = 10 * MIB;
    /// Wall time of functions that `ctx.defer` runs after the reply
    /// (reference/handlers.md#deferred-functions).
    pub const DEFERRED_WALL: Duration = Duration::from_secs(30);

    /// Returns the limits of bot commands and moderation: 500 ms of wall and of processor time.
    pub fn bot() -> Self {
        Self { wall: Duration::from_millis(500), cpu: Duration::from_millis(500), ..Self::default() }
    }

    /// Returns the limits of poll trigger handlers: 10 s.
    pub fn poll() -> Self {
        Self { wall: Duration::from_secs(10), ..Self::default() }
    }

    /// Returns the limits for the top level of a module, where no host operation is available, so processor
    /// time counts.
    pub fn load() -> Self {
        Self::default()
    }

    /// Returns the same limits with the hard bounds applied.
    pub(crate) fn bounded(self, max_memory_bytes: usize) -> Self {
        Self {
            wall: self.wall.min(Self::MAX_WALL),
            reply_bytes: self.reply_bytes.min(Self::MAX_REPLY_BYTES),
            memory_bytes: self.memory_bytes.min(max_memory_bytes),
            ..self
        }
    }
}

/// Limits of server functions, automation nodes, events and timers.
impl Default for Limits {
    fn default() -> Self {
        Self {
            wall: Duration::from_secs(30),
            cpu: Duration::from_secs(5),
            memory_bytes: 64 * MIB,
            fetches: 10,
            reply_bytes: MIB,
            log_lines: 100,
            log_line_bytes: 4 * KIB,
            outstanding_operations: 32,
            argument_bytes: MIB,
            host_requests: 1000,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_never_exceed_the_hard_bounds() {
        let generous = Limits {
            wall: Duration::from_secs(3600),
            reply_bytes: usize::MAX,
            memory_bytes: usize::MAX,
            ..Limits::default()
        };

        let bounded = generous.bounded(64 * MIB);

        assert_eq!(bounded.wall, Duration::from_secs(120));
        assert_eq!(bounded.reply_bytes, 10 * MIB);
        assert_eq!(bounded.memory_bytes, 64 * MIB);
    }
}
