//! Queries over public plans.

use api_core::Result;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::schema::plans;
use uuid::Uuid;

/// True when a public plan is free; `None` when no public plan has this id.
pub(super) async fn offered_is_free(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<bool>> {
    let plan = plans::table.filter(plans::id.eq(id).and(plans::is_public));
    Ok(plan
        .select(plans::price_monthly.eq(0).and(plans::price_yearly.eq(0)))
        .first(connection)
        .await
        .optional()?)
}
