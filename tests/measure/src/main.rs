//! Prints every measure of the checkout with its bar, and fails when one is exceeded.

use std::{
    io::{ErrorKind, Write},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::{Context, Result, bail};
use clap::Parser;
use measure::{bars::Bars, checkout::Checkout, reference, report, rows};

/// Measures the checkout; exits 1 when a row exceeds its bar.
#[derive(Debug, Parser)]
struct Arguments {
    /// Folder of the checkout.
    #[arg(long, default_value = ".")]
    root: PathBuf,
    /// File of the bars, from the folder of the checkout.
    #[arg(long, default_value = "tests/measure/bars.toml")]
    bars: PathBuf,
    /// Prints every place of this row and nothing else.
    #[arg(long, value_name = "ROW")]
    list: Option<String>,
    /// Rewrites the generated tables of docs/reference.
    #[arg(long)]
    write_reference: bool,
}

fn main() -> ExitCode {
    run(&Arguments::parse()).unwrap_or_else(|error| {
        eprintln!("{error:#}");
        ExitCode::from(2)
    })
}

fn run(arguments: &Arguments) -> Result<ExitCode> {
    let root = arguments.root.canonicalize().context("there is no such folder")?;
    let bars = Bars::read(&root.join(&arguments.bars))?;
    let checkout = Checkout::read(&root, &bars.tests)?;
    if arguments.write_reference {
        let changed: String = reference::write(&checkout)?.iter().map(|path| format!("{path}\n")).collect();
        return print(&changed, ExitCode::SUCCESS);
    }
    let rows = rows::all(&checkout, &bars);
    if let Some(key) = &arguments.list {
        let Some(row) = rows.iter().find(|row| row.key == key) else {
            let keys: Vec<_> = rows.iter().map(|row| row.key).collect();
            bail!("there is no row {key}; there are {}", keys.join(", "));
        };
        return print(&report::list(row), ExitCode::SUCCESS);
    }
    let is_exceeded = rows.iter().any(|row| report::exceeds(row, &bars));
    let text = report::summary(&rows, &bars) + &report::offences(&rows, &bars);
    print(&text, ExitCode::from(u8::from(is_exceeded)))
}

/// Writes to a reader that may have gone, such as `head`.
fn print(text: &str, code: ExitCode) -> Result<ExitCode> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(code),
    }
}
