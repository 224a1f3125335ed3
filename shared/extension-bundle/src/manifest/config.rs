//! Rules of `config_schema`, `sounds` and `tables` (reference/extensions.md#configuration-schema).

use std::collections::HashSet;

use extension_model::{ConfigField, ConfigKind, Manifest, Table};
use serde_json::Value;

use super::{Errors, shortened};

pub(super) const MAX_KEYS: usize = 100;
pub(super) const MAX_OPTIONS: usize = 100;
pub(super) const MAX_SOUNDS: usize = 200;
pub(super) const MAX_TABLES: usize = 50;
pub(super) const MAX_COLUMNS: usize = 50;
const COLUMN_TYPES: [&str; 6] = ["string", "number", "boolean", "string[]", "number[]", "object"];
const SYSTEM_COLUMNS: [&str; 3] = ["id", "created_at", "updated_at"];
/// Names of the key-value scopes, which `ctx.db` distinguishes from tables by name
/// (reference/extensions.md#tables).
const SCOPES: [&str; 3] = ["global", "install", "user"];

pub(super) fn check(manifest: &Manifest, errors: &mut Errors) {
    let fields = &manifest.config_schema.fields;
    if errors.at_most("config_schema", fields.len(), MAX_KEYS) {
        fields.iter().for_each(|(key, field)| self::field(key, field, errors));
    }
    sounds(manifest, errors);
    if errors.at_most("tables", manifest.tables.len(), MAX_TABLES) {
        manifest.tables.iter().for_each(|(name, table)| self::table(name, table, errors));
    }
}

fn field(key: &str, field: &ConfigField, errors: &mut Errors) {
    let at = format!("config_schema.{key}");
    errors.require(is_name(key), &at, "must start with a letter and have at most 64 letters, digits and `_`");
    errors.text(&format!("{at}.label"), &field.label, 100);
    if let Some(help) = &field.help {
        errors.text(&format!("{at}.help"), help, 500);
    }
    let is_select = field.kind == ConfigKind::Select;
    errors.require(
        is_select != field.options.is_empty(),
        &format!("{at}.options"),
        "belong to a select and only to it",
    );
    if !errors.at_most(&format!("{at}.options"), field.options.len(), MAX_OPTIONS) {
        return;
    }
    let is_ordered = field.min.zip(field.max).is_none_or(|(min, max)| min <= max);
    errors.require(is_ordered, &format!("{at}.min"), "must not be greater than max");
    let may_be_secret = matches!(field.kind, ConfigKind::String | ConfigKind::Text);
    errors.require(!field.secret || may_be_secret, &format!("{at}.secret"), "is for string and text only");
    if let Some(default) = &field.default {
        errors.require(!field.secret, &format!("{at}.default"), "must not be given for a secret");
        if let Err(error) = field.check(key, default) {
            let field = format!("{at}.default");
            errors.require(false, &field, &shortened(&error.message));
        }
    }
}

fn sounds(manifest: &Manifest, errors: &mut Errors) {
    if !errors.at_most("sounds", manifest.sounds.len(), MAX_SOUNDS) {
        return;
    }
    let mut keys = HashSet::new();
    for (index, sound) in manifest.sounds.iter().enumerate() {
        let at = format!("sounds[{index}]");
        errors.require(
            is_name(&sound.key),
            &format!("{at}.key"),
            "must start with a letter and have at most 64 letters, digits and `_`",
        );
        errors.require(keys.insert(&sound.key), &format!("{at}.key"), "must not be used twice");
        errors.require(sound.file.starts_with("sounds/"), &format!("{at}.file"), "must lie below sounds/");
        errors.text(&format!("{at}.label"), &sound.label, 100);
    }
}

fn table(name: &str, table: &Table, errors: &mut Errors) {
    let at = format!("tables.{name}");
    errors.require(
        is_column_name(name),
        &at,
        "must start with a letter and have at most 48 small letters, digits and `_`",
    );
    errors.require(!SCOPES.contains(&name), &at, "must not be named global, install or user");
    if !errors.at_most(&format!("{at}.columns"), table.columns.len(), MAX_COLUMNS) {
        return;
    }
    for (column, declared) in &table.columns {
        let at = format!("{at}.columns.{column}");
        errors.require(
            is_column_name(column),
            &at,
            "must start with a letter and have at most 48 small letters, digits and `_`",
        );
        errors.require(!SYSTEM_COLUMNS.contains(&column.as_str()), &at, "is a system column");
        let kind = match declared {
            Value::String(kind) => Some(kind.as_str()),
            Value::Object(fields) if fields.get("optional").is_none_or(Value::is_boolean) => {
                fields.get("type").and_then(Value::as_str)
            }
            _ => None,
        };
        errors.require(
            kind.is_some_and(|kind| COLUMN_TYPES.contains(&kind)),
            &at,
            "must be one of string, number, boolean, string[], number[], object",
        );
    }
}

/// Matches `^[a-zA-Z][a-zA-Z0-9_]{0,63}$`.
pub(super) fn is_name(text: &str) -> bool {
    text.len() <= 64
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn is_column_name(text: &str) -> bool {
    text.len() <= 48 && is_name(text) && !text.bytes().any(|b| b.is_ascii_uppercase())
}
