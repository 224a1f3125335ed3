//! Table of limits, defaults and times.

use super::{code, markdown_table};
use crate::source::Source;

/// Returns the table of the constants of sources.
#[must_use]
pub fn table(sources: &[&Source]) -> String {
    let constants = sources.iter().flat_map(|source| &source.facts.constants);
    let mut rows: Vec<Vec<String>> = constants
        .filter(|constant| constant.is_limit())
        .map(|constant| vec![code(&constant.name), constant.value.clone(), constant.meaning.clone()])
        .collect();
    rows.sort();
    rows.dedup();
    markdown_table(&["Constant", "Value", "Meaning"], &rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_sorted() {
        let text =
            "/// B.\nconst MAX_B: u8 = 2;\n/// A.\npub const MAX_A: Duration = Duration::from_secs(1);";
        let source = Source::read("a.rs", text).unwrap();
        let expected =
            "| Constant | Value | Meaning |\n|---|---|---|\n| `MAX_A` | 1 s | A. |\n| `MAX_B` | 2 | B. |\n";
        assert_eq!(table(&[&source]), expected);
    }
}
