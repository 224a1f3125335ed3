//! `platforms-stand-in`: the six platforms on one port, for a demonstration or manual use.

use anyhow::{Result, bail};
use clap::Parser;
use platforms_stand_in::{StandIn, seed_demo_users};
use tracing_subscriber::EnvFilter;
use url::Url;

/// Serves as Twitch, YouTube, Kick, Trovo, Spotify and Discord on the loopback address.
#[derive(Debug, Parser)]
#[command(name = "platforms-stand-in", version)]
struct Arguments {
    /// Port to listen on; 0 takes a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// A user to create at the start, as `platform:login`. May be given several times.
    #[arg(long = "user", value_name = "PLATFORM:LOGIN")]
    users: Vec<String>,
    /// Webhook address of the Kick application.
    #[arg(long)]
    kick_webhook_url: Option<Url>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::try_from_default_env().unwrap_or_else(|_unset| EnvFilter::new("info")))
        .with_writer(std::io::stderr)
        .init();
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(run(arguments))
}

async fn run(arguments: Arguments) -> Result<()> {
    let stand_in = StandIn::start_on(arguments.port)?;
    if let Some(url) = &arguments.kick_webhook_url {
        stand_in.set_kick_webhook_url(url.as_str());
    }
    let users = seed_demo_users(&stand_in, &arguments.users)?;
    println!("platforms-stand-in listens on {}", stand_in.url());
    for created in users {
        // Invented tokens of an invented platform, which may be printed.
        let user = created.user;
        println!(
            "{} user {} id={} access_token={}",
            user.platform, user.login, user.id, created.access_token
        );
    }
    if !wait_for_end().await {
        bail!("the signals that end this process cannot be handled");
    }
    Ok(())
}

/// Waits for Ctrl-C or SIGTERM. False when neither can be handled.
async fn wait_for_end() -> bool {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return false;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    true
}
