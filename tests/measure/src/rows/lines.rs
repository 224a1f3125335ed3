//! Lines of each crate of the product, tests apart.

use std::collections::BTreeMap;

use crate::{
    checkout::Checkout,
    row::{Place, Row},
};

/// Returns the lines of the largest crate. Its places are all crates, the largest first.
#[must_use]
pub fn row(checkout: &Checkout) -> Row {
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    for source in checkout.product() {
        if let Some(package) = checkout.package_of(&source.path) {
            *lines.entry(&package.folder).or_default() += source.lines - source.facts.test_lines;
        }
    }
    let mut crates: Vec<(usize, &str)> = lines.into_iter().map(|(folder, lines)| (lines, folder)).collect();
    crates.sort_by(|a, b| b.cmp(a));
    let (value, largest) = crates.first().copied().unwrap_or_default();
    let places = crates.iter();
    Row {
        key: "crate-lines",
        title: format!("lines of the largest crate ({largest})"),
        value,
        places: places.map(|(lines, folder)| Place::new(*folder, 0, format!("{lines} lines"))).collect(),
    }
}
