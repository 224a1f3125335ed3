//! Checks of fields that several operations on teams share (reference/teams.md#team).

use api_core::{ApiError, Cx, Result, access::TeamScopes, validate};
use foundation::audit::{Entry, Scope};
use juniper::GraphQLObject;
use serde::Serialize;
use shared::catalogue::{Permission, TeamPermission};
use url::Url;
use utoipa::ToSchema;
use uuid::Uuid;

/// Maximum length of the name of a team in characters (reference/teams.md#team).
pub(crate) const MAX_TEAM_NAME_LENGTH: usize = 60;
/// Maximum length of the name of a role in characters (reference/teams.md#roles).
pub(crate) const MAX_ROLE_NAME_LENGTH: usize = 50;
/// Maximum length of the description of a team in characters (reference/teams.md#team).
pub(crate) const MAX_TEAM_DESCRIPTION_LENGTH: usize = 2000;
/// Maximum length of the description of a role in characters (reference/teams.md#roles).
pub(crate) const MAX_ROLE_DESCRIPTION_LENGTH: usize = 500;
/// Maximum length of an address in characters (reference/teams.md#team).
pub(crate) const MAX_URL_LENGTH: usize = 2000;

/// A role by which a team names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct TeamRoleName {
    /// Id.
    pub id: Uuid,
    /// Slug.
    pub slug: String,
    /// Name.
    pub name: String,
}

/// Checks a description. An empty one becomes `None`.
pub(crate) fn description(given: Option<&str>, max: usize) -> Result<Option<String>> {
    let checked = given.map(|text| validate::long_text("description", text, 0, max)).transpose()?;
    Ok(checked.filter(|text| !text.is_empty()))
}

/// Checks an https address. An empty one becomes `None`.
pub(crate) fn https(field: &str, given: Option<&str>) -> Result<Option<String>> {
    let Some(text) = given.filter(|text| !text.trim().is_empty()) else { return Ok(None) };
    let text = validate::text(field, text, 1, MAX_URL_LENGTH)?;
    match Url::parse(&text) {
        Ok(url) if url.scheme() == "https" && url.host_str().is_some() => Ok(Some(text)),
        _ => Err(ApiError::invalid(format!("{field} must be an https address"))),
    }
}

/// Checks permissions of a role; wildcards are refused.
///
/// # Errors
/// 400 `Invalid permission: …`.
pub(crate) fn permissions(given: &[String]) -> Result<TeamScopes> {
    let parse = |text: &String| {
        TeamPermission::parse(text).ok_or_else(|| ApiError::invalid(format!("Invalid permission: {text}")))
    };
    given.iter().map(parse).collect()
}

/// 404 of a role.
pub(crate) fn role_not_found() -> ApiError {
    ApiError::not_found("Role not found")
}

/// Entry of the audit trail of the caller: a team belongs to no account.
pub(crate) fn audit<'a>(cx: &Cx, action: &'a str, resource_type: &'a str, id: Uuid) -> Entry<'a> {
    Entry { scope: Scope::User, ..cx.audit(action, resource_type, id) }
}
