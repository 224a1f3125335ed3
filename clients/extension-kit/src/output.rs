//! Output of the commands: results go to standard output, faults of the environment to standard error.

use std::{
    fmt::Display,
    io::{self, Write},
    process::ExitCode,
};

/// End of a command that ran (reference/extension-kit.md#exit-codes).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing is wrong.
    Good,
    /// The extension has findings, failed tests or a refused upload.
    Bad,
}

impl Outcome {
    /// Returns the outcome of a check.
    #[must_use]
    pub const fn of(is_good: bool) -> Self {
        if is_good { Self::Good } else { Self::Bad }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Good => Self::SUCCESS,
            Outcome::Bad => Self::from(1),
        }
    }
}

/// Prints a line. A closed pipe means that the reader has enough: the command continues without it.
///
/// # Errors
/// Output that fails in another way.
pub(crate) fn print(out: &mut dyn Write, text: impl Display) -> io::Result<()> {
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}
