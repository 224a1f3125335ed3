//! Sensitive texts in responses (reference/programme.md#sealed-data).

/// Characters that stay readable at the end of a masked text.
const READABLE: usize = 4;
/// Length from which the end of a text stays readable, in characters.
const MIN_PARTLY_READABLE: usize = 8;
/// Replacement of the other characters, whatever their number.
const MASK: &str = "****";

/// Masks a text but for its last four characters. A short one is masked whole.
pub(crate) fn masked(text: &str) -> String {
    let length = text.chars().count();
    if length < MIN_PARTLY_READABLE {
        return MASK.to_owned();
    }
    text.chars().skip(length - READABLE).fold(MASK.to_owned(), |mut shown, character| {
        shown.push(character);
        shown
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masked_texts_show_their_last_four_characters() {
        assert_eq!(masked("DE44500105175407324931"), "****4931");
        assert_eq!(masked("äöüäöüäö"), "****öüäö");
        assert_eq!((masked("1234567").as_str(), masked("").as_str()), (MASK, MASK));
    }
}
