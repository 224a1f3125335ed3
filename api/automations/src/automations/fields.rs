//! Fields of a new or changed automation, checked (reference/automations.md#automations).

use api_core::{Result, validate};

use super::{AutomationChanges, CreateAutomationInput};
use crate::stored::Row;

/// Length of a name, in characters (reference/automations.md#automations).
pub(super) const MAX_NAME_LENGTH: usize = 100;
/// Length of a description, in characters (reference/automations.md#automations).
pub(super) const MAX_DESCRIPTION_LENGTH: usize = 500;
/// End of the name of a copy.
const COPY: &str = " (copy)";

/// Fields of a new automation.
#[derive(Debug)]
pub(super) struct Fields {
    pub name: String,
    pub description: Option<String>,
}

/// Changes of an automation. Absent fields stay; an inner `None` is null.
#[derive(Debug)]
pub(super) struct Changes {
    pub name: Option<String>,
    pub description: Option<Option<String>>,
    pub enabled: Option<bool>,
}

impl Fields {
    /// Checks every field.
    ///
    /// # Errors
    /// 400 that names the field.
    pub fn new(input: CreateAutomationInput) -> Result<Self> {
        let given = input.description.as_deref().map(description).transpose()?;
        Ok(Self { name: name(&input.name)?, description: given.flatten() })
    }

    /// Fields of the copy of an automation.
    pub fn of_copy(source: Row) -> Self {
        let kept: String = source.name.chars().take(MAX_NAME_LENGTH - COPY.len()).collect();
        Self { name: format!("{}{COPY}", kept.trim_end()), description: source.description }
    }
}

impl Changes {
    /// Checks every field.
    ///
    /// # Errors
    /// 400 that names the field.
    pub fn new(changes: AutomationChanges) -> Result<Self> {
        let given = changes.description.into_change();
        Ok(Self {
            name: changes.name.not_null("name")?.as_deref().map(name).transpose()?,
            description: match given {
                None => None,
                Some(None) => Some(None),
                Some(Some(text)) => Some(description(&text)?),
            },
            enabled: changes.enabled.not_null("enabled")?,
        })
    }

    /// Names of the given fields, for the audit trail.
    pub fn names(&self) -> Vec<&'static str> {
        let given = [
            ("name", self.name.is_some()),
            ("description", self.description.is_some()),
            ("enabled", self.enabled.is_some()),
        ];
        given.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect()
    }
}

fn name(text: &str) -> Result<String> {
    validate::text("name", text, 1, MAX_NAME_LENGTH)
}

/// An empty description is none.
fn description(text: &str) -> Result<Option<String>> {
    let checked = validate::long_text("description", text, 0, MAX_DESCRIPTION_LENGTH)?;
    Ok(Some(checked).filter(|text| !text.is_empty()))
}
