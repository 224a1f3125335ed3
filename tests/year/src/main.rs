//! `lumio-year`: a year of one account's rows beside an account with those of a day. The verdict: a page of any list
//! reads about as many blocks of the database in a year as in a day, beside the index that its total is counted in; and
//! retention deletes exactly what is beyond it while the other account is served. `scripts/drill` builds and starts its
//! programs.

mod filling;
mod reads;
mod retention;
mod verdict;

use anyhow::{Context, Result, bail};
use clap::Parser;
use diesel_async::{AsyncConnection, AsyncPgConnection};
use stack::{Stack, text};
use uuid::Uuid;

use verdict::Verdict;

/// Size of the year.
#[derive(Debug, Clone, Parser)]
#[command(name = "lumio-year", version, args_override_self = true)]
struct Arguments {
    /// Lines of chat in the year. There are ten times fewer events, and fifty times fewer entries in each log.
    #[arg(long, default_value_t = 2_000_000)]
    lines: u32,
    /// Requests of each list for each account.
    #[arg(long, default_value_t = 20)]
    requests: u32,
    #[arg(long, env = "DATABASE_URL")]
    database: String,
    #[arg(long, env = "REDIS_URL")]
    redis: String,
}

/// Account whose rows are read.
#[derive(Debug, Clone)]
pub struct Reader {
    pub account: Uuid,
    pub session: String,
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let programs = std::env::current_exe()?.parent().context("a folder")?.to_owned();
    let mut stack = Stack::start(&programs, &arguments.database, &arguments.redis).await?;
    let year = Reader { account: stack.account_id.parse()?, session: stack.session.clone() };
    let day = neighbour(&stack).await?;
    let mut database = AsyncPgConnection::establish(&arguments.database).await?;

    eprintln!("writing a year of {} lines", arguments.lines);
    filling::fill(&mut database, year.account, 365, arguments.lines).await?;
    filling::fill(&mut database, day.account, 1, arguments.lines / 365).await?;
    filling::settle(&mut database).await?;
    eprintln!("reading pages");
    let pages =
        reads::compare(&stack, &mut database, [&year, &day], arguments.lines, arguments.requests).await?;
    eprintln!("deleting what is beyond its retention");
    let retention = retention::run(&mut stack, &mut database, &year, &day).await?;

    let verdict = Verdict { pages, retention };
    verdict.print();
    if !verdict.holds() {
        bail!("the verdict does not hold");
    }
    Ok(())
}

/// A second person with an account.
async fn neighbour(stack: &Stack) -> Result<Reader> {
    let session = stack.session_of("neighbour").await?;
    let accounts = stack.get("/v1/accounts", &session).await?;
    Ok(Reader { account: text(&accounts, "/data/0/id")?.parse()?, session })
}
