//! Queries over `predictions`. Each carries the account.

use api_core::{Page, Result, page::Window};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{db::schema::predictions::dsl, platforms::Platform, predictions::Prediction};
use uuid::Uuid;

pub(super) async fn page(
    connection: &mut AsyncPgConnection,
    account: Uuid,
    window: Window,
) -> Result<Page<Prediction>> {
    let total = dsl::predictions.filter(dsl::account_id.eq(account)).count().get_result(connection).await?;
    let items = dsl::predictions
        .filter(dsl::account_id.eq(account))
        .order((dsl::started_at.desc(), dsl::id.desc()))
        .limit(window.limit)
        .offset(window.offset())
        .select(Prediction::as_select())
        .load(connection)
        .await?;
    Ok(Page { items, total, window })
}

pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    account: Uuid,
    id: Uuid,
) -> Result<Option<Prediction>> {
    Ok(dsl::predictions
        .filter(dsl::id.eq(id).and(dsl::account_id.eq(account)))
        .select(Prediction::as_select())
        .first(connection)
        .await
        .optional()?)
}

/// By the platform's id.
pub(super) async fn find_stated(
    connection: &mut AsyncPgConnection,
    account: Uuid,
    platform: Platform,
    platform_prediction_id: &str,
) -> Result<Option<Prediction>> {
    Ok(dsl::predictions
        .filter(
            dsl::account_id
                .eq(account)
                .and(dsl::platform.eq(platform.slug()))
                .and(dsl::platform_prediction_id.eq(platform_prediction_id)),
        )
        .select(Prediction::as_select())
        .first(connection)
        .await
        .optional()?)
}
