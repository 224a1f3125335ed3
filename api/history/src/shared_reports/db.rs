//! Queries over `stream_shared_links` by a token. The link names its account, which all further queries carry.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{prelude::*, update};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::{id::AccountId, schema::stream_shared_links as links};
use uuid::Uuid;

/// Active link.
#[derive(Clone, Queryable, Selectable)]
#[diesel(table_name = links)]
pub(super) struct Link {
    pub id: Uuid,
    pub account_id: AccountId,
    pub report_id: Uuid,
    pub password_hash: Option<String>,
    pub allow_export: bool,
}

/// Finds the active link of a token by its hash.
pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    token_hash: &[u8],
    now: DateTime<Utc>,
) -> Result<Option<Link>> {
    Ok(links::table
        .filter(links::token_hash.eq(token_hash))
        .filter(links::revoked_at.is_null().and(links::expires_at.gt(now)))
        .select(Link::as_select())
        .first(connection)
        .await
        .optional()?)
}

/// True while a link is active.
pub(super) async fn is_active(
    connection: &mut AsyncPgConnection,
    (account, id): (AccountId, Uuid),
    now: DateTime<Utc>,
) -> Result<bool> {
    let found: Option<Uuid> = links::table
        .filter(links::account_id.eq(account).and(links::id.eq(id)))
        .filter(links::revoked_at.is_null().and(links::expires_at.gt(now)))
        .select(links::id)
        .first(connection)
        .await
        .optional()?;
    Ok(found.is_some())
}

/// Counts a view.
pub(super) async fn count_view(
    connection: &mut AsyncPgConnection,
    (account, id): (AccountId, Uuid),
    now: DateTime<Utc>,
) -> Result<()> {
    update(links::table.filter(links::account_id.eq(account).and(links::id.eq(id))))
        .set((links::view_count.eq(links::view_count + 1), links::last_viewed_at.eq(now)))
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}
