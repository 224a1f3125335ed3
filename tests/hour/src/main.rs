//! `lumio-hour`: an hour of streaming on two platforms becomes a session, a report, a PDF and a link that a browser
//! opens. The hour passes in seconds, because its clock is driven: the API and the daemons of the live path run in this
//! process, over a database of their own. Prints each step with its real result. Ends non-zero with the step that
//! failed.

mod page;
mod report;
mod script;
mod studio;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    thread,
};

use anyhow::{Context, Result, bail};
use clap::Parser;
use demo::step;
use tokio::{runtime::Runtime, signal::ctrl_c};

use page::SharedLink;
use studio::Studio;

/// Plays an hour of streaming and shows its report.
#[derive(Debug, Clone, Parser)]
#[command(name = "lumio-hour", version)]
struct Arguments {
    /// Folder for the PDF and for the picture of the shared page.
    #[arg(long, default_value = ".data/demo")]
    out: PathBuf,
    /// Serves the shared page after the hour until Ctrl-C.
    #[arg(long)]
    serve: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // The database is dropped when the thread ends that it was created on.
    let played = thread::spawn(move || -> Result<()> { Runtime::new()?.block_on(run(&arguments)) }).join();
    match played {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => {
            eprintln!("FAILED: {error:#}");
            ExitCode::FAILURE
        }
        // The panic has printed its reason.
        Err(_panic) => ExitCode::FAILURE,
    }
}

async fn run(arguments: &Arguments) -> Result<()> {
    step(12, "A creator connects two channels to a server whose clock is driven");
    let studio = Studio::open().await.context("step 12")?;
    let played = tokio::select! {
        played = play(&studio, &arguments.out) => played,
        interrupted = ctrl_c() => interrupted.context("Ctrl-C").and_then(|()| bail!("interrupted")),
    };
    let served = match &played {
        Ok(link) if arguments.serve => serve(&studio, link).await,
        _ => Ok(()),
    };
    let closed = studio.close().await;
    played.and(served).and(closed)
}

/// Plays the hour and shows what becomes of it; returns the link to its report.
async fn play(studio: &Studio, out: &Path) -> Result<SharedLink> {
    step(13, "An hour on two platforms: chat, follows, cheers, a raid, another title and category");
    let tally = script::play(studio).await.context("step 13")?;

    step(14, "After ten minutes without a broadcast the session is closed, and its report is made");
    let id = report::make(studio, &tally).await.context("step 14")?;

    step(15, "The report as a PDF");
    report::export(studio, &id, &out.join("report.pdf")).await.context("step 15")?;

    step(16, "A link with a password shows the report to everybody who has both");
    let link = page::share(studio, &id, &tally).await.context("step 16")?;
    page::open(studio, &link, &out.join("shared-report.png")).await.context("step 16")?;
    println!("\nEvery step of the hour worked.");
    Ok(link)
}

/// Serves the page until Ctrl-C.
async fn serve(studio: &Studio, link: &SharedLink) -> Result<()> {
    studio.move_to_present();
    println!("\n   The shared report: {}\n   Password: {}\n   Ctrl-C ends it.", link.url, page::PASSWORD);
    Ok(ctrl_c().await?)
}

/// Writes a file and the folders above it.
fn write(path: &Path, content: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
    }
    std::fs::write(path, content).with_context(|| format!("writing {}", path.display()))
}
