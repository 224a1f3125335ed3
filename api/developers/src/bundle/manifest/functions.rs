//! `functions` (specification C B2, B §8).

use shared::extensions::Manifest;

use super::{Errors, config::is_name};

const MOST_FUNCTIONS: usize = 50;

pub(super) fn check(manifest: &Manifest, errors: &mut Errors) {
    if !errors.at_most("functions", manifest.functions.len(), MOST_FUNCTIONS) {
        return;
    }
    for (name, function) in &manifest.functions {
        let at = format!("functions.{name}");
        errors.require(
            is_name(name),
            &at,
            "must start with a letter and have at most 64 letters, digits and `_`",
        );
        errors.require(
            function.handler.is_some() != function.declarative.is_some(),
            &at,
            "must have either a handler or a declarative definition",
        );
        if let Some(handler) = &function.handler {
            errors.handler(&format!("{at}.handler"), handler);
        }
    }
}
