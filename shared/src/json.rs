//! JSON that others made, before it is stored. What stores a value wraps it, and a value that a reader refuses then stops
//! the reader of the rows of everybody.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, SeqAccess, Visitor},
};

/// Maximum number of arrays and objects around a value (reference/conventions.md#bodies). Readers take 127.
pub const MAX_DEPTH: usize = 100;
/// Name of a field that readers take for a text of JSON when it is the first one. PostgreSQL orders fields.
pub const RESERVED: &str = "$serde_json::private::RawValue";

/// Checks that a text of JSON can be read again when it was stored within other values. A malformed text is left to its
/// parser.
///
/// # Errors
/// The reason, for the caller.
pub fn check(text: &[u8]) -> Result<(), String> {
    let (mut depth, mut is_text, mut is_escaped, mut has_codes) = (0_usize, false, false, false);
    for byte in text {
        match (byte, is_text) {
            _ if is_escaped => (is_escaped, has_codes) = (false, has_codes || *byte == b'u'),
            (b'\\', true) => is_escaped = true,
            (b'"', _) => is_text = !is_text,
            (b'[' | b'{', false) => depth += 1,
            (b']' | b'}', false) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Err(format!("more than {MAX_DEPTH} arrays and objects within each other"));
        }
    }
    // Only then the name can be in the text. No other escape than that of a code writes a character of it.
    if has_codes || text.windows(RESERVED.len()).any(|part| part == RESERVED.as_bytes()) {
        match serde_json::from_slice::<Readable>(text) {
            Err(error) if error.is_data() => return Err(format!("the name {RESERVED} is reserved")),
            Ok(_) | Err(_) => {}
        }
    }
    Ok(())
}

/// Value that every reader can read; nothing of it is kept.
#[derive(Debug, Clone, Copy)]
pub struct Readable;

impl<'de> Deserialize<'de> for Readable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Readable {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self, A::Error> {
        while let Some(field) = fields.next_key::<String>()? {
            if field == RESERVED {
                return Err(A::Error::custom(format!("the name {RESERVED} is reserved")));
            }
            fields.next_value::<Self>()?;
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_refuses_what_a_reader_of_stored_values_refuses() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(check(nested(MAX_DEPTH).as_bytes()), Ok(()));
        let deep = "more than 100 arrays and objects within each other";
        assert_eq!(check(nested(MAX_DEPTH + 1).as_bytes()), Err(deep.to_owned()));
        assert_eq!(check(format!("{{\"a\":{}}}", nested(MAX_DEPTH)).as_bytes()), Err(deep.to_owned()));
        // Brackets in a text are none.
        assert_eq!(check(format!("\"\\\"{}\"", "[".repeat(200)).as_bytes()), Ok(()));
        let reserved = Err(format!("the name {RESERVED} is reserved"));
        let behind_another = format!("{{\"{}\":1,\"{RESERVED}\":1}}", "z".repeat(40));
        assert_eq!(check(behind_another.as_bytes()), reserved);
        assert_eq!(check(format!("[{{\"{}\":1}}]", RESERVED.replace('$', "\\u0024")).as_bytes()), reserved);
        for harmless in ["", "[", "1e400", "\"\\ud800\"", &format!("\"{RESERVED}\""), "{\"a\":\"\\u0024\"}"] {
            assert_eq!(check(harmless.as_bytes()), Ok(()), "{harmless}");
        }
    }
}
