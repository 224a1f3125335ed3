//! Input of the changes of a team.

use api_core::{Patch, Result, validate};
use chrono::{DateTime, Utc};
use diesel::AsChangeset;
use juniper::GraphQLInputObject;
use serde::Deserialize;
use shared::schema::developer_teams;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::fields;

/// Changes of a team; absent fields stay.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "name": "Day Shift" }))]
pub struct UpdateDeveloperTeamInput {
    /// 1 to 60 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(fields::MAX_TEAM_NAME_LENGTH))))]
    pub name: Patch<String>,
    /// At most 2,000 characters; null clears.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(fields::MAX_TEAM_DESCRIPTION_LENGTH))))]
    pub description: Patch<String>,
    /// An https address; null clears.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(fields::MAX_URL_LENGTH))))]
    pub github_url: Patch<String>,
    /// An https address; null clears.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(fields::MAX_URL_LENGTH))))]
    pub website_url: Patch<String>,
    /// Upload of an image in the caller's account; null clears.
    #[serde(default)]
    #[schema(value_type = Option<Uuid>)]
    pub avatar_key: Patch<Uuid>,
}

/// Checked changes.
#[derive(Debug, AsChangeset)]
#[diesel(table_name = developer_teams)]
pub(super) struct Changes {
    name: Option<String>,
    description: Option<Option<String>>,
    github_url: Option<Option<String>>,
    website_url: Option<Option<String>>,
    avatar_key: Option<Option<String>>,
    updated_at: DateTime<Utc>,
}

impl Changes {
    pub(super) fn checked(input: UpdateDeveloperTeamInput, now: DateTime<Utc>) -> Result<Self> {
        let name = input.name.not_null("name")?;
        let https = |patch: Patch<String>, field: &str| {
            patch.into_change().map(|given| fields::https(field, given.as_deref())).transpose()
        };
        let description = input.description.into_change();
        let description = description
            .map(|given| fields::description(given.as_deref(), fields::MAX_TEAM_DESCRIPTION_LENGTH));
        Ok(Self {
            name: name
                .map(|name| validate::text("name", &name, 1, fields::MAX_TEAM_NAME_LENGTH))
                .transpose()?,
            description: description.transpose()?,
            github_url: https(input.github_url, "github_url")?,
            website_url: https(input.website_url, "website_url")?,
            avatar_key: input.avatar_key.map(|key| key.to_string()).into_change(),
            updated_at: now,
        })
    }
}
