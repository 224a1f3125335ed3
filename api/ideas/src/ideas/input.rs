//! Fields of a new or changed idea, checked (reference/ideas.md#ideas).

use std::collections::BTreeSet;

use api_core::{ApiError, Patch, Result, validate};
use juniper::GraphQLInputObject;
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::html::Html;

/// Length of the shortest title, in characters (reference/ideas.md#ideas).
const MIN_TITLE_LENGTH: usize = 5;
/// Length of the longest title, in characters (reference/ideas.md#ideas).
const MAX_TITLE_LENGTH: usize = 120;
/// Length of the shortest description, in characters of its HTML (reference/ideas.md#ideas).
const MIN_DESCRIPTION_LENGTH: usize = 10;
/// Length of the longest description, in characters of its HTML (reference/ideas.md#ideas).
const MAX_DESCRIPTION_LENGTH: usize = 10_000;
/// Number of tags of an idea (reference/ideas.md#ideas).
const MAX_TAGS: usize = 5;

/// New idea.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({
    "title": "Dark colors for the chat box", "description": "<p>A <strong>dark</strong> variant of the widget.</p>",
    "category_id": "0197a3c4-0000-7000-8000-000000000001", "tag_ids": [],
}))]
pub struct CreateIdeaInput {
    /// 5 to 120 characters.
    #[schema(extensions(("minLength" = json!(MIN_TITLE_LENGTH)), ("maxLength" = json!(MAX_TITLE_LENGTH))))]
    pub title: String,
    /// HTML of 10 to 10,000 characters, as given and as sanitised; at most 20 users are mentioned.
    #[schema(extensions(
        ("minLength" = json!(MIN_DESCRIPTION_LENGTH)), ("maxLength" = json!(MAX_DESCRIPTION_LENGTH))
    ))]
    pub description: String,
    /// Category.
    pub category_id: Uuid,
    /// At most 5 tags; none when absent.
    pub tag_ids: Option<Vec<Uuid>>,
}

/// Changes of an idea. Absent fields stay.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "title": "Dark colors for every widget" }))]
pub struct UpdateIdeaInput {
    /// 5 to 120 characters.
    #[serde(default)]
    #[schema(
        value_type = Option<String>,
        extensions(("minLength" = json!(MIN_TITLE_LENGTH)), ("maxLength" = json!(MAX_TITLE_LENGTH)))
    )]
    pub title: Patch<String>,
    /// HTML of 10 to 10,000 characters, as given and as sanitised; at most 20 users are mentioned.
    #[serde(default)]
    #[schema(
        value_type = Option<String>,
        extensions(("minLength" = json!(MIN_DESCRIPTION_LENGTH)), ("maxLength" = json!(MAX_DESCRIPTION_LENGTH)))
    )]
    pub description: Patch<String>,
    /// Category.
    #[serde(default)]
    #[schema(value_type = Option<Uuid>)]
    pub category_id: Patch<Uuid>,
    /// At most 5 tags in place of the present ones.
    #[serde(default)]
    #[schema(value_type = Option<Vec<Uuid>>)]
    pub tag_ids: Patch<Vec<Uuid>>,
}

/// Checked new idea.
#[derive(Debug)]
pub(super) struct NewIdea {
    pub title: String,
    pub description: Html,
    pub category: Uuid,
    pub tags: Vec<Uuid>,
}

/// Checked changes. Absent fields stay.
#[derive(Debug)]
pub(super) struct Changes {
    pub title: Option<String>,
    pub description: Option<Html>,
    pub category: Option<Uuid>,
    pub tags: Option<Vec<Uuid>>,
}

impl CreateIdeaInput {
    /// Checks every field.
    ///
    /// # Errors
    /// 400 that names the field.
    pub(super) fn check(self) -> Result<NewIdea> {
        Ok(NewIdea {
            title: title(&self.title)?,
            description: description(&self.description)?,
            category: self.category_id,
            tags: tags(self.tag_ids.unwrap_or_default())?,
        })
    }
}

impl UpdateIdeaInput {
    /// Checks every field.
    ///
    /// # Errors
    /// 400 that names the field.
    pub(super) fn check(self) -> Result<Changes> {
        Ok(Changes {
            title: self.title.not_null("title")?.as_deref().map(title).transpose()?,
            description: self.description.not_null("description")?.as_deref().map(description).transpose()?,
            category: self.category_id.not_null("category_id")?,
            tags: self.tag_ids.not_null("tag_ids")?.map(tags).transpose()?,
        })
    }
}

fn title(text: &str) -> Result<String> {
    validate::text("title", text, MIN_TITLE_LENGTH, MAX_TITLE_LENGTH)
}

fn description(text: &str) -> Result<Html> {
    Html::sanitized("description", text, MIN_DESCRIPTION_LENGTH, MAX_DESCRIPTION_LENGTH)
}

/// Each tag once.
fn tags(given: Vec<Uuid>) -> Result<Vec<Uuid>> {
    let tags: BTreeSet<Uuid> = given.into_iter().collect();
    if tags.len() > MAX_TAGS {
        return Err(ApiError::invalid(format!("tag_ids must name at most {MAX_TAGS} tags")));
    }
    Ok(tags.into_iter().collect())
}
