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

/// Prints a line. A closed pipe means that the reader has enough: the command continues without it. Texts may come from
/// viewers, so characters that control a terminal are replaced.
///
/// # Errors
/// Output that fails in another way.
pub(crate) fn print(out: &mut dyn Write, text: impl Display) -> io::Result<()> {
    match writeln!(out, "{}", printable(&text.to_string())).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

fn printable(text: &str) -> String {
    let controls = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    text.replace(controls, "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn print_replaces_characters_that_control_a_terminal() {
        let mut out = Vec::new();
        print(&mut out, "a\tb\nc\u{1b}[2J\u{9b}31m\r\u{7}").unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "a\tb\nc\u{fffd}[2J\u{fffd}31m\u{fffd}\u{fffd}\n");
    }
}
