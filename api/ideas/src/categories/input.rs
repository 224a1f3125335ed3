//! Fields of a new or changed category, checked (reference/ideas.md#categories).

use api_core::{ApiError, Patch, Result, validate};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use juniper::GraphQLInputObject;
use serde::Deserialize;
use shared::{id, schema::idea_categories};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::names::{self, MAX_NAME_LENGTH};

/// Length of a label, in characters (reference/ideas.md#categories).
const MAX_LABEL_LENGTH: usize = 60;
/// Length of a color: `#` and six digits.
const COLOR_LENGTH: usize = 7;
/// Last place in the list (reference/ideas.md#categories).
const MAX_SORT_ORDER: i32 = 10_000;

/// New category.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "name": "chat", "label": "Chat", "color": "#1a2b3c", "sort_order": 1 }))]
pub struct CreateIdeaCategoryInput {
    /// Slug: 2 to 30 letters, digits and hyphens, stored in lower case. No other category has it.
    #[schema(extensions(("maxLength" = json!(MAX_NAME_LENGTH))))]
    pub name: String,
    /// Displayed name: 1 to 60 characters.
    #[schema(extensions(("maxLength" = json!(MAX_LABEL_LENGTH))))]
    pub label: String,
    /// `#` and six hexadecimal digits.
    #[schema(extensions(("maxLength" = json!(COLOR_LENGTH))))]
    pub color: String,
    /// Place in the list, 0 to 10,000; 0 when absent.
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(MAX_SORT_ORDER))))]
    pub sort_order: Option<i32>,
}

/// Changes of a category. Absent fields stay.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "label": "Chat and bots" }))]
pub struct UpdateIdeaCategoryInput {
    /// Slug: 2 to 30 letters, digits and hyphens, stored in lower case. No other category has it.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_NAME_LENGTH))))]
    pub name: Patch<String>,
    /// Displayed name: 1 to 60 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_LABEL_LENGTH))))]
    pub label: Patch<String>,
    /// `#` and six hexadecimal digits.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(COLOR_LENGTH))))]
    pub color: Patch<String>,
    /// Place in the list, 0 to 10,000.
    #[serde(default)]
    #[schema(value_type = Option<i32>, extensions(("minimum" = json!(0)), ("maximum" = json!(MAX_SORT_ORDER))))]
    pub sort_order: Patch<i32>,
}

/// Checked new category.
#[derive(Debug, Insertable)]
#[diesel(table_name = idea_categories)]
pub(super) struct NewCategory {
    pub id: Uuid,
    pub name: String,
    label: String,
    color: String,
    sort_order: i32,
    created_at: DateTime<Utc>,
}

/// Checked changes.
#[derive(Debug, AsChangeset)]
#[diesel(table_name = idea_categories)]
pub(super) struct Changes {
    pub name: Option<String>,
    label: Option<String>,
    color: Option<String>,
    sort_order: Option<i32>,
}

impl CreateIdeaCategoryInput {
    /// Checks every field.
    ///
    /// # Errors
    /// 400 that names the field.
    pub(super) fn check(self, now: DateTime<Utc>) -> Result<NewCategory> {
        Ok(NewCategory {
            id: id::new(),
            name: names::checked(&self.name)?,
            label: label(&self.label)?,
            color: color(&self.color)?,
            sort_order: sort_order(self.sort_order.unwrap_or(0))?,
            created_at: now,
        })
    }
}

impl UpdateIdeaCategoryInput {
    /// Checks every field.
    ///
    /// # Errors
    /// 400 that names the field.
    pub(super) fn check(self) -> Result<Changes> {
        Ok(Changes {
            name: self.name.not_null("name")?.as_deref().map(names::checked).transpose()?,
            label: self.label.not_null("label")?.as_deref().map(label).transpose()?,
            color: self.color.not_null("color")?.as_deref().map(color).transpose()?,
            sort_order: self.sort_order.not_null("sort_order")?.map(sort_order).transpose()?,
        })
    }
}

impl Changes {
    /// True when nothing is given.
    pub const fn is_empty(&self) -> bool {
        self.name.is_none() && self.label.is_none() && self.color.is_none() && self.sort_order.is_none()
    }
}

fn label(text: &str) -> Result<String> {
    validate::text("label", text, 1, MAX_LABEL_LENGTH)
}

fn color(text: &str) -> Result<String> {
    let text = text.trim();
    let digits = text.strip_prefix('#').unwrap_or_default();
    if digits.len() + 1 == COLOR_LENGTH && digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Ok(text.to_ascii_lowercase());
    }
    Err(ApiError::invalid("color must be six hexadecimal digits after a #, for example #1a2b3c"))
}

fn sort_order(given: i32) -> Result<i32> {
    if (0..=MAX_SORT_ORDER).contains(&given) {
        return Ok(given);
    }
    Err(ApiError::invalid(format!("sort_order must be between 0 and {MAX_SORT_ORDER}")))
}
