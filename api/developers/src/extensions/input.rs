//! Inputs for a developer's extensions on the main API.

use api_core::{ApiError, Patch, Result, graphql::Int64, validate};
use juniper::GraphQLInputObject;
use serde::Deserialize;
use url::Url;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::developer_api::{
    PricingBody,
    extensions::{CreateExtensionBody, UpdateExtensionBody, chosen_slug, db::Changes, listing, rules, slug},
};

const MAX_SCREENSHOTS: usize = 10;
const MAX_TAGS: usize = 5;
const MAX_TAG_LENGTH: usize = 30;
const MAX_PATH_LENGTH: usize = 255;
const MAX_URL_LENGTH: usize = 2000;
const ARCHIVED: &str = "archived";

/// Price of an extension.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct ExtensionPricingInput {
    /// `free`; `one_time` and `subscription` need a verified developer.
    #[serde(rename = "type")]
    #[graphql(name = "type")]
    #[schema(extensions(("enum" = json!(listing::PRICING_TYPES))))]
    pub pricing_type: String,
    /// Cents of EUR: 100 to 9999 once, 99 to 9999 a month.
    #[schema(
        value_type = Option<i64>,
        extensions(("minimum" = json!(listing::MIN_PRICE)), ("maximum" = json!(listing::MAX_PRICE)))
    )]
    pub amount: Option<Int64>,
    /// `monthly` for a subscription.
    #[schema(extensions(("enum" = json!(listing::INTERVALS))))]
    pub interval: Option<String>,
}

/// An extension to create.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "name": "Greeter", "short_description": "Greets people." }))]
pub struct CreateExtensionInput {
    /// 1 to 255 characters.
    #[schema(extensions(("maxLength" = json!(rules::MAX_NAME_LENGTH))))]
    pub name: String,
    /// At most 255 characters.
    #[schema(extensions(("maxLength" = json!(rules::MAX_SHORT_DESCRIPTION_LENGTH))))]
    pub short_description: Option<String>,
    /// At most 10,000 characters.
    #[schema(extensions(("maxLength" = json!(rules::MAX_DESCRIPTION_LENGTH))))]
    pub description: Option<String>,
    /// Price; free when absent.
    pub pricing: Option<ExtensionPricingInput>,
    /// Team that owns the extension; the caller when absent.
    pub team_id: Option<Uuid>,
}

/// Changes of an extension; absent fields stay.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "short_description": "Greets everybody." }))]
pub struct UpdateExtensionInput {
    /// 1 to 255 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(rules::MAX_NAME_LENGTH))))]
    pub name: Patch<String>,
    /// Lower-case letters, digits, hyphens; changes once, before the first public listing.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(slug::MAX_LENGTH))))]
    pub slug: Patch<String>,
    /// At most 255 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(rules::MAX_SHORT_DESCRIPTION_LENGTH))))]
    pub short_description: Patch<String>,
    /// At most 10,000 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(rules::MAX_DESCRIPTION_LENGTH))))]
    pub description: Patch<String>,
    /// Price.
    #[serde(default)]
    #[schema(value_type = Option<ExtensionPricingInput>)]
    pub pricing: Patch<ExtensionPricingInput>,
    /// Path of an image in the bundle, below `assets/`; null for none.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_PATH_LENGTH))))]
    pub icon_key: Patch<String>,
    /// Paths of at most 10 images in the bundle, below `assets/`.
    #[serde(default)]
    #[schema(
        value_type = Option<Vec<String>>,
        extensions(("maxItems" = json!(MAX_SCREENSHOTS)), ("maxLength" = json!(MAX_PATH_LENGTH)))
    )]
    pub screenshots: Patch<Vec<String>>,
    /// At most 5 of 1 to 30 characters.
    #[serde(default)]
    #[schema(
        value_type = Option<Vec<String>>,
        extensions(("maxItems" = json!(MAX_TAGS)), ("maxLength" = json!(MAX_TAG_LENGTH)))
    )]
    pub tags: Patch<Vec<String>>,
    /// An https address; null for none.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_URL_LENGTH))))]
    pub support_url: Patch<String>,
    /// `archived` retires an approved extension: it is not offered any more, and its installs keep running.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("enum" = json!([ARCHIVED]))))]
    pub status: Patch<String>,
}

/// Visibility of an extension.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "visibility": "unlisted" }))]
pub struct SetExtensionVisibilityInput {
    /// `private`, `unlisted`, `public` or `paid`.
    #[schema(extensions(("enum" = json!(listing::VISIBILITIES))))]
    pub visibility: String,
}

/// New owner of an extension.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "team_id": "0196b1a0-7c00-7000-8000-000000000001" }))]
pub struct TransferExtensionInput {
    /// Team that takes the extension over; null gives it to the caller. It cannot be absent.
    #[serde(default)]
    #[schema(value_type = Option<Uuid>)]
    pub team_id: Patch<Uuid>,
}

impl From<ExtensionPricingInput> for PricingBody {
    fn from(input: ExtensionPricingInput) -> Self {
        let amount = input.amount.map(|amount| amount.0);
        Self { pricing_type: input.pricing_type, amount, interval: input.interval }
    }
}

impl From<CreateExtensionInput> for CreateExtensionBody {
    fn from(input: CreateExtensionInput) -> Self {
        Self {
            name: input.name,
            short_description: input.short_description.unwrap_or_default(),
            description: input.description.unwrap_or_default(),
            pricing: input.pricing.map(PricingBody::from),
        }
    }
}

impl UpdateExtensionInput {
    /// Part that the developer API accepts too, and the part for the store's page.
    pub(super) fn parts(self) -> (UpdateExtensionBody, Page) {
        let body = UpdateExtensionBody {
            name: self.name,
            short_description: self.short_description,
            description: self.description,
            pricing: self.pricing.map(PricingBody::from),
            visibility: Patch::Absent,
        };
        let page = Page {
            slug: self.slug,
            icon_key: self.icon_key,
            screenshots: self.screenshots,
            tags: self.tags,
            support_url: self.support_url,
            status: self.status,
        };
        (body, page)
    }
}

/// Further fields of the store's page.
pub(super) struct Page {
    slug: Patch<String>,
    icon_key: Patch<String>,
    screenshots: Patch<Vec<String>>,
    tags: Patch<Vec<String>>,
    support_url: Patch<String>,
    status: Patch<String>,
}

impl Page {
    /// Adds its checked changes.
    ///
    /// # Errors
    /// 400 for an invalid field.
    pub(super) fn add_to(self, changes: &mut Changes) -> Result<()> {
        changes.slug = self.slug.not_null("slug")?.map(|slug| chosen_slug(&slug)).transpose()?;
        changes.icon_key = nullable(self.icon_key, |path| image("icon_key", &path))?;
        changes.support_url = nullable(self.support_url, |url| https("support_url", &url))?;
        let screenshots = self.screenshots.not_null("screenshots")?;
        changes.screenshots = screenshots.map(images).transpose()?;
        changes.tags = self.tags.not_null("tags")?.map(tags).transpose()?;
        changes.status = match self.status.not_null("status")?.as_deref() {
            None => None,
            Some(ARCHIVED) => Some(ARCHIVED),
            Some(_) => return Err(ApiError::invalid(format!("status can be set to {ARCHIVED} only"))),
        };
        Ok(())
    }
}

/// Absent, null or a checked value.
fn nullable(
    patch: Patch<String>,
    check: impl Fn(String) -> Result<String>,
) -> Result<Option<Option<String>>> {
    Ok(match patch {
        Patch::Absent => None,
        Patch::Null => Some(None),
        Patch::Value(value) => Some(Some(check(value)?)),
    })
}

fn images(paths: Vec<String>) -> Result<Vec<String>> {
    if paths.len() > MAX_SCREENSHOTS {
        return Err(ApiError::invalid(format!("screenshots must have at most {MAX_SCREENSHOTS} entries")));
    }
    paths.iter().map(|path| image("screenshots", path)).collect()
}

fn image(field: &str, path: &str) -> Result<String> {
    let path = validate::text(field, path, 1, MAX_PATH_LENGTH)?;
    let is_plain = path.split('/').all(|part| !matches!(part, "" | "." | "..")) && !path.contains('\\');
    if path.starts_with("assets/") && is_plain {
        return Ok(path);
    }
    Err(ApiError::invalid(format!("{field} must be the path of a file below assets/")))
}

fn tags(tags: Vec<String>) -> Result<Vec<String>> {
    if tags.len() > MAX_TAGS {
        return Err(ApiError::invalid(format!("tags must have at most {MAX_TAGS} entries")));
    }
    let mut checked: Vec<String> = Vec::with_capacity(tags.len());
    for tag in tags {
        let tag = validate::text("tags", &tag, 1, MAX_TAG_LENGTH)?.to_lowercase();
        if checked.contains(&tag) {
            return Err(ApiError::invalid("tags must not repeat an entry"));
        }
        checked.push(tag);
    }
    Ok(checked)
}

fn https(field: &str, text: &str) -> Result<String> {
    let text = validate::text(field, text, 1, MAX_URL_LENGTH)?;
    match Url::parse(&text) {
        Ok(url) if url.scheme() == "https" && url.host_str().is_some() => Ok(text),
        _ => Err(ApiError::invalid(format!("{field} must be an https address"))),
    }
}
