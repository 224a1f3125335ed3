//! Inputs of requests and their checks.

use api_core::{ApiError, Result, graphql::Int64, validate};
use extension_model::limits::LimitKey;
use juniper::GraphQLInputObject;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::{LimitRequestScope, LimitRequestStatus};

/// Minimum length of a reason, in characters (reference/developer-limits.md#requests).
pub(super) const MIN_REASON_LENGTH: usize = 20;
/// Maximum length of a reason, in characters (reference/developer-limits.md#requests).
pub(super) const MAX_REASON_LENGTH: usize = 2000;

/// Filter and page of requests.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LimitRequestQuery {
    /// Status; every status when absent.
    pub status: Option<LimitRequestStatus>,
    /// Page number, from 1; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// Entries a page, 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
}

/// New request.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({
    "scope": "extension", "extension_id": "01890a5d-ac96-774b-bcce-b302099a8057", "limit_key": "max_secrets",
    "requested_value": 40, "reason": "The extension talks to thirty services, each with a key."
}))]
pub struct CreateLimitRequestInput {
    /// Subject.
    pub scope: LimitRequestScope,
    /// Extension; required for the scope `extension`, else absent.
    pub extension_id: Option<Uuid>,
    /// Key of the limit.
    #[schema(extensions(("enum" = json!(LimitKey::ALL.map(LimitKey::as_str)))))]
    pub limit_key: String,
    /// Requested value, above the current one and at most the highest of the key.
    #[schema(value_type = i64, extensions(("minimum" = json!(1)), ("maximum" = json!(i64::MAX))))]
    pub requested_value: Int64,
    /// 20 to 2,000 characters.
    #[schema(extensions(("minLength" = json!(MIN_REASON_LENGTH)), ("maxLength" = json!(MAX_REASON_LENGTH))))]
    pub reason: String,
}

/// Checked request.
pub(super) struct CheckedRequest {
    /// Subject.
    pub scope: LimitRequestScope,
    /// Extension of the scope `extension`.
    pub extension_id: Option<Uuid>,
    /// Limit.
    pub key: LimitKey,
    /// Requested value.
    pub requested_value: i64,
    /// Reason.
    pub reason: String,
}

impl CreateLimitRequestInput {
    /// Checks the fields by themselves.
    ///
    /// # Errors
    /// 400 that names the field.
    pub(super) fn check(self) -> Result<CheckedRequest> {
        let key: LimitKey = self
            .limit_key
            .parse()
            .map_err(|()| ApiError::invalid("Invalid limit_key: it must be a key of the list of limits"))?;
        let is_of_extension = self.scope == LimitRequestScope::Extension;
        if is_of_extension && self.extension_id.is_none() {
            return Err(ApiError::invalid("Missing field: extension_id"));
        }
        if !is_of_extension && self.extension_id.is_some() {
            return Err(ApiError::invalid("extension_id must be absent for the scope developer"));
        }
        let definition = key.definition();
        if is_of_extension && !definition.is_of_extensions {
            return Err(ApiError::invalid(format!("limit_key must be a limit of extensions, not {key}")));
        }
        let (value, max) = (self.requested_value.0, definition.max);
        if !(LimitKey::MIN..=max).contains(&value) {
            return Err(ApiError::invalid(format!("requested_value must be between 1 and {max}")));
        }
        let reason = validate::long_text("reason", &self.reason, MIN_REASON_LENGTH, MAX_REASON_LENGTH)?;
        Ok(CheckedRequest {
            scope: self.scope,
            extension_id: self.extension_id,
            key,
            requested_value: value,
            reason,
        })
    }
}
