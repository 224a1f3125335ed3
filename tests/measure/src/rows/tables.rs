//! Generated tables of the reference that differ from the sources.

use crate::{
    checkout::Checkout,
    reference::{self, Index},
    row::{Place, Row},
};

/// Returns the markers whose content is not what the sources give.
#[must_use]
pub fn row(checkout: &Checkout, index: &Index<'_>) -> Row {
    let mut places = Vec::new();
    for (path, text) in reference::chapters(checkout) {
        let (_, problems) = reference::rewritten(index, text);
        places.extend(problems.into_iter().map(|(line, text)| Place::new(path, line, text)));
    }
    Row::of("stale-tables", "stale tables of the reference", places)
}
