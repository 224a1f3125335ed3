//! Rules of `functions` (reference/extensions.md#functions).

use extension_model::{
    Declarative, FunctionKind, Manifest,
    limits::{LimitKey, ResolvedLimits},
};

use super::{Errors, config::is_name, nearest::suggestion, shortened};

pub(super) fn check(manifest: &Manifest, limits: &ResolvedLimits, errors: &mut Errors) {
    if !errors.at_most("functions", manifest.functions.len(), limits.size(LimitKey::FunctionsMax)) {
        return;
    }
    for (name, function) in &manifest.functions {
        let at = format!("functions.{name}");
        errors.require(
            is_name(name),
            &at,
            "must start with a letter and have at most 64 letters, digits and `_`",
        );
        errors.require(
            function.handler.is_none() || function.declarative.is_none(),
            &at,
            "must not have both a handler and a declarative definition",
        );
        if let Some(handler) = &function.handler {
            errors.handler(&format!("{at}.handler"), handler);
        }
        if let Some(declared) = &function.declarative {
            declarative(manifest, function.kind, declared, &format!("{at}.declarative"), errors);
        }
    }
}

/// Checks a declaration of `queryRows`, `insertRow`, `patchRow` or `deleteRow`.
fn declarative(
    manifest: &Manifest,
    kind: FunctionKind,
    declared: &serde_json::Value,
    at: &str,
    errors: &mut Errors,
) {
    unknown_keys(declared, at, errors);
    match serde_json::from_value::<Declarative>(declared.clone()) {
        Ok(declared) => {
            errors.require(
                manifest.tables.contains_key(declared.table()),
                &format!("{at}.table"),
                "must name a declared table",
            );
            errors.require(
                declared.is_query() || kind != FunctionKind::Query,
                at,
                "changes rows, so the function must be a mutation",
            );
        }
        Err(error) => errors.add(at, format!("{at}: {error}")),
    }
}

fn unknown_keys(declared: &serde_json::Value, at: &str, errors: &mut Errors) {
    let allowed: &[&str] = match declared.get("operation").and_then(serde_json::Value::as_str) {
        Some("queryRows") => &["operation", "table", "filter", "orderBy", "orderDir", "limit", "offset"],
        Some("insertRow") => &["operation", "table", "data"],
        Some("patchRow") => &["operation", "table", "id", "data"],
        Some("deleteRow") => &["operation", "table", "id"],
        _ => return,
    };
    let given = declared.as_object().into_iter().flatten().map(|(name, _)| name);
    for unknown in given.filter(|name| !allowed.contains(&name.as_str())) {
        let near = suggestion(unknown, allowed.iter().copied());
        let message = format!(
            "{} is not a key of {}, whose keys are {}{near}",
            shortened(unknown),
            shortened(at),
            allowed.join(", ")
        );
        errors.add(&format!("{at}.{unknown}"), message);
    }
}
