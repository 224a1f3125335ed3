//! Counts of one consumer in one hour.

/// Quantity that a process counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Counter {
    /// Requests to the API.
    Requests,
    /// Time of handlers, in microseconds.
    HandlerUs,
    /// Requests of handlers to other hosts.
    Fetches,
    /// Chat messages.
    Messages,
}

/// Counts of each quantity. They may be negative: what was counted and did not happen is taken back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests to the API.
    pub requests: i64,
    /// Time of handlers, in microseconds.
    pub handler_us: i64,
    /// Requests of handlers to other hosts.
    pub fetches: i64,
    /// Chat messages.
    pub messages: i64,
}

impl Counter {
    /// All quantities.
    pub const ALL: [Self; 4] = [Self::Requests, Self::HandlerUs, Self::Fetches, Self::Messages];

    /// Letter in the names of fields in Redis.
    pub(crate) const fn letter(self) -> &'static str {
        match self {
            Self::Requests => "r",
            Self::HandlerUs => "h",
            Self::Fetches => "f",
            Self::Messages => "m",
        }
    }

    /// Quantity of a letter.
    pub(crate) fn of_letter(letter: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|counter| counter.letter() == letter)
    }
}

impl Counts {
    /// Adds to a quantity.
    pub const fn add(&mut self, counter: Counter, number: i64) {
        let count = match counter {
            Counter::Requests => &mut self.requests,
            Counter::HandlerUs => &mut self.handler_us,
            Counter::Fetches => &mut self.fetches,
            Counter::Messages => &mut self.messages,
        };
        *count = count.saturating_add(number);
    }

    /// Count of a quantity.
    #[must_use]
    pub const fn get(&self, counter: Counter) -> i64 {
        match counter {
            Counter::Requests => self.requests,
            Counter::HandlerUs => self.handler_us,
            Counter::Fetches => self.fetches,
            Counter::Messages => self.messages,
        }
    }
}
