//! Ways around the access layer.

use crate::{
    bars::Bars,
    checkout::{Checkout, is_in},
    row::{Place, Row},
    source::{Named, Source},
};

/// Returns the places that open a database without a caller.
#[must_use]
pub fn connections(checkout: &Checkout, bars: &Bars) -> Row {
    let places = places(checkout, bars, &bars.access.may_connect, |source| &source.facts.checkouts);
    Row::of("connections", "connections around the access layer", places)
}

/// Returns the places that make an account id of what no caller gave.
#[must_use]
pub fn account_ids(checkout: &Checkout, bars: &Bars) -> Row {
    let places = places(checkout, bars, &bars.access.may_make_ids, |source| &source.facts.account_ids);
    Row::of("account-ids", "account ids made around the access layer", places)
}

fn places(
    checkout: &Checkout,
    bars: &Bars,
    trusted: &[String],
    facts: impl Fn(&Source) -> &[Named],
) -> Vec<Place> {
    let sources = checkout.product().filter(|source| {
        is_in(&source.path, &bars.access.folder) && !trusted.iter().any(|folder| is_in(&source.path, folder))
    });
    let found = sources.flat_map(|source| {
        facts(source)
            .iter()
            .map(|named| Place::new(&source.path, named.line, &named.name))
            .collect::<Vec<_>>()
    });
    found.collect()
}
