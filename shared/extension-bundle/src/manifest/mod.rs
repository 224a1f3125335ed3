//! Rules of `lumio.config.json` (reference/extensions.md#manifest).

mod bot_module;
mod config;
mod egress;
mod functions;
mod handlers;
mod keys;
mod nearest;
mod nodes;
mod schema;
mod shape;

use std::{collections::HashSet, hash::Hash};

use extension_model::{Category, HOST_PERMISSIONS, Manifest, PricingType, Visibility};
use semver::Version;
use serde_json::Value;
use shape::Replaced;

use super::{Expected, FieldError, MANIFEST, MAX_ERRORS, PAID_NEEDS_VERIFICATION, shortened};

pub(super) use handlers::check as check_exports;
pub use schema::{SCHEMA_ID, schema};

/// Errors of a manifest by field; at most 100.
#[derive(Debug, Default)]
pub(super) struct Errors(Vec<FieldError>);

impl Errors {
    fn add(&mut self, field: &str, message: impl Into<String>) {
        if !self.is_full() {
            self.0.push(FieldError::new(shortened(field), message));
        }
    }

    /// Removes errors that are caused by replacements of fields that have an error already.
    fn but_for(self, replaced: &Replaced) -> impl Iterator<Item = FieldError> {
        self.0.into_iter().filter(|error| !replaced.concerns(&error.field))
    }

    const fn is_full(&self) -> bool {
        self.0.len() >= MAX_ERRORS
    }

    /// Adds an error unless the rule holds.
    fn require(&mut self, holds: bool, field: &str, rule: &str) {
        if !holds {
            self.add(field, format!("{} {rule}", shortened(field)));
        }
    }

    /// Adds an error when there are too many entries. Returns true when they are few enough to be checked.
    #[must_use]
    fn at_most(&mut self, field: &str, count: usize, max: usize) -> bool {
        self.require(count <= max, field, &format!("must have at most {max} entries"));
        count <= max
    }

    /// Checks a text of one line.
    fn text(&mut self, field: &str, text: &str, max: usize) {
        let length = text.trim().chars().count();
        self.require((1..=max).contains(&length), field, &format!("must be between 1 and {max} characters"));
        self.require(!text.chars().any(char::is_control), field, "must not contain control characters");
    }

    /// Checks the form of an export's name.
    fn handler(&mut self, field: &str, name: &str) {
        let mut bytes = name.bytes();
        let first = bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_' || b == b'$');
        let rest = bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'$');
        self.require(first && rest && name.len() <= 128, field, "must be the name of an export of server.js");
    }
}

/// Parses and checks a manifest. Returns it with its JSON.
///
/// # Errors
/// Errors by field, at most 100.
pub(super) fn parse(
    text: Option<&[u8]>,
    expected: Expected<'_>,
) -> Result<(Manifest, Value), Vec<FieldError>> {
    let refuse = |message: String| vec![FieldError::new(MANIFEST, message)];
    let text = text.ok_or_else(|| refuse(format!("{MANIFEST} is missing in the root of the bundle")))?;
    let mut value: Value =
        serde_json::from_slice(text).map_err(|error| refuse(format!("{MANIFEST} is not JSON: {error}")))?;
    if has_nul(&value) {
        return Err(refuse(format!("{MANIFEST} must not contain NUL characters")));
    }
    if !value.is_object() {
        return Err(refuse(format!("{MANIFEST} must be an object")));
    }
    let mut errors = Errors::default();
    let replaced = shape::conform(&mut value, &keys::MANIFEST_SHAPE, &mut errors);
    if let Value::Object(fields) = &mut value {
        // A manifest without an id belongs to the extension that it is uploaded to.
        fields.entry("extensionId").or_insert_with(|| expected.extension_id.to_string().into());
    }
    match read(&value) {
        Ok(manifest) => {
            let mut rules = Errors::default();
            check(&manifest, expected, &mut rules);
            errors.0.extend(rules.but_for(&replaced));
            errors.0.truncate(MAX_ERRORS);
            if errors.0.is_empty() { Ok((manifest, value)) } else { Err(errors.0) }
        }
        // The errors of its shape are in the list already.
        Err(_follows) if !errors.0.is_empty() => Err(errors.0),
        Err(error) => Err(vec![error]),
    }
}

fn read(value: &Value) -> Result<Manifest, FieldError> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let (field, reason) = (error.path().to_string(), error.inner().to_string());
        let (field, reason) = (shortened(&field), without_middle(&reason));
        if field == "." {
            return FieldError::new(MANIFEST, reason);
        }
        FieldError::new(field.as_ref(), format!("{field}: {reason}"))
    })
}

fn check(manifest: &Manifest, expected: Expected<'_>, errors: &mut Errors) {
    identity(manifest, expected, errors);
    permissions(manifest, errors);
    listing(manifest, expected, errors);
    egress::check(manifest, expected.limits, errors);
    config::check(manifest, errors);
    functions::check(manifest, expected.limits, errors);
    match &manifest.bot_module {
        Some(bot_module) => bot_module::check(bot_module, errors),
        None => errors.require(
            manifest.category != Category::BotModule,
            "bot_module",
            "is required for the category bot_module",
        ),
    }
    match &manifest.automation_node {
        Some(node) => nodes::check(node, errors),
        None => errors.require(
            manifest.category != Category::AutomationNode,
            "automation_node",
            "is required for the category automation_node",
        ),
    }
    let needs_server = manifest.bot_module.as_ref().is_some_and(|module| !module.handlers().is_empty())
        || manifest.automation_node.is_some()
        || manifest.functions.values().any(|function| function.declarative.is_none());
    errors.require(manifest.server || !needs_server, "server", "must be true when handlers run");
}

fn identity(manifest: &Manifest, expected: Expected<'_>, errors: &mut Errors) {
    errors.require(
        manifest.extension_id == expected.extension_id,
        "extensionId",
        &format!("must be {}", expected.extension_id),
    );
    errors.text("name", &manifest.name, 255);
    let length = manifest.description.trim().chars().count();
    errors.require((1..=1000).contains(&length), "description", "must be between 1 and 1000 characters");
    match Version::parse(&manifest.version) {
        Ok(_) => errors.require(
            manifest.version == expected.version,
            "version",
            &format!("must be {} as the field of the upload says", expected.version),
        ),
        Err(error) => errors.add("version", format!("version must be a semantic version: {error}")),
    }
    let needs_targets = matches!(manifest.category, Category::Widget | Category::Theme);
    errors.require(
        !needs_targets || !manifest.targets.is_empty(),
        "targets",
        "must name at least one of editor, layer and interactive for widgets and themes",
    );
    errors.require(!has_repeats(&manifest.targets), "targets", "must not repeat an entry");
    if errors.at_most("fonts", manifest.fonts.len(), 10) {
        for (index, font) in manifest.fonts.iter().enumerate() {
            errors.text(&format!("fonts[{index}]"), font, 100);
        }
    }
}

fn permissions(manifest: &Manifest, errors: &mut Errors) {
    if !errors.at_most("permissions", manifest.permissions.len(), HOST_PERMISSIONS.len()) {
        return;
    }
    for (index, permission) in manifest.permissions.iter().enumerate() {
        if !HOST_PERMISSIONS.contains(&permission.as_str()) {
            errors.add(
                &format!("permissions[{index}]"),
                format!("Invalid permission: {}", shortened(permission)),
            );
        }
    }
    errors.require(!has_repeats(&manifest.permissions), "permissions", "must not repeat an entry");
    let unknown = manifest.permissions.iter().find(|asked| !HOST_PERMISSIONS.contains(&asked.as_str()));
    if let Some(unknown) = unknown {
        let near = nearest::suggestion(unknown, HOST_PERMISSIONS);
        errors
            .add("permissions", format!("permissions must be out of {}{near}", HOST_PERMISSIONS.join(", ")));
    }
}

fn listing(manifest: &Manifest, expected: Expected<'_>, errors: &mut Errors) {
    let is_paid = manifest.visibility == Some(Visibility::Paid)
        || manifest.pricing.as_ref().is_some_and(|pricing| pricing.pricing_type != PricingType::Free);
    if is_paid && !expected.verified {
        errors.add("pricing", PAID_NEEDS_VERIFICATION);
    }
}

fn has_repeats<T: Eq + Hash>(entries: &[T]) -> bool {
    let mut seen = HashSet::new();
    !entries.iter().all(|entry| seen.insert(entry))
}

/// Shortens a parser's message: the value that it met at the front and the expected form at the end stay, the
/// middle of a long value is left out.
fn without_middle(reason: &str) -> String {
    const FRONT: usize = 100;
    const END: usize = 300;
    let length = reason.chars().count();
    if length <= FRONT + END {
        return reason.to_owned();
    }
    let end: String = reason.chars().skip(length - END).collect();
    format!("{}{end}", shortened(reason))
}

/// PostgreSQL stores no NUL in JSON.
fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(entries) => entries.iter().any(has_nul),
        Value::Object(fields) => fields.iter().any(|(name, value)| name.contains('\0') || has_nul(value)),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
