//! Lists of people and accounts, a page at a time (reference/administration.md#search).

use api_core::{Page, State};
use clap::Args;
use rbac::{SearchQuery, admin_accounts::list_accounts, admin_users::list_people};
use serde::Serialize;

use super::output::print;

/// Search and page of a list.
#[derive(Debug, Args)]
pub struct Listing {
    /// Part of a name or an address, or a whole id; everything when absent.
    #[arg(long)]
    search: Option<String>,
    /// Number of the page; 1 when absent.
    #[arg(long)]
    page: Option<i64>,
    /// Entries of a page, 1 to 100; 25 when absent.
    #[arg(long)]
    limit: Option<i64>,
}

impl From<Listing> for SearchQuery {
    fn from(listing: Listing) -> Self {
        let Listing { search, page, limit } = listing;
        Self { search, page, limit }
    }
}

/// Prints a page of people.
pub async fn print_people(state: &State, listing: Listing) -> anyhow::Result<()> {
    print_page(&list_people(state, listing.into()).await?)
}

/// Prints a page of accounts.
pub async fn print_accounts(state: &State, listing: Listing) -> anyhow::Result<()> {
    print_page(&list_accounts(state, listing.into()).await?)
}

fn print_page<T: Serialize>(page: &Page<T>) -> anyhow::Result<()> {
    for item in &page.items {
        print(serde_json::to_string(item)?)?;
    }
    // Standard output has entries only, so that a script can read it by lines.
    eprintln!("page {} of {}, {} in all", page.window.page, page.pages(), page.total);
    Ok(())
}
