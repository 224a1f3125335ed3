//! Id of a person in free texts of handlers: logs, stored values and requests
//! (reference/privacy.md#ids-in-texts).

use std::ops::Range;

use shared::person_ids::{MIN_ID_LENGTH, is_field_for_ids};

use super::Identity;

/// Replacement of an id.
const ERASED: &str = "[erased]";

impl Identity {
    /// Returns true when the text contains the id as a whole, not as part of a longer number or word.
    pub(super) fn is_mentioned_in(&self, text: &str) -> bool {
        self.mentions(text).next().is_some()
    }

    /// Returns the positions of the id, in bytes.
    pub(super) fn places_in(&self, text: &str) -> Vec<Range<usize>> {
        self.mentions(text).map(|at| at..at + self.user_id.len()).collect()
    }

    /// Returns true when the id, a number or a word, is too short to identify a person by itself. It counts
    /// only where the text contains the platform, or in a field for ids.
    pub(super) fn is_short(&self) -> bool {
        self.user_id.len() < MIN_ID_LENGTH
    }

    /// Returns the starts of the id, in bytes.
    fn mentions<'a>(&'a self, text: &'a str) -> impl Iterator<Item = usize> + 'a {
        let is_number = self.is_number();
        let is_part = move |c: char| if is_number { c.is_ascii_digit() } else { c.is_ascii_alphanumeric() };
        let is_one_anywhere = !self.is_short() || self.platform_is_in(text);
        text.match_indices(self.user_id.as_str()).map(|(at, _)| at).filter(move |at| {
            let before = text[..*at].chars().next_back();
            let after = text[*at + self.user_id.len()..].chars().next();
            !before.into_iter().chain(after).any(is_part)
                && (is_one_anywhere || ends_in_a_field(&text[..*at]))
        })
    }

    /// Returns true when a text contains the platform's name as a word.
    fn platform_is_in(&self, text: &str) -> bool {
        let (text, slug) = (text.to_ascii_lowercase(), self.platform.slug());
        text.match_indices(slug).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + slug.len()..].chars().next();
            !before.into_iter().chain(after).any(|c| c.is_ascii_alphabetic())
        })
    }

    fn is_number(&self) -> bool {
        self.user_id.bytes().all(|byte| byte.is_ascii_digit())
    }
}

/// Returns the text with the places replaced by a mark; `None` without places.
pub(super) fn without(text: &str, mut places: Vec<Range<usize>>) -> Option<String> {
    // The longer one of two overlapping places counts.
    places.sort_unstable_by_key(|place| (place.start, usize::MAX - place.end));
    let (mut cleared, mut end) = (String::with_capacity(text.len()), 0);
    for place in places.into_iter().filter(|place| !place.is_empty()) {
        if place.start < end {
            continue;
        }
        cleared.push_str(&text[end..place.start]);
        cleared.push_str(ERASED);
        end = place.end;
    }
    cleared.push_str(&text[end..]);
    (end > 0).then_some(cleared)
}

/// Returns true when the text after this one is in a field for ids, or in a list in one: `"user_id":`,
/// `viewerIds: [675, `.
fn ends_in_a_field(text: &str) -> bool {
    let is_quote = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\');
    let text = text.trim_end_matches(|c: char| is_quote(c) || c.is_ascii_digit() || matches!(c, '[' | ','));
    let field = text.trim_end_matches([':', '=']);
    field.len() < text.len() && is_field_for_ids(field.trim_end_matches(is_quote))
}

#[cfg(test)]
mod tests {
    use shared::platform::Platform;

    use super::*;

    fn identity(user_id: &str) -> Identity {
        Identity { platform: Platform::Twitch, user_id: user_id.into() }
    }

    fn taken_out_of(identity: &Identity, text: &str) -> Option<String> {
        without(text, identity.places_in(text))
    }

    #[test]
    fn mentions_match_whole_ids_only() {
        let number = identity("471100");
        for text in
            ["471100", "seen:471100", "user471100", "{\"n\":\"471100\"}", "a 471100, b", "471100:471100"]
        {
            assert!(number.is_mentioned_in(text), "{text}");
        }
        for text in ["", "4711000", "1471100", "47110", "471200"] {
            assert!(!number.is_mentioned_in(text), "{text}");
        }
        let word = identity("UC-abc");
        assert!(
            word.is_mentioned_in("seen_UC-abc!")
                && !word.is_mentioned_in("UC-abcd")
                && !word.is_mentioned_in("xUC-abc")
        );
    }

    #[test]
    fn mentions_are_erased_and_the_rest_is_unchanged() {
        let number = identity("471100");
        assert_eq!(
            taken_out_of(&number, "471100 met 4711000 and 471100.").unwrap(),
            "[erased] met 4711000 and [erased]."
        );
        assert_eq!(taken_out_of(&number, "4711000"), None);
    }

    #[test]
    fn mentions_of_a_short_number_need_a_field_or_a_platform() {
        let short = Identity { platform: Platform::Kick, user_id: "676".into() };
        for text in [
            "kick:676",
            "seen:676:kick",
            "Kick has no viewer 676",
            "kick676",
            r#"{"user_id":676}"#,
            r#"{ "viewer_id" : "676" }"#,
            r#"{\"userId\":\"676\"}"#,
            "user_id=676",
            "viewerIds: [675, 676]",
            "VIEWER_IDS=676",
            "the user id: 676",
            r#"last_user_id:"676""#,
            r#"{"n":676,"platform":"kick"}"#,
        ] {
            assert!(short.is_mentioned_in(text), "{text}");
        }
        for text in [
            "676",
            "\"676\"",
            "took 676 ms",
            "paid 676",
            "paid: 676",
            r#"{"paid":676,"valid":"676","raids":[676]}"#,
            "seen:676",
            "sidekick 676",
            "kicked 676",
            "twitch:676",
            "kick:6760",
            r#"{"user_id":4711,"took":676}"#,
            r#"{"user_id":6760}"#,
        ] {
            assert!(!short.is_mentioned_in(text), "{text}");
        }
        assert_eq!(
            taken_out_of(&short, r#"{"ids":[676],"took":676}"#).unwrap(),
            r#"{"ids":[[erased]],"took":676}"#
        );
        let long = Identity { user_id: "676767".into(), ..short };
        assert!(long.is_mentioned_in("took 676767 ms") && long.is_mentioned_in("676767"));
    }
}
