//! `lumio-api`: see [`lumio_api::cli`].

use std::process::ExitCode;

use clap::Parser;
use lumio_api::cli::Cli;

fn main() -> ExitCode {
    Cli::parse().run()
}
