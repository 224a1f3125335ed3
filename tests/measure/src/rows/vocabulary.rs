//! Forbidden words in names, comments and documents.

use regex::Regex;

use crate::{
    bars::Bars,
    checkout::{Checkout, mark},
    pattern,
    row::{Place, Row},
    text::{
        comments::{self, Block},
        markdown,
        names::segments,
    },
};

/// Document with the table.
const DOCUMENT: &str = "CONTRIBUTING.md";

/// A forbidden word.
#[derive(Debug, Clone)]
struct Word {
    text: String,
    /// Segments that follow each other in a name.
    segments: Vec<String>,
    /// True for a beginning of names.
    is_prefix: bool,
    /// Pattern of the word in texts, where it is forbidden there too.
    in_text: Option<Regex>,
}

/// Returns the uses of forbidden words.
#[must_use]
pub fn row(checkout: &Checkout, bars: &Bars) -> Row {
    let words = checkout.documents.get(DOCUMENT).map(|text| table(text)).unwrap_or_default();
    let mut places = Vec::new();
    for source in checkout.sources.values() {
        let defined =
            source.facts.defined.iter().filter(|name| !bars.vocabulary.allowed.contains(&name.name));
        for name in defined {
            let found = words.iter().filter(|word| word.names(&name.name));
            places.extend(
                found.map(|word| {
                    Place::new(&source.path, name.line, format!("{} ({})", name.name, word.text))
                }),
            );
        }
        in_blocks(&words, &source.path, &source.comments, &mut places);
    }
    for (path, text) in &checkout.texts {
        in_blocks(&words, path, &comments::marked(text, mark(path).unwrap_or("#")), &mut places);
    }
    for (path, text) in
        checkout.documents.iter().filter(|(path, _)| !path.contains('/') || path.starts_with("docs/"))
    {
        let prose = markdown::without_code(&markdown::without_targets(text), true);
        in_text(&words, &prose, &mut |at, word| {
            places.push(Place::new(path, prose[..at].matches('\n').count() + 1, word));
        });
    }
    places.extend(in_paths(&words, bars, &checkout.files));
    let title = match words.len() {
        0 => format!("forbidden words ({DOCUMENT} holds no vocabulary)"),
        count => format!("uses of {count} forbidden words"),
    };
    Row::of("words", title, places)
}

fn in_blocks(words: &[Word], path: &str, blocks: &[Block], places: &mut Vec<Place>) {
    for block in blocks {
        let prose = markdown::without_code(&block.text, true);
        in_text(words, &prose, &mut |at, word| places.push(Place::new(path, block.line_at(at), word)));
    }
}

fn in_text(words: &[Word], prose: &str, found: &mut impl FnMut(usize, &str)) {
    for word in words {
        let Some(pattern) = &word.in_text else { continue };
        pattern.find_iter(prose).for_each(|place| found(place.start(), &format!("text: {}", word.text)));
    }
}

/// File and folder names, each once.
fn in_paths(words: &[Word], bars: &Bars, files: &[String]) -> Vec<Place> {
    let mut found = Vec::new();
    for file in files {
        let mut path = String::new();
        for part in file.split('/') {
            if !path.is_empty() {
                path.push('/');
            }
            path.push_str(part);
            let name = part.split('.').next().unwrap_or(part);
            if bars.vocabulary.allowed.iter().any(|allowed| allowed == name) {
                continue;
            }
            let used = words.iter().filter(|word| word.names(name));
            found.extend(used.map(|word| Place::new(&path, 0, format!("name ({})", word.text))));
        }
    }
    found
}

impl Word {
    fn names(&self, name: &str) -> bool {
        if self.is_prefix {
            return name.starts_with(&self.text);
        }
        segments(name).windows(self.segments.len()).any(|window| window == self.segments)
    }
}

/// Reads the table `| Not | But |` of the section `## Vocabulary`.
fn table(document: &str) -> Vec<Word> {
    pattern!(CODE, r"`([^`]+)`");
    let section = document.split("\n## ").find(|section| section.starts_with("Vocabulary"));
    let lines = section.unwrap_or_default().lines();
    let rows = lines.filter(|line| line.trim_start().starts_with('|')).skip(2);
    let mut words = Vec::new();
    for row in rows {
        let left = row.trim().trim_start_matches('|').split('|').next().unwrap_or_default();
        let is_in_text = left.contains("(also in text)");
        for word in CODE.captures_iter(left) {
            let text = word[1].to_owned();
            let in_text = is_in_text
                .then(|| Regex::new(&format!(r"(?i)\b{}\b", regex::escape(&text).replace('_', "[_ ]"))).ok())
                .flatten();
            words.push(Word { segments: segments(&text), is_prefix: text.ends_with('_'), in_text, text });
        }
    }
    words.retain(|word| !word.segments.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "# A\n\n## Vocabulary\n\nIntro.\n\n| Not | But |\n|---|---|\n\
        | `tell`, `told` (also in text) | `publish` |\n| `LONGEST_` | `MAX_` |\n| `look_every` | `interval` |\n\n\
        ## Next\n\n| Not | But |\n|---|---|\n| `no` | `x` |\n";

    fn names(name: &str) -> Vec<String> {
        table(TABLE).into_iter().filter(|word| word.names(name)).map(|word| word.text).collect()
    }

    #[test]
    fn table_words_are_segments_or_prefixes() {
        assert_eq!(table(TABLE).len(), 4);
        assert_eq!(names("tell_standing"), ["tell"]);
        assert_eq!(names("isTold"), ["told"]);
        assert_eq!(names("LONGEST_NAME"), ["LONGEST_"]);
        assert_eq!(names("LOOK_EVERY"), ["look_every"]);
        assert!(names("teller").is_empty() && names("the_LONGEST_x").is_empty() && names("no").is_empty());
    }

    #[test]
    fn table_words_in_text_are_whole_and_outside_of_code() {
        let words = table(TABLE);
        let mut found = Vec::new();
        let prose = markdown::without_code("Told `tell` teller, tell\nlook_every", true);
        in_text(&words, &prose, &mut |at, word| found.push((at, word.to_owned())));
        assert_eq!(found, [(20, "text: tell".to_owned()), (0, "text: told".to_owned())]);
    }
}
