//! Input of an application and its checks.

use api_core::{ApiError, Result, validate};
use developer_access::slugs;
use juniper::GraphQLInputObject;
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::DeveloperApplicationType;
use crate::fields::{self, MAX_DESCRIPTION_LENGTH, MAX_DISPLAY_NAME_LENGTH, MAX_URL_LENGTH, of_field};

/// Length of each answer of an application, in characters (reference/programme.md#applications).
const MAX_ANSWER_LENGTH: usize = 5000;

/// Application to become a developer.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({
    "application_type": "solo", "display_name": "Pixel Works", "slug": "pixel-works",
    "description": "Small overlays.", "motivation": "Streamers ask us for them.",
    "what_to_build": "A goal bar and a countdown."
}))]
pub struct SubmitDeveloperApplicationInput {
    /// `solo` or `team`.
    #[schema(extensions(("enum" = json!(["solo", "team"]))))]
    pub application_type: String,
    /// Name of the developer or team: 1 to 60 characters.
    #[schema(extensions(("maxLength" = json!(MAX_DISPLAY_NAME_LENGTH))))]
    pub display_name: String,
    /// 3 to 50 lowercase letters, digits and hyphens, beginning with a letter.
    #[schema(extensions(("minLength" = json!(slugs::MIN_LENGTH)), ("maxLength" = json!(slugs::MAX_LENGTH))))]
    pub slug: String,
    /// Description of the developer or team: 1 to 2,000 characters.
    #[schema(extensions(("maxLength" = json!(MAX_DESCRIPTION_LENGTH))))]
    pub description: String,
    /// Reason of the application: 1 to 5,000 characters.
    #[schema(extensions(("maxLength" = json!(MAX_ANSWER_LENGTH))))]
    pub motivation: String,
    /// Extensions that are planned: 1 to 5,000 characters.
    #[schema(extensions(("maxLength" = json!(MAX_ANSWER_LENGTH))))]
    pub what_to_build: String,
    /// An https address; at most 500 characters.
    #[schema(extensions(("maxLength" = json!(MAX_URL_LENGTH))))]
    pub github_url: Option<String>,
    /// An https address; at most 500 characters.
    #[schema(extensions(("maxLength" = json!(MAX_URL_LENGTH))))]
    pub website_url: Option<String>,
    /// At most 5,000 characters.
    #[schema(extensions(("maxLength" = json!(MAX_ANSWER_LENGTH))))]
    pub experience: Option<String>,
    /// Id of an image among the uploads of the account.
    pub avatar_key: Option<Uuid>,
}

/// Checked application.
pub(super) struct CheckedApplication {
    /// Kind.
    pub application_type: DeveloperApplicationType,
    /// Name.
    pub display_name: String,
    /// Slug.
    pub slug: String,
    /// Description.
    pub description: String,
    /// Reason.
    pub motivation: String,
    /// Plans.
    pub what_to_build: String,
    /// Address at GitHub.
    pub github_url: Option<String>,
    /// Address of the website.
    pub website_url: Option<String>,
    /// Experience.
    pub experience: Option<String>,
    /// Upload with the picture.
    pub avatar_key: Option<Uuid>,
}

impl SubmitDeveloperApplicationInput {
    /// Checks the fields by themselves.
    ///
    /// # Errors
    /// 400 that names the field.
    pub(super) fn check(self) -> Result<CheckedApplication> {
        let application_type = DeveloperApplicationType::parse(&self.application_type)
            .ok_or_else(|| ApiError::invalid("application_type must be 'solo' or 'team'"))?;
        let answer = |field: &str, text: &str| validate::long_text(field, text, 1, MAX_ANSWER_LENGTH);
        let display_name = validate::text("display_name", &self.display_name, 1, MAX_DISPLAY_NAME_LENGTH)?;
        slugs::check(&self.slug).map_err(|error| of_field("slug", error))?;
        Ok(CheckedApplication {
            application_type,
            display_name,
            slug: self.slug,
            description: validate::long_text("description", &self.description, 1, MAX_DESCRIPTION_LENGTH)?,
            motivation: answer("motivation", &self.motivation)?,
            what_to_build: answer("what_to_build", &self.what_to_build)?,
            github_url: fields::optional_https("github_url", self.github_url.as_deref())?,
            website_url: fields::optional_https("website_url", self.website_url.as_deref())?,
            experience: fields::optional_text("experience", self.experience.as_deref(), MAX_ANSWER_LENGTH)?,
            avatar_key: self.avatar_key,
        })
    }
}
