//! Queries over `polls`. Each carries the account.

use api_core::{Page, Result, page::Window};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{db::schema::polls::dsl, platforms::Platform, polls::Poll};
use uuid::Uuid;

pub(super) async fn page(
    connection: &mut AsyncPgConnection,
    account: Uuid,
    window: Window,
) -> Result<Page<Poll>> {
    let total = dsl::polls.filter(dsl::account_id.eq(account)).count().get_result(connection).await?;
    let items = dsl::polls
        .filter(dsl::account_id.eq(account))
        .order((dsl::started_at.desc(), dsl::id.desc()))
        .limit(window.limit)
        .offset(window.offset())
        .select(Poll::as_select())
        .load(connection)
        .await?;
    Ok(Page { items, total, window })
}

pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    account: Uuid,
    id: Uuid,
) -> Result<Option<Poll>> {
    Ok(dsl::polls
        .filter(dsl::id.eq(id).and(dsl::account_id.eq(account)))
        .select(Poll::as_select())
        .first(connection)
        .await
        .optional()?)
}

/// By the platform's id.
pub(super) async fn find_stated(
    connection: &mut AsyncPgConnection,
    account: Uuid,
    platform: Platform,
    platform_poll_id: &str,
) -> Result<Option<Poll>> {
    Ok(dsl::polls
        .filter(
            dsl::account_id
                .eq(account)
                .and(dsl::platform.eq(platform.slug()))
                .and(dsl::platform_poll_id.eq(platform_poll_id)),
        )
        .select(Poll::as_select())
        .first(connection)
        .await
        .optional()?)
}
