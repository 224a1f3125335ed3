//! Events, from the event catalogue.

use live_model::{EVENT_TYPES, KeyKind};

use super::{doc, property};

/// Returns the payload of each type, in the order of the catalogue.
pub(super) fn text() -> String {
    let mut text = doc("  ", "Payloads of the event types.");
    text.push_str("  interface EventData {\n");
    for known in EVENT_TYPES {
        text.push_str(&format!("    {}: {{\n", property(known.name)));
        for key in known.keys {
            text.push_str(&doc("      ", description(key.kind)));
            text.push_str(&format!("      {}: {} | null;\n", property(key.name), type_of(key.kind)));
        }
        text.push_str("    };\n");
    }
    text.push_str("    /** Event of an account or an extension. */\n");
    text.push_str("    [custom: `custom:${string}`]: { [key: string]: any };\n  }\n\n");
    text.push_str(&doc("  ", "Type of an event."));
    text.push_str("  type EventType = keyof EventData;\n");
    text
}

const fn type_of(kind: KeyKind) -> &'static str {
    match kind {
        KeyKind::UserId
        | KeyKind::UserName
        | KeyKind::Id
        | KeyKind::Text
        | KeyKind::Message
        | KeyKind::Tier
        | KeyKind::Status
        | KeyKind::Time
        | KeyKind::Currency => "string",
        KeyKind::Count | KeyKind::Money => "number",
        KeyKind::Flag => "boolean",
        KeyKind::List => "{ [key: string]: any }[]",
    }
}

/// Text for kinds whose type does not say enough.
const fn description(kind: KeyKind) -> &'static str {
    match kind {
        KeyKind::Time => "RFC 3339.",
        KeyKind::Money => "Minor units of the currency.",
        KeyKind::Currency => "Three capital letters.",
        KeyKind::Tier => "In the words of the platform.",
        KeyKind::Status => "State, in the words of the platform.",
        _ => "",
    }
}
