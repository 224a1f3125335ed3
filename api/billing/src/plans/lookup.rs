//! Look-up of a plan that another resource belongs to.

use api_core::{ApiError, Result};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::schema::plans;
use uuid::Uuid;

/// Slug of a plan. The plan cannot be deleted until the transaction ends.
///
/// # Errors
/// 404 for an unknown plan.
pub(crate) async fn slug(connection: &mut AsyncPgConnection, plan: Uuid) -> Result<String> {
    let slug =
        plans::table.find(plan).select(plans::slug).for_key_share().first(connection).await.optional()?;
    slug.ok_or_else(not_found)
}

/// Error for an unknown plan.
pub(crate) fn not_found() -> ApiError {
    ApiError::not_found("Plan not found")
}
