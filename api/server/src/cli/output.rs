//! Standard output of the commands.

use std::{fmt::Display, io, io::Write};

/// Prints a line. A closed pipe is the reader's way to say that it has seen enough: the command goes on without it.
///
/// # Errors
/// When standard output fails otherwise.
pub fn print(text: impl Display) -> io::Result<()> {
    ended(writeln!(io::stdout(), "{text}"))
}

fn ended(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_closed_pipe_is_no_failure() {
        assert!(ended(Err(io::ErrorKind::BrokenPipe.into())).is_ok());
        assert!(ended(Err(io::ErrorKind::StorageFull.into())).is_err());
    }
}
