//! `lumio-api`: see [`lumio_api::cli`].

use std::process::ExitCode;

use clap::Parser;
use lumio_api::cli::Cli;
use mimalloc::MiMalloc;

/// Requests make many short-lived allocations, which are cheaper here than in the allocator of the C library.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    Cli::parse().run()
}
