//! TypeScript declarations of handlers, layers and the manifest, and the JSON Schema of the manifest
//! (reference/extension-kit.md#types).
//!
//! Events come from the event catalogue, `ctx` from the operations of the sandbox, the manifest from the keys of its
//! parser. Tests compare the rest with what the runtime gives handlers.

mod context;
mod events;
mod inputs;
mod manifest;

/// Parts that no table of the product holds.
const HOST: &str = include_str!("host.d.ts");
const LAYER: &str = include_str!("layer.d.ts");
const SDK: &str = include_str!("sdk.d.ts");
const HEAD: &str = "// Types of extensions of Lumio: handlers (server.js), layers (layer.js) and the manifest.\n\
    // Printed by `lumio-ext types`; do not edit.\n\ndeclare namespace Lumio {\n";

/// Returns the declarations.
#[must_use]
pub fn text() -> String {
    let parts = [
        inputs::text(),
        context::text(),
        HOST.to_owned(),
        LAYER.to_owned(),
        events::text(),
        manifest::text(),
    ];
    let parts = parts.map(|part| part.trim_end().to_owned()).join("\n\n");
    format!("{HEAD}{parts}\n}}\n\n{SDK}")
}

/// Returns the JSON Schema of `lumio.config.json`.
#[must_use]
pub fn schema() -> String {
    format!("{:#}\n", extension_bundle::schema())
}

/// Doc comment of TypeScript.
fn doc(indent: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{indent}/** {text} */\n") }
}

/// Name of a property, quoted when it is no identifier.
fn property(name: &str) -> String {
    let is_plain = name.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$'))
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$'));
    if is_plain { name.to_owned() } else { format!("{name:?}") }
}

#[cfg(test)]
mod tests;
