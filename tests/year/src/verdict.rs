//! Verdict over pages and retention.

use stack::measure::{load_average, short};

use crate::{reads::Page, retention::Retention};

/// Blocks that a page in a year may read beside as many as in a day: each index is a level or two higher, and a page may
/// begin in one partition and end in the next.
const MAX_TIMES: i64 = 3;
const MAX_MORE: i64 = 100;
/// Rows in a block of an index, at least. A total is counted in an index: a block of the table has fewer rows.
const ROWS_PER_BLOCK: i64 = 50;

/// The findings.
#[derive(Debug)]
pub struct Verdict {
    pub pages: Vec<Page>,
    pub retention: Retention,
}

impl Page {
    fn is_bounded(&self) -> bool {
        self.year <= self.day * MAX_TIMES + MAX_MORE + self.counted / ROWS_PER_BLOCK
    }
}

impl Retention {
    fn holds(&self) -> bool {
        self.deleted > 0 && self.lost == 0 && self.neighbour_lost == 0
    }
}

impl Verdict {
    /// True when every promise was kept.
    pub fn holds(&self) -> bool {
        self.pages.iter().all(Page::is_bounded) && self.retention.holds()
    }

    /// Prints a table.
    pub fn print(&self) {
        let kept = |kept: bool| if kept { "yes" } else { "**no**" };
        println!(
            "| Page of 50 rows | Blocks read, of a day | of a year | Rows counted | Kept |\n|---|---|---|---|---|"
        );
        for page in &self.pages {
            let Page { name, day, year, counted } = page;
            println!("| {name} | {day} | {year} | {counted} | {} |", kept(page.is_bounded()));
        }
        let Retention { seconds, deleted, lost, neighbour_lost, requests } = &self.retention;
        println!("\n| Retention | Measured | Kept |\n|---|---|---|");
        println!("| Rows deleted, in {} s | {deleted} | {} |", short(*seconds), kept(*deleted > 0));
        println!("| Rows lost that are to be kept | {lost} | {} |", kept(*lost == 0));
        println!(
            "| Rows lost of the other account, which was answered {requests} times meanwhile | {neighbour_lost} | {} |",
            kept(*neighbour_lost == 0)
        );
        println!("\nLoad average: {}", load_average());
    }
}
