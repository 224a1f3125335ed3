//! Texts of strangers, so that a reader sees every character of them (reference/history.md#hostile-texts).

use std::borrow::Cow;

/// Returns the text with line breaks as spaces and with control characters, marks of direction and other invisible
/// characters as `<U+202E>`. Joiners and variation selectors stay: scripts and emoji need them.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| is_break(c) || is_hidden(c)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_break(c) {
            shown.push(' ');
        } else if is_hidden(c) {
            shown.push_str(&format!("<U+{:04X}>", u32::from(c)));
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

const fn is_break(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_hidden(c: char) -> bool {
    let is_direction =
        matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    let is_invisible = matches!(
        c,
        '\u{AD}' | '\u{180E}' | '\u{200B}' | '\u{2060}'..='\u{2065}' | '\u{206A}'..='\u{206F}' | '\u{FEFF}'
            | '\u{FFF9}'..='\u{FFFB}'
    );
    c.is_control() || is_direction || is_invisible
}
