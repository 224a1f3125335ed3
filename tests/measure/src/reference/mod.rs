//! Generated tables of the reference: what stands between `<!-- generated: KIND ARGS -->` and `<!-- end -->`.

pub mod catalogue;
mod configuration;
mod index;
pub mod limits;
pub mod messages;
pub mod operations;
mod rights;

pub use index::Index;

use std::fs;

use anyhow::{Context, Result};

use crate::{
    checkout::{Checkout, is_in},
    source::Source,
};

/// Folder of the chapters.
const FOLDER: &str = "docs/reference/";
const OPENING: &str = "<!-- generated:";
const CLOSING: &str = "<!-- end -->";

/// Returns the chapters by path.
pub fn chapters(checkout: &Checkout) -> impl Iterator<Item = (&str, &str)> {
    let chapters = checkout.documents.iter().filter(|(path, _)| path.starts_with(FOLDER));
    chapters.map(|(path, text)| (path.as_str(), text.as_str()))
}

/// Rewrites the tables of every chapter and returns the paths that changed.
///
/// # Errors
/// A chapter that cannot be written.
pub fn write(checkout: &Checkout) -> Result<Vec<String>> {
    let index = Index::read(checkout);
    let mut changed = Vec::new();
    for (path, text) in chapters(checkout) {
        let (rewritten, _) = rewritten(&index, text);
        if rewritten != text {
            fs::write(checkout.root.join(path), rewritten).with_context(|| format!("cannot write {path}"))?;
            changed.push(path.to_owned());
        }
    }
    Ok(changed)
}

/// Returns a chapter with its tables as the sources give them, and the lines of the markers that differ or are wrong.
#[must_use]
pub fn rewritten(index: &Index<'_>, text: &str) -> (String, Vec<(usize, String)>) {
    let mut found = String::with_capacity(text.len());
    let mut problems = Vec::new();
    let mut lines = text.split_inclusive('\n').enumerate();
    while let Some((number, line)) = lines.next() {
        found.push_str(line);
        let trimmed = line.trim();
        let Some(marker) = trimmed.strip_prefix(OPENING).and_then(|rest| rest.strip_suffix("-->")) else {
            continue;
        };
        let mut problem = |text: String| problems.push((number + 1, text));
        let mut content = String::new();
        let closing = lines.by_ref().find(|(_, line)| {
            let is_closing = line.trim() == CLOSING;
            if !is_closing {
                content.push_str(line);
            }
            is_closing
        });
        let Some((_, closing)) = closing else {
            problem(format!("no {CLOSING} follows"));
            found.push_str(&content);
            break;
        };
        match table(index, marker.trim()) {
            Ok(table) => {
                let table = format!("\n{table}\n");
                if table != content {
                    problem(format!("differs from the sources: {}", marker.trim()));
                }
                found.push_str(&table);
            }
            Err(wrong) => {
                problem(wrong);
                found.push_str(&content);
            }
        }
        found.push_str(closing);
    }
    (found, problems)
}

fn table(index: &Index<'_>, marker: &str) -> Result<String, String> {
    let mut words = marker.split_whitespace();
    let kind = words.next().unwrap_or_default();
    if kind == "permissions" {
        return rights::permissions(index, words.next().unwrap_or_default());
    }
    let mut sources = Vec::new();
    for argument in words {
        let own = named(index, argument);
        if own.is_empty() {
            return Err(format!("{argument} names no source"));
        }
        sources.extend(own);
    }
    match kind {
        "operations" => Ok(operations::table(index, &sources)),
        "messages" => Ok(messages::table(index, &sources)),
        "limits" => Ok(limits::table(&sources)),
        "configuration" => configuration::tables(index, &sources),
        "error-codes" => Ok(rights::error_codes(index)),
        "event-types" => Ok(catalogue::event_types(index)),
        "channels" => Ok(catalogue::channels(index)),
        "close-codes" => Ok(catalogue::close_codes_table(index)),
        kind => Err(format!("{kind} is no kind of table")),
    }
}

/// Sources of the product that an argument names: a path of the checkout, or a crate with a path below its `src`. A crate
/// is named by its package or the last part of its folder; one that declares operations goes before others.
fn named<'a>(index: &Index<'a>, argument: &str) -> Vec<&'a Source> {
    let within = |path: &str| -> Vec<&'a Source> {
        let file = format!("{path}.rs");
        let own = index.product.iter().filter(|source| source.path == file || is_in(&source.path, path));
        own.copied().collect()
    };
    let found = within(argument.trim_end_matches('/'));
    if !found.is_empty() {
        return found;
    }
    let (name, rest) = argument.split_once('/').unwrap_or((argument, ""));
    let mut packages: Vec<_> = index
        .checkout
        .packages
        .iter()
        .filter(|package| !package.is_test)
        .filter(|package| package.name == name || package.folder.rsplit('/').next() == Some(name))
        .map(|package| {
            let path = format!("{}/src/{rest}", package.folder);
            within(path.trim_end_matches('/'))
        })
        .collect();
    packages.sort_by_key(|sources| sources.iter().all(|source| source.facts.operations.is_empty()));
    packages.into_iter().find(|sources| !sources.is_empty()).unwrap_or_default()
}

/// Writes a table; cells are escaped.
pub(crate) fn markdown_table(columns: &[&str], rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return "None.\n".to_owned();
    }
    let mut table = format!("| {} |\n|{}\n", columns.join(" | "), "---|".repeat(columns.len()));
    for row in rows {
        let cells: Vec<_> = row.iter().map(|cell| escaped(cell)).collect();
        table.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    table
}

fn escaped(cell: &str) -> String {
    cell.replace('|', "\\|").replace('\n', " ")
}

/// Puts a text in backticks, more of them when it holds some.
pub(crate) fn code(text: &str) -> String {
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_table_escapes_cells() {
        let table = markdown_table(&["a", "b"], &[vec!["x|y".to_owned(), code("`z`")]]);
        assert_eq!(table, "| a | b |\n|---|---|\n| x\\|y | `` `z` `` |\n");
        assert_eq!(markdown_table(&["a"], &[]), "None.\n");
    }

    const SOURCE: &str = "/// The rule.\n\
        pub static MAKE: Operation<Member> = Operation::member(\"makeThing\", P::ThingsMake, Grants::Nothing);\n\
        /// Makes a thing. Once.\n\
        pub fn make_thing() { ApiError::new(Code::NotFound, \"No thing\") }\n\
        /// Longest name, in characters.\n\
        const MAX_NAME_LENGTH: usize = 2 * 50;\n";

    /// Writes a checkout of one crate with a chapter.
    fn checkout(folder: &std::path::Path, chapter: &str) -> Checkout {
        let write = |path: &str, text: &str| {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("Cargo.toml", "[workspace]\nmembers = [\"api/things\"]\n");
        write("api/things/Cargo.toml", "[package]\nname = \"things\"\n");
        write("api/things/src/lib.rs", SOURCE);
        write("docs/reference/things.md", chapter);
        Checkout::read(folder, &[]).unwrap()
    }

    #[test]
    fn rewritten_tables_are_those_of_the_sources() {
        let chapter = "# Things\n<!-- generated: operations things -->\nold\n<!-- end -->\n\
            <!-- generated: messages things -->\n<!-- end -->\n<!-- generated: limits api/things -->\n<!-- end -->\n\
            <!-- generated: limits nowhere -->\nkept\n<!-- end -->\nEnd.\n";
        let folder = tempfile::tempdir().unwrap();
        let checkout = checkout(folder.path(), chapter);
        let index = Index::read(&checkout);
        let (first, problems) = rewritten(&index, chapter);
        assert_eq!(problems.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 5, 7, 9]);
        assert!(problems[3].1.contains("names no source"), "{problems:?}");
        for expected in [
            "| `makeThing` | none | none | member, `ThingsMake` | Makes a thing. |\n",
            "| `NOT_FOUND` | `No thing` |\n",
            "| `MAX_NAME_LENGTH` | 100 | Longest name, in characters. |\n",
            "-->\nkept\n<!-- end -->\nEnd.\n",
        ] {
            assert!(first.contains(expected), "{expected} in {first}");
        }
        assert!(!first.contains("old"));
        let (second, problems) = rewritten(&index, &first);
        assert_eq!((second == first, problems.len()), (true, 1));
    }
}
