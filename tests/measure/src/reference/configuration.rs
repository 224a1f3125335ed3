//! Tables of the variables of the environment: names, defaults and meanings of `.env.example`, forms of the sources.

use super::{Index, code, markdown_table};
use crate::source::{
    Source,
    variables::{ANY_TEXT, Variable},
};

/// Document with every variable. A test of the configuration compares it with what the programs read.
const EXAMPLE: &str = ".env.example";
/// Start of a line that begins a section.
const DIVIDER: &str = "# ---";

/// A variable of the document.
#[derive(Debug, PartialEq, Eq)]
struct Listed<'a> {
    section: &'a str,
    name: &'a str,
    default: &'a str,
    meaning: String,
}

/// Returns a table for each section of the document.
///
/// # Errors
/// A checkout without the document.
pub fn tables(index: &Index<'_>, sources: &[&Source]) -> Result<String, String> {
    let text = index.checkout.texts.get(EXAMPLE).ok_or_else(|| format!("there is no {EXAMPLE}"))?;
    let read: Vec<&Variable> = sources.iter().flat_map(|source| &source.facts.variables).collect();
    let listed = listed(text);
    let mut tables = Vec::new();
    for section in listed.chunk_by(|one, next| one.section == next.section) {
        let title = section.first().map_or("", |first| first.section);
        let rows: Vec<Vec<String>> = section.iter().map(|variable| row(variable, &read)).collect();
        let table = markdown_table(&["Variable", "Default", "Form", "Meaning"], &rows);
        tables.push(format!("### {title}\n\n{table}"));
    }
    Ok(tables.join("\n"))
}

fn row(variable: &Listed<'_>, read: &[&Variable]) -> Vec<String> {
    let own = || read.iter().filter(|other| other.name == variable.name);
    let known = own().map(|own| own.form.as_str()).find(|form| *form != ANY_TEXT);
    let form = known.unwrap_or_else(|| form_by_name(variable.name));
    let default = own().find_map(|own| own.default.as_deref()).filter(|_| variable.default.is_empty());
    let default = match default.unwrap_or(variable.default) {
        "" if form.contains("`true`") => "by `LUMIO_ENV`".to_owned(),
        "" => "none".to_owned(),
        default => code(default),
    };
    vec![code(variable.name), default, form.to_owned(), variable.meaning.clone()]
}

/// Form of a variable whose name the sources put together.
fn form_by_name(name: &str) -> &'static str {
    if name.ends_with("_URL") {
        "http or https URL"
    } else if name.contains("_CREDENTIAL_MODE_") {
        "`system` or `account`"
    } else {
        ANY_TEXT
    }
}

fn listed(text: &str) -> Vec<Listed<'_>> {
    let (mut section, mut comment, mut found) = ("General", Vec::new(), Vec::new());
    for line in text.lines() {
        if let Some(title) = line.strip_prefix(DIVIDER) {
            section = title.trim_matches(['-', ' ']);
            comment.clear();
            continue;
        }
        let Some(line) = line.strip_prefix("# ") else {
            comment.clear();
            continue;
        };
        match line.split_once('=').filter(|(name, _)| is_name(name)) {
            Some((name, default)) => {
                found.push(Listed { section, name, default, meaning: comment.join(" ") });
                comment.clear();
            }
            None => comment.push(line),
        }
    }
    found
}

fn is_name(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = "# The head of the file.\n\n# Kind.\n# LUMIO_ENV=development\n\n\
        # --- Stores: two of them ------\n# The pool,\n# of one.\n# LUMIO_POOL=16\n# LUMIO_X_URL=\n# LUMIO_ON=\n";

    #[test]
    fn listed_variables_have_their_section_and_comment() {
        let found = listed(EXAMPLE);
        let found: Vec<_> =
            found.iter().map(|it| (it.section, it.name, it.default, it.meaning.as_str())).collect();
        assert_eq!(
            found,
            [
                ("General", "LUMIO_ENV", "development", "Kind."),
                ("Stores: two of them", "LUMIO_POOL", "16", "The pool, of one."),
                ("Stores: two of them", "LUMIO_X_URL", "", ""),
                ("Stores: two of them", "LUMIO_ON", "", ""),
            ]
        );
    }

    #[test]
    fn row_has_the_form_of_the_source_or_of_the_name() {
        let text = "fn read(reader: &mut Reader) { reader.optional(\"LUMIO_POOL\");
            reader.within(\"LUMIO_POOL\", 16, 2, 500); reader.flag(\"LUMIO_ON\", d); }";
        let source = Source::read("a.rs", text).unwrap();
        let read: Vec<&Variable> = source.facts.variables.iter().collect();
        let rows: Vec<_> =
            listed(EXAMPLE).iter().map(|variable| row(variable, &read)[1..3].join(" | ")).collect();
        assert_eq!(
            rows,
            [
                "`development` | text",
                "`16` | number from 2 to 500",
                "none | http or https URL",
                "by `LUMIO_ENV` | `true` or `false`",
            ]
        );
    }
}
