//! Markdown documents: prose without code, links, anchors of headings.

use std::collections::{BTreeSet, HashMap};

use regex::Regex;

use crate::pattern;

/// A link of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub line: usize,
    pub target: String,
}

/// Replaces code fences, and inline code as well when asked, by blanks of the same length; line breaks stay.
#[must_use]
pub fn without_code(text: &str, inline: bool) -> String {
    let mut fence: Option<String> = None;
    let mut found = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        let mark: String = trimmed.chars().take_while(|c| matches!(c, '`' | '~')).collect();
        match &fence {
            Some(open) => {
                if mark.starts_with(open.as_str()) && trimmed.trim_end() == mark {
                    fence = None;
                }
                blank(&mut found, line);
            }
            None if mark.len() >= 3 => {
                fence = Some(mark);
                blank(&mut found, line);
            }
            None => found.push_str(line),
        }
    }
    if inline { without_inline_code(&found) } else { found }
}

/// Replaces what stands in backticks by blanks of the same length.
#[must_use]
pub fn without_inline_code(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('`') {
        let ticks = rest[start..].len() - rest[start..].trim_start_matches('`').len();
        let mark = &rest[start..start + ticks];
        let body = &rest[start + ticks..];
        // Code ends within its paragraph.
        let paragraph = body.find("\n\n").unwrap_or(body.len());
        found.push_str(&rest[..start]);
        match body[..paragraph].find(mark) {
            Some(end) => {
                let length = ticks + end + ticks;
                blank(&mut found, &rest[start..start + length]);
                rest = &rest[start + length..];
            }
            None => {
                found.push_str(mark);
                rest = body;
            }
        }
    }
    found.push_str(rest);
    found
}

fn blank(found: &mut String, text: &str) {
    found.extend(text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
}

/// Returns the links of a document.
#[must_use]
pub fn links(text: &str) -> Vec<Link> {
    pattern!(INLINE, r"\]\(\s*<?([^)\s>]+)>?(?:\s+[^)]*)?\)");
    pattern!(DEFINED, r"(?m)^\s*\[[^\]]+\]:\s*<?(\S+?)>?\s*$");
    let prose = without_code(text, true);
    let mut found = Vec::new();
    let mut take = |pattern: &Regex| {
        for capture in pattern.captures_iter(&prose) {
            if let Some(target) = capture.get(1) {
                let line = prose[..target.start()].matches('\n').count() + 1;
                found.push(Link { line, target: target.as_str().to_owned() });
            }
        }
    };
    take(&INLINE);
    take(&DEFINED);
    found
}

/// Replaces the targets of links by nothing, so that only their text is prose; line breaks stay.
#[must_use]
pub fn without_targets(text: &str) -> String {
    pattern!(TARGET, r"\]\([^)\n]*\)");
    TARGET.replace_all(text, "]").into_owned()
}

/// Returns the anchors of a document: slugs of headings as GitHub makes them, and explicit ones.
#[must_use]
pub fn anchors(text: &str) -> BTreeSet<String> {
    pattern!(HEADING, r"(?m)^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$");
    pattern!(EXPLICIT, r#"<a\s+(?:id|name)="([^"]+)""#);
    let prose = without_code(text, false);
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut found = BTreeSet::new();
    for heading in HEADING.captures_iter(&prose) {
        let slug = slug(&heading[1]);
        let count = counts.entry(slug.clone()).or_default();
        found.insert(if *count == 0 { slug.clone() } else { format!("{slug}-{count}") });
        *count += 1;
    }
    found.extend(EXPLICIT.captures_iter(&prose).map(|anchor| anchor[1].to_owned()));
    found
}

fn slug(heading: &str) -> String {
    pattern!(LINK, r"!?\[([^\]]*)\]\([^)]*\)");
    LINK.replace_all(heading, "$1")
        .to_lowercase()
        .chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            '-' | '_' => Some(c),
            _ if c.is_alphanumeric() => Some(c),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_slugs_with_numbers_for_repetitions() {
        let found =
            anchors("# A `b_c`: d's\n## Twice\n## Twice\n```\n# no\n```\n<a id=\"x\"></a>\n### [L](y) & M\n");
        let expected = ["a-b_c-ds", "l--m", "twice", "twice-1", "x"];
        assert_eq!(found.into_iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn links_are_found_outside_of_code() {
        let found = links("[a](b.md#c) `[x](y)`\n```\n[x](y)\n```\n[d]: e.md\n![p](q.png \"t\")\n");
        let targets: Vec<_> = found.iter().map(|link| (link.line, link.target.as_str())).collect();
        assert_eq!(targets, [(1, "b.md#c"), (6, "q.png"), (5, "e.md")]);
    }

    #[test]
    fn without_code_keeps_lines() {
        let text = "a `tell` b\n~~~\ntell\n~~~\nlone ` tick\n";
        let prose = without_code(text, true);
        assert!(!prose.contains("tell"));
        assert_eq!(prose.lines().count(), text.lines().count());
        assert!(prose.contains("lone ` tick"));
        assert_eq!(without_targets("a [b](tell.md) c"), "a [b] c");
    }
}
