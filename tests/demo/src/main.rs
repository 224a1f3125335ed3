//! `lumio-demo`: runs the main use of Lumio against a running stack and prints each step with its real result. Ends
//! non-zero with the step that failed.

use std::{path::PathBuf, process::ExitCode};

use clap::Parser;
use demo::Demo;

/// Runs the main use against a running stack.
#[derive(Debug, Parser)]
#[command(name = "lumio-demo", version)]
struct Arguments {
    /// Origin of the API.
    #[arg(long, env = "LUMIO_API_URL", default_value = "http://127.0.0.1:8080")]
    api: String,
    /// Origin of the API's internal listener.
    #[arg(long, env = "LUMIO_METRICS_URL", default_value = "http://127.0.0.1:9100")]
    metrics: String,
    /// Origin of the platforms' stand-in.
    #[arg(long, env = "LUMIO_STAND_IN_URL", default_value = "http://127.0.0.1:8090")]
    stand_in: String,
    /// The `lumio-api` program, for operator commands.
    #[arg(long, env = "LUMIO_API_PROGRAM", default_value = "lumio-api")]
    lumio_api: PathBuf,
    /// The source of the extension that is uploaded.
    #[arg(long, default_value = "tests/fixtures/extensions/greeter")]
    extension: PathBuf,
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let demo = Demo::new(
        arguments.api,
        arguments.metrics,
        arguments.stand_in,
        arguments.lumio_api,
        arguments.extension,
    );
    match demo.play().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("FAILED: {error:#}");
            ExitCode::FAILURE
        }
    }
}
