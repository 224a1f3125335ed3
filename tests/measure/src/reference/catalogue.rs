//! Tables of event types, channels and close codes.

use super::{Index, code, markdown_table};
use crate::source::{
    Source,
    enums::{Entry, List, Row, Tables},
};

/// Returns the close codes of a source: what a method `code` gives between 1000 and 4999.
pub fn close_codes(source: &Source) -> impl Iterator<Item = &Row> {
    source.facts.enums.rows.iter().filter(|row| {
        row.method == "code" && row.value.parse::<u16>().is_ok_and(|code| (1000..5000).contains(&code))
    })
}

/// Returns the table of close codes.
#[must_use]
pub fn close_codes_table(index: &Index<'_>) -> String {
    let mut rows = Vec::new();
    for source in &index.product {
        for row in close_codes(source) {
            let given = |method: &str| {
                let own = source.facts.enums.rows.iter().find(|other| {
                    other.owner == row.owner && other.variant == row.variant && other.method == method
                });
                own.map(|own| own.value.clone()).unwrap_or_default()
            };
            let reason = given("reason");
            let reason = if reason.is_empty() { "none".to_owned() } else { code(&reason) };
            let reconnects = if given("reconnects") == "true" { "yes" } else { "no" };
            rows.push(vec![code(&row.value), reason, reconnects.to_owned(), given("advice")]);
        }
    }
    rows.sort();
    markdown_table(&["Code", "Reason", "Reconnects by itself", "Advice"], &rows)
}

/// Returns the tables of channels and of their events.
#[must_use]
pub fn channels(index: &Index<'_>) -> String {
    let mut channels = Vec::new();
    let mut events = Vec::new();
    for source in &index.product {
        let tables = &source.facts.enums;
        // The lists may stand in a file of their own.
        let lists = |name: &str| {
            let all = index.product.iter().map(|source| &source.facts.enums);
            all.flat_map(|tables| tables.lists.iter().map(move |list| (tables, list)))
                .find(|(_, list)| list.of == "ChannelEvent" && list.name == name)
        };
        for row in tables.rows.iter().filter(|row| row.method == "events") {
            let Some((own, list)) = lists(&row.value) else { continue };
            let given = |method: &str| {
                let own = tables.rows.iter().find(|other| {
                    other.owner == row.owner && other.variant == row.variant && other.method == method
                });
                own.map(|own| own.value.clone()).unwrap_or_default()
            };
            let name = code(&format!("{}:{{{}}}", given("prefix"), given("id_of")));
            channels.push(vec![name.clone(), given("gate")]);
            events.extend(list.entries.iter().map(|entry| channel_event(&name, own, entry)));
        }
    }
    let channels = markdown_table(&["Channel", "Listeners"], &channels);
    let events = markdown_table(&["Channel", "Event type", "Description", "Data"], &events);
    format!("{channels}\n{events}")
}

fn channel_event(channel: &str, tables: &Tables, entry: &Entry) -> Vec<String> {
    let text = |index: usize| entry.texts.get(index).cloned().unwrap_or_default();
    let data = match entry.texts.get(2) {
        Some(schema) => format!("resource {}", code(schema)),
        None => {
            let named = tables.keys.iter().filter(|(own, _)| entry.names.contains(own));
            keys(entry.keys.iter().chain(named.flat_map(|(_, keys)| keys)))
        }
    };
    vec![channel.to_owned(), code(&text(0)), text(1), data]
}

/// Returns the table of event types.
#[must_use]
pub fn event_types(index: &Index<'_>) -> String {
    let mut rows = Vec::new();
    for source in &index.product {
        for list in source.facts.enums.lists.iter().filter(|list| list.of == "EventType") {
            rows.extend(entries(source, list));
        }
    }
    markdown_table(&["Event type", "Keys"], &rows)
}

fn entries(source: &Source, list: &List) -> Vec<Vec<String>> {
    let tables = &source.facts.enums;
    let constant = |name: &String| tables.keys.iter().find(|(own, _)| own == name).map(|(_, keys)| keys);
    let rows = list.entries.iter().map(|entry| {
        let own = tables.functions.iter().filter(|(function, _)| entry.names.contains(function));
        let named = entry.names.iter().chain(own.flat_map(|(_, names)| names));
        let mut found: Vec<&String> = named.filter_map(constant).flatten().chain(&entry.keys).collect();
        let mut seen = Vec::new();
        found.retain(|key| {
            let is_new = !seen.contains(key);
            seen.push(*key);
            is_new
        });
        vec![code(&entry.texts[0]), keys(found.into_iter())]
    });
    rows.collect()
}

fn keys<'a>(names: impl Iterator<Item = &'a String>) -> String {
    let names: Vec<_> = names.map(|name| code(name)).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_hold_the_keys_of_their_constants_and_functions() {
        let text = "const KEYS: &[Key] = &[key(\"a\", K::B), key(\"b\", K::B)];
            const fn sub(n: &str) -> EventType { of(n, KEYS) }
            pub static TYPES: &[EventType] = &[sub(\"x:z\"), of(\"x:y\", &[key(\"c\", K::B)])];";
        let source = Source::read("a.rs", text).unwrap();
        let rows = entries(&source, &source.facts.enums.lists[0]);
        assert_eq!(rows, [["`x:z`", "`a`, `b`"], ["`x:y`", "`c`"]]);
    }

    #[test]
    fn close_codes_are_those_of_the_socket() {
        let text = "impl Closing { fn code(self) -> u16 { match self { Self::A => 4001, Self::B => 12 } } }";
        let source = Source::read("a.rs", text).unwrap();
        assert_eq!(close_codes(&source).map(|row| row.value.as_str()).collect::<Vec<_>>(), ["4001"]);
    }
}
