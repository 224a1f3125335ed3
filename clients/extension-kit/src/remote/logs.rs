//! `lumio-ext logs` (reference/extension-kit.md#logs).

use std::{
    collections::{HashSet, VecDeque},
    io::Write,
    time::Duration,
};

use anyhow::Result;
use clap::Args;
use reqwest::{Method, StatusCode};
use serde::Deserialize;
use uuid::Uuid;

use super::{
    RemoteOptions,
    client::{Client, Refusal},
};
use crate::output::{Outcome, print};

/// Interval at which new lines are read.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// Lines of one page.
const PAGE_SIZE: usize = 200;
/// Maximum number of pages that one poll reads; older lines between two polls are skipped.
const MAX_PAGES: usize = 5;
/// Maximum number of remembered lines. More than the pages of one poll hold.
const MAX_SEEN: usize = 2 * PAGE_SIZE * MAX_PAGES;

/// Install whose log is read.
#[derive(Debug, Clone, Args)]
pub struct LogOptions {
    /// Id of the install.
    #[arg(long)]
    pub install: Uuid,
    /// Wait for new lines until the command is interrupted.
    #[arg(long)]
    pub follow: bool,
    /// Lines of this level only: `info`, `warn` or `error`.
    #[arg(long)]
    pub level: Option<String>,
}

/// Line of the log.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct LogLine {
    id: Uuid,
    level: String,
    message: String,
    trigger_type: Option<String>,
    created_at: String,
}

#[derive(Deserialize)]
struct Page {
    data: Vec<LogLine>,
}

/// Lines that were printed. Lines may arrive out of the order of their times, so that a time is no cursor.
#[derive(Debug, Default)]
struct Seen {
    ids: HashSet<Uuid>,
    order: VecDeque<Uuid>,
}

/// Prints the newest lines, oldest first, and with `follow` those that arrive.
///
/// # Errors
/// An API that cannot be reached at first, a refusal, and output that fails.
pub async fn logs(options: &LogOptions, remote: &RemoteOptions, out: &mut dyn Write) -> Result<Outcome> {
    let client = Client::new(remote)?;
    let mut seen = Seen::default();
    let (first, _) = page(&client, options, 0, &mut seen).await?.map_err(|refusal| refused(&refusal))?;
    show(&first, out)?;
    if !options.follow {
        return Ok(Outcome::Good);
    }
    loop {
        tokio::select! {
            () = tokio::time::sleep(POLL_INTERVAL) => {}
            interrupted = tokio::signal::ctrl_c() => {
                interrupted?;
                return Ok(Outcome::Good);
            }
        }
        follow(&client, options, &mut seen, out).await?;
    }
}

/// Prints the lines that have arrived since the last poll. An API that is away is tried again at the next one.
async fn follow(client: &Client, options: &LogOptions, seen: &mut Seen, out: &mut dyn Write) -> Result<()> {
    let mut found = Vec::new();
    for number in 0..MAX_PAGES {
        match page(client, options, number * PAGE_SIZE, seen).await {
            Ok(Ok((lines, is_full))) => {
                // A page with a line that was printed already is the last one.
                let is_last = !is_full || lines.len() < PAGE_SIZE;
                let mut older = lines;
                older.append(&mut found);
                found = older;
                if is_last {
                    break;
                }
            }
            Ok(Err(refusal)) if refusal.status == StatusCode::TOO_MANY_REQUESTS => {
                tokio::time::sleep(refusal.retry_after).await;
                break;
            }
            Ok(Err(refusal)) if refusal.status.is_server_error() => break,
            Ok(Err(refusal)) => return Err(refused(&refusal)),
            Err(away) => {
                eprintln!("lumio-ext: {away:#}");
                break;
            }
        }
    }
    show(&found, out)
}

/// Reads a page. Returns its lines that were not seen, oldest first, and whether the page is full.
async fn page(
    client: &Client,
    options: &LogOptions,
    offset: usize,
    seen: &mut Seen,
) -> Result<Result<(Vec<LogLine>, bool), Refusal>> {
    let path = format!("/v1/extension-installs/{}/logs", options.install);
    let mut request = client.request(Method::GET, &path).query(&[("limit", PAGE_SIZE), ("offset", offset)]);
    if let Some(level) = &options.level {
        request = request.query(&[("level", level)]);
    }
    let answer = match client.send(request).await? {
        Ok(answer) => answer,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let page: Page = serde_json::from_value(answer)?;
    let is_full = page.data.len() == PAGE_SIZE;
    Ok(Ok((seen.take_new(page.data), is_full)))
}

impl Seen {
    /// Returns the lines that are new, oldest first; `newest_first` is the order of the API.
    fn take_new(&mut self, newest_first: Vec<LogLine>) -> Vec<LogLine> {
        let mut new = Vec::new();
        for line in newest_first.into_iter().rev() {
            if self.ids.insert(line.id) {
                self.order.push_back(line.id);
                new.push(line);
            }
        }
        while self.order.len() > MAX_SEEN {
            if let Some(oldest) = self.order.pop_front() {
                self.ids.remove(&oldest);
            }
        }
        new
    }
}

fn show(lines: &[LogLine], out: &mut dyn Write) -> Result<()> {
    for LogLine { level, message, trigger_type, created_at, .. } in lines {
        let trigger = trigger_type.as_deref().unwrap_or("-");
        print(out, format_args!("{created_at} {level:5} {trigger} {message}"))?;
    }
    Ok(())
}

fn refused(refusal: &Refusal) -> anyhow::Error {
    anyhow::anyhow!("the log is refused: {} {}", refusal.status.as_u16(), refusal.message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: u128) -> LogLine {
        LogLine {
            id: Uuid::from_u128(number),
            level: "info".into(),
            message: number.to_string(),
            trigger_type: None,
            created_at: String::new(),
        }
    }

    fn numbers(lines: Vec<LogLine>) -> Vec<String> {
        lines.into_iter().map(|line| line.message).collect()
    }

    #[test]
    fn seen_gives_each_line_once_and_oldest_first() {
        let mut seen = Seen::default();
        assert_eq!(numbers(seen.take_new([3, 2, 1].map(line).to_vec())), ["1", "2", "3"]);
        assert_eq!(numbers(seen.take_new([5, 3, 4, 2].map(line).to_vec())), ["4", "5"], "4 arrived late");
        for number in 0..3 * MAX_SEEN as u128 {
            seen.take_new(vec![line(number)]);
        }
        assert_eq!((seen.ids.len(), seen.order.len()), (MAX_SEEN, MAX_SEEN));
    }
}
