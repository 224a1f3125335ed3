//! Standard output of the commands.

use std::{fmt::Display, io, io::Write};

/// Prints a line. A closed pipe means that the reader has enough: the command continues without it.
///
/// # Errors
/// An error when standard output fails in another way.
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
    fn output_to_a_closed_pipe_is_no_failure() {
        assert!(ended(Err(io::ErrorKind::BrokenPipe.into())).is_ok());
        assert!(ended(Err(io::ErrorKind::StorageFull.into())).is_err());
    }
}
