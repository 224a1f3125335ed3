//! Measures of the checkout: what its rules say of sizes, imports, names, comments, tests and chapters, counted.
//!
//! Every source is read once into [`source::Facts`]; a row of [`rows`] counts places in them against its bar.

pub mod bars;
pub mod checkout;
pub mod graph;
pub mod package;
pub mod reference;
pub mod report;
pub mod row;
pub mod rows;
pub mod source;
pub mod text;

/// Declares a regular expression that is compiled once.
#[macro_export]
macro_rules! pattern {
    ($name:ident, $text:expr) => {
        static $name: std::sync::LazyLock<regex::Regex> =
            std::sync::LazyLock::new(|| match regex::Regex::new($text) {
                Ok(pattern) => pattern,
                Err(error) => unreachable!("{error}"),
            });
    };
}
