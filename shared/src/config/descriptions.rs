//! Descriptions of variables: the comments of `.env.example`, which operators read.

use std::collections::BTreeMap;

const EXAMPLE: &str = include_str!("../../../.env.example");
/// Start of the lines that divide the file.
const DIVIDER: &str = "---";

/// Description of each variable: the lines of comment directly above it.
pub(super) fn descriptions() -> BTreeMap<&'static str, String> {
    let (mut described, mut comment) = (BTreeMap::new(), Vec::new());
    for line in EXAMPLE.lines() {
        let Some(text) = line.strip_prefix("# ").filter(|text| !text.starts_with(DIVIDER)) else {
            comment.clear();
            continue;
        };
        match name(text) {
            Some(name) => {
                described.insert(name, comment.join(" "));
                comment.clear();
            }
            None => comment.push(text),
        }
    }
    described
}

/// Name of the variable that a line sets.
fn name(text: &str) -> Option<&str> {
    let (name, _value) = text.split_once('=')?;
    let is_name = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    name.bytes().all(is_name).then_some(name)
}

#[cfg(test)]
mod tests {
    use crate::config::Settings;

    #[test]
    fn descriptions_exist_for_every_variable_and_are_sentences() {
        let variables = Settings::from_variables([]).variables;
        assert!(variables.len() > 100);
        for variable in variables {
            let text = &variable.description;
            assert!(text.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit()), "{variable:?}");
            assert!(text.ends_with('.'), "the comment above {} in .env.example: {text}", variable.name);
        }
    }
}
