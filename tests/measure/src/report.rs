//! Output of the rows.

use std::fmt::Write;

use crate::{
    bars::Bars,
    row::{Place, Row},
};

/// Places that are shown of a row beyond its bar.
const MAX_SHOWN: usize = 20;

/// True when a row is beyond its bar.
#[must_use]
pub fn exceeds(row: &Row, bars: &Bars) -> bool {
    bars.bars.get(row.key).is_some_and(|bar| row.value > *bar)
}

/// Returns the table of all rows.
#[must_use]
pub fn summary(rows: &[Row], bars: &Bars) -> String {
    let mut text = String::new();
    for row in rows {
        let bar = bars.bars.get(row.key).map_or_else(|| "-".to_owned(), ToString::to_string);
        let mark = if exceeds(row, bars) { '!' } else { ' ' };
        line(&mut text, &format!("{mark} {:<21} {:>6} {:>6}  {}", row.key, row.value, bar, row.title));
    }
    text
}

/// Returns the first places of every row beyond its bar.
#[must_use]
pub fn offences(rows: &[Row], bars: &Bars) -> String {
    let mut text = String::new();
    for row in rows.iter().filter(|row| exceeds(row, bars)) {
        line(&mut text, &format!("\n{}: {}", row.key, row.title));
        row.places.iter().take(MAX_SHOWN).for_each(|place| line(&mut text, &format!("  {}", written(place))));
        if row.places.len() > MAX_SHOWN {
            let rest = row.places.len() - MAX_SHOWN;
            line(&mut text, &format!("  and {rest} more: scripts/measure --list {}", row.key));
        }
    }
    text
}

/// Returns every place of a row, one a line.
#[must_use]
pub fn list(row: &Row) -> String {
    let mut text = String::new();
    row.places.iter().for_each(|place| line(&mut text, &written(place)));
    text
}

fn written(place: &Place) -> String {
    match place.line {
        0 => format!("{}: {}", place.path, place.text),
        line => format!("{}:{line}: {}", place.path, place.text),
    }
}

fn line(text: &mut String, added: &str) {
    // Writing to a string cannot fail.
    writeln!(text, "{added}").unwrap_or_default();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offences_are_cut_and_list_is_not() {
        let places = (1..=25).map(|line| Place::new("a.rs", line, "x")).collect();
        let row = Row::of("circles", "circles of files", places);
        let mut bars = Bars::default();
        assert!(!exceeds(&row, &bars));
        bars.bars.insert("circles".to_owned(), 0);
        let text = offences(std::slice::from_ref(&row), &bars);
        assert!(text.contains("and 5 more") && text.contains("  a.rs:20: x") && !text.contains("a.rs:21"));
        assert_eq!(list(&row).lines().count(), 25);
        assert!(summary(&[row], &bars).starts_with("! circles"));
    }
}
