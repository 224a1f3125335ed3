//! `lumio-api`: see [`lumio_api::cli`].

use std::process::ExitCode;

use clap::Parser;
use lumio_api::cli::Cli;
use mimalloc::MiMalloc;

/// Requests allocate much and briefly, which this one does cheaper than the C library's.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    Cli::parse().run()
}
