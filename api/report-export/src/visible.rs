//! Texts of strangers, so that a reader sees every character of them (reference/history.md#hostile-texts).

use std::borrow::Cow;

/// Tags of the flag of a region.
const MAX_TAGS: usize = 6;

/// Returns the text with line breaks as spaces and with control characters, marks of direction and other invisible
/// characters as `<U+202E>`. Joiners, variation selectors and the tags of flags stay: scripts and emoji need them.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| is_break(c) || is_hidden(c)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        if c == '\u{1F3F4}'
            && let Some((tags, rest)) = split_tags(characters.as_str())
        {
            shown.push(c);
            shown.push_str(tags);
            characters = rest.chars();
        } else if is_break(c) {
            shown.push(' ');
        } else if is_hidden(c) {
            shown.push_str(&format!("<U+{:04X}>", u32::from(c)));
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// Tags of a flag with their end, and the text after them.
fn split_tags(text: &str) -> Option<(&str, &str)> {
    let is_tag = |c: &char| matches!(c, '\u{E0030}'..='\u{E0039}' | '\u{E0061}'..='\u{E007A}');
    let count = text.chars().take_while(is_tag).count();
    let is_flag = (1..=MAX_TAGS).contains(&count) && text.chars().nth(count) == Some('\u{E007F}');
    // Each of them, the end included, has four bytes.
    if is_flag { text.split_at_checked(4 * (count + 1)) } else { None }
}

const fn is_break(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_hidden(c: char) -> bool {
    let is_direction =
        matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    let is_invisible = matches!(
        c,
        '\u{AD}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180E}' | '\u{200B}'
            | '\u{2060}'..='\u{2065}' | '\u{206A}'..='\u{206F}' | '\u{2800}' | '\u{3164}' | '\u{FEFF}'
            | '\u{FFA0}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0001}' | '\u{E0020}'..='\u{E007F}'
    );
    c.is_control() || is_direction || is_invisible
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visible_shows_every_character_without_a_picture() {
        let england = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}";
        for (text, shown) in [
            ("a\tb\u{2028}c", "a b c"),
            ("a\u{202E}b\u{7}", "a<U+202E>b<U+0007>"),
            ("\u{3164}\u{115F}\u{2800}\u{FFA0}", "<U+3164><U+115F><U+2800><U+FFA0>"),
            ("x\u{E0061}\u{E007F}", "x<U+E0061><U+E007F>"),
            ("\u{1F3F4}\u{E0061}b", "\u{1F3F4}<U+E0061>b"),
            ("👩\u{200D}💻 ✌\u{FE0F}", "👩\u{200D}💻 ✌\u{FE0F}"),
        ] {
            assert_eq!(visible(text), shown);
        }
        assert_eq!(visible(england), england);
        assert_eq!(visible(&format!("{england}\u{E0061}")), format!("{england}<U+E0061>"));
        let long = format!("\u{1F3F4}{}\u{E007F}", "\u{E0061}".repeat(MAX_TAGS + 1));
        assert!(!visible(&long).contains('\u{E0061}'));
    }
}
