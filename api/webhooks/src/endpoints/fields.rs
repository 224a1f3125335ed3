//! Fields of a new or changed endpoint, checked (reference/webhooks.md#endpoints).

use std::collections::HashSet;

use api_core::{ApiError, Cx, Result, validate};
use webhook_model::{
    event_types::{MAX_EVENT_TYPES, MAX_LENGTH, is_choice},
    target::{MAX_URL_LENGTH, TargetRule},
};

use super::{CreateWebhookEndpointInput, WebhookEndpointChanges, db};

/// Length of a description, in characters (reference/webhooks.md#endpoints).
pub(super) const MAX_DESCRIPTION_LENGTH: usize = 200;

/// Fields of a new endpoint.
#[derive(Debug)]
pub(super) struct Fields {
    pub url: String,
    pub description: Option<String>,
    pub event_types: Vec<String>,
    pub is_enabled: bool,
}

/// Changes of an endpoint. Absent fields stay; an inner `None` is null.
#[derive(Debug)]
pub(super) struct Changes {
    pub url: Option<String>,
    pub description: Option<Option<String>>,
    pub event_types: Option<Vec<String>>,
    pub is_enabled: Option<bool>,
}

impl Fields {
    /// Checks every field.
    ///
    /// # Errors
    /// 400 that names the field.
    pub fn new(cx: &Cx, input: CreateWebhookEndpointInput) -> Result<Self> {
        let given = input.description.as_deref().map(description).transpose()?;
        Ok(Self {
            url: url(cx, &input.url)?,
            description: given.flatten(),
            event_types: event_types(input.event_types)?,
            is_enabled: input.is_enabled.unwrap_or(true),
        })
    }
}

impl Changes {
    /// Checks every field.
    ///
    /// # Errors
    /// 400 that names the field.
    pub fn new(cx: &Cx, changes: WebhookEndpointChanges) -> Result<Self> {
        Ok(Self {
            url: changes.url.not_null("url")?.map(|text| url(cx, &text)).transpose()?,
            description: match changes.description.into_change() {
                None => None,
                Some(None) => Some(None),
                Some(Some(text)) => Some(description(&text)?),
            },
            event_types: changes.event_types.not_null("event_types")?.map(event_types).transpose()?,
            is_enabled: changes.is_enabled.not_null("is_enabled")?,
        })
    }

    /// Names of the given fields, for the audit trail.
    pub fn names(&self) -> Vec<&'static str> {
        let given = [
            ("url", self.url.is_some()),
            ("description", self.description.is_some()),
            ("event_types", self.event_types.is_some()),
            ("is_enabled", self.is_enabled.is_some()),
        ];
        given.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect()
    }

    /// True when the endpoint may get events after the change that its receiver did not get before.
    pub fn sends_more(&self) -> bool {
        self.url.is_some() || self.event_types.is_some() || self.is_enabled == Some(true)
    }

    /// New values of columns. A caller who enables or disables an endpoint ends the reason of the service.
    pub fn columns(&self) -> db::Changes<'_> {
        db::Changes {
            url: self.url.as_deref(),
            description: self.description.as_ref().map(Option::as_deref),
            event_types: self.event_types.as_deref(),
            is_enabled: self.is_enabled,
            disabled_reason: self.is_enabled.map(|_| None),
        }
    }
}

fn url(cx: &Cx, given: &str) -> Result<String> {
    let text = validate::text("url", given, 1, MAX_URL_LENGTH)?;
    let checked = TargetRule::new(&cx.state().config).check(&text);
    let target = checked.map_err(|refused| ApiError::invalid(format!("url {refused}")))?;
    // Its normal form may be longer.
    validate::text("url", target.url.as_str(), 1, MAX_URL_LENGTH)
}

/// An empty description is none.
fn description(text: &str) -> Result<Option<String>> {
    let checked = validate::text("description", text, 0, MAX_DESCRIPTION_LENGTH)?;
    Ok(Some(checked).filter(|text| !text.is_empty()))
}

/// Checks types; each is kept once.
fn event_types(given: Vec<String>) -> Result<Vec<String>> {
    if given.is_empty() || given.len() > MAX_EVENT_TYPES {
        let message = format!("event_types must name between 1 and {MAX_EVENT_TYPES} types");
        return Err(ApiError::invalid(message));
    }
    if let Some(unknown) = given.iter().find(|entry| !is_choice(entry)) {
        let begin: String = unknown.chars().take(MAX_LENGTH).collect();
        return Err(ApiError::invalid(format!("Invalid event_types: unknown type {begin}")));
    }
    let mut seen = HashSet::new();
    Ok(given.into_iter().filter(|entry| seen.insert(entry.clone())).collect())
}
