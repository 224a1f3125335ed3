//! Codes of languages.

/// Length of a code.
pub(super) const LANGUAGE_LENGTH: usize = 2;

/// Two-letter codes of ISO 639-1.
const ISO_639_1: &str = "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy \
    da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii \
    ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr \
    ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl \
    sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh \
    zu";

/// True for a code of ISO 639-1 in lower case.
pub(super) fn is_language(code: &str) -> bool {
    code.len() == LANGUAGE_LENGTH && ISO_639_1.split_whitespace().any(|known| known == code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_language_knows_two_letter_codes() {
        assert!(["en", "de", "zh", "uk", "aa", "zu"].into_iter().all(is_language));
        assert!(!["", "e", "EN", "eng", "xx", "e n", "n a", "日"].into_iter().any(is_language));
        assert!(ISO_639_1.split_whitespace().all(is_language));
    }
}
