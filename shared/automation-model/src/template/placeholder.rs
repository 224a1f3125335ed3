//! Content of a placeholder: a path and filters.

use std::borrow::Cow;

use serde_json::Value;
use uuid::Uuid;

use super::{
    MAX_PATH_DEPTH, MAX_PLACEHOLDER_FILTERS, MAX_RENDERED,
    filters::Filter,
    scope::{ROOTS, Scope},
    value::size_within,
};

/// Maximum length of a name in a path, in characters.
const MAX_PATH_NAME_LENGTH: usize = 64;

/// Parsed placeholder.
#[derive(Debug, Clone, PartialEq)]
pub struct Placeholder {
    path: Vec<String>,
    filters: Vec<Filter>,
}

impl Placeholder {
    /// Parses the text between the braces.
    pub fn parse(inside: &str) -> Result<Self, String> {
        let mut parts = inside.split('|');
        let path = parse_path(parts.next().unwrap_or_default().trim())?;
        check_root(&path)?;
        let filters = parts.map(|part| Filter::parse(part.trim())).collect::<Result<Vec<_>, _>>()?;
        if filters.len() > MAX_PLACEHOLDER_FILTERS {
            return Err(format!("a placeholder must have at most {MAX_PLACEHOLDER_FILTERS} filters"));
        }
        Ok(Self { path, filters })
    }

    /// Value with its filters applied; `None` when it is missing.
    pub fn value<'a>(&self, scope: &Scope<'a>) -> Result<Option<Cow<'a, Value>>, String> {
        let found = scope.find(&self.path);
        if let Some(value) = &found
            && size_within(value, MAX_RENDERED).is_none()
        {
            return Err(format!("`{}` is larger than {MAX_RENDERED} bytes", self.path.join(".")));
        }
        let filtered = self.filters.iter().fold(found, |value, filter| filter.apply(value, scope.timezone));
        Ok(filtered)
    }
}

/// Parses the names of a path.
pub fn parse_path(text: &str) -> Result<Vec<String>, String> {
    let path: Vec<String> = text.split('.').map(str::to_owned).collect();
    let is_name = |name: &String| {
        (1..=MAX_PATH_NAME_LENGTH).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
    };
    if path.len() > MAX_PATH_DEPTH || !path.iter().all(is_name) {
        return Err(format!(
            "`{}` must be a path: 1 to {MAX_PATH_DEPTH} names of letters, digits, `_` and `-`, joined by dots",
            text.chars().take(MAX_PATH_NAME_LENGTH).collect::<String>()
        ));
    }
    Ok(path)
}

fn check_root(path: &[String]) -> Result<(), String> {
    let root = path.first().map_or("", String::as_str);
    if !ROOTS.contains(&root) {
        return Err(format!("`{root}` must be one of {}", ROOTS.join(", ")));
    }
    if root == "steps" && path.get(1).is_none_or(|node| Uuid::parse_str(node).is_err()) {
        return Err("`steps.` must be followed by the id of a node".to_owned());
    }
    Ok(())
}
