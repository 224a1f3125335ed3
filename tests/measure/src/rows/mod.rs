//! The measures, one module each.

pub mod access;
pub mod circles;
pub mod citations;
pub mod documentation;
pub mod facts;
pub mod lines;
pub mod links;
pub mod tables;
pub mod test_names;
pub mod vocabulary;

use circles::Imports;

use crate::{bars::Bars, checkout::Checkout, reference::Index, row::Row};

/// Returns every measure of a checkout.
#[must_use]
pub fn all(checkout: &Checkout, bars: &Bars) -> Vec<Row> {
    let (names, operations) = test_names::rows(checkout, bars);
    let index = Index::read(checkout);
    vec![
        lines::row(checkout),
        circles::row(checkout, Imports::All),
        circles::row(checkout, Imports::BetweenNeighbours),
        circles::row(checkout, Imports::AndCallsIntoChildren),
        access::connections(checkout, bars),
        access::account_ids(checkout, bars),
        vocabulary::row(checkout, bars),
        citations::outside(checkout),
        citations::unresolved(checkout),
        links::row(checkout),
        documentation::undocumented(checkout),
        documentation::clauses(checkout),
        names,
        operations,
        facts::row(checkout, &index),
        tables::row(checkout, &index),
    ]
}
