//! Places of fields in the text of a manifest.

use jsonc_parser::{
    CollectOptions, ParseOptions,
    ast::{ObjectProp, Value},
    common::Ranged,
    parse_to_ast,
};

/// Line and column, from 1; the column counts characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub line: usize,
    pub column: usize,
}

impl Place {
    /// Beginning of a file.
    pub const START: Self = Self { line: 1, column: 1 };

    /// Returns the place of a byte offset in a text.
    pub fn of(text: &str, offset: usize) -> Self {
        let before = &text[..text.floor_char_boundary(offset)];
        let line = before.rsplit('\n').next().unwrap_or_default();
        Self { line: before.matches('\n').count() + 1, column: line.chars().count() + 1 }
    }
}

/// Part of a field that a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Key,
    Value,
}

/// Returns the place of a field such as `bot_module.commands[0].name`: of its value or its key; of the nearest
/// object or list around it when it is not there.
pub(crate) fn find(text: &str, field: &str, part: Part) -> Place {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
    let Some(root) = parsed.ok().and_then(|parsed| parsed.value) else { return Place::START };
    Place::of(text, offset(&root, field, part))
}

fn offset(value: &Value<'_>, field: &str, part: Part) -> usize {
    let field = field.strip_prefix('.').unwrap_or(field);
    match value {
        Value::Object(object) => {
            // Names may hold dots; of a repeated one the last counts.
            let fitting = object.properties.iter().filter(|property| rest_after(property, field).is_some());
            let Some(property) = fitting.max_by_key(|property| property.name.as_str().len()) else {
                return value.start();
            };
            match rest_after(property, field).unwrap_or_default() {
                "" if part == Part::Key => property.range.start,
                rest => offset(&property.value, rest, part),
            }
        }
        Value::Array(array) => {
            let entry = field
                .strip_prefix('[')
                .and_then(|rest| rest.split_once(']'))
                .and_then(|(index, rest)| Some((array.elements.get(index.parse::<usize>().ok()?)?, rest)));
            entry.map_or(value.start(), |(entry, rest)| offset(entry, rest, part))
        }
        _ => value.start(),
    }
}

/// Rest of a field after the name of a property; `None` when the field does not begin with it.
fn rest_after<'a>(property: &ObjectProp<'_>, field: &'a str) -> Option<&'a str> {
    let rest = field.strip_prefix(property.name.as_str())?;
    (rest.is_empty() || rest.starts_with(['.', '['])).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "{\n  \"name\": \"Größe\", \"server\": true,\n  \"bot_module\": {\n    \"commands\": [\n      { \"name\": \"a\" },\n      { \"nam\": 1, \"handler\": \"x\" }\n    ]\n  },\n  \"functions\": { \"a.b\": { \"kind\": 1 }, \"a\": 2 }\n}\n";

    fn at(field: &str, part: Part) -> (usize, usize) {
        let place = find(TEXT, field, part);
        (place.line, place.column)
    }

    #[test]
    fn find_gives_the_place_of_values_keys_and_what_surrounds_them() {
        for (field, part, place) in [
            ("name", Part::Value, (2, 11)),
            ("server", Part::Value, (2, 30)),
            ("bot_module.commands[0].name", Part::Value, (5, 17)),
            ("bot_module.commands[1].nam", Part::Key, (6, 9)),
            ("bot_module.commands[1].handler", Part::Value, (6, 30)),
            ("bot_module.commands[1].name", Part::Value, (6, 7)),
            ("bot_module.commands[7].name", Part::Value, (4, 17)),
            ("bot_module.events[0]", Part::Value, (3, 17)),
            ("functions.a.b.kind", Part::Value, (9, 35)),
            ("functions.a", Part::Value, (9, 45)),
            ("category", Part::Value, (1, 1)),
        ] {
            assert_eq!(at(field, part), place, "{field}");
        }
        assert_eq!(find("{", "name", Part::Value), Place::START);
    }
}
