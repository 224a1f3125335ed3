//! `lumio-ext`: see [`lumio_ext::cli`].

use std::process::ExitCode;

use clap::Parser;
use lumio_ext::cli::Cli;

fn main() -> ExitCode {
    Cli::parse().run()
}
