//! Queries over `overlay_shares` and their tokens. Each carries the account.

use api_core::{Result, Timestamp};
use chrono::{DateTime, Duration, Utc};
use diesel::{
    QueryableByName, insert_into,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::{AccountId, UserId},
    schema::{overlay_shares, surface_tokens},
};
use uuid::Uuid;

use super::{MAX_SHARES, OverlayShare, OverlayShareCreator};
use crate::surface_tokens::SHARE;

/// Time for which the token of an ended share is kept, so that sockets learn that it has expired.
const ENDED_SHARE_TTL: Duration = Duration::hours(1);

#[derive(Insertable)]
#[diesel(table_name = overlay_shares)]
pub(super) struct NewShare<'a> {
    /// Id of the token.
    pub id: Uuid,
    pub account_id: AccountId,
    pub overlay_id: Uuid,
    pub label: Option<&'a str>,
    pub created_by: Option<UserId>,
    pub created_at: DateTime<Utc>,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    overlay_id: Uuid,
    #[diesel(sql_type = Nullable<Text>)]
    label: Option<String>,
    #[diesel(sql_type = Text)]
    token_prefix: String,
    #[diesel(sql_type = Timestamptz)]
    expires_at: Timestamp,
    #[diesel(sql_type = Timestamptz)]
    created_at: Timestamp,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    creator_id: Option<Uuid>,
    #[diesel(sql_type = Nullable<Text>)]
    creator_name: Option<String>,
}

/// Shares of an account ($1). The token of a share always has an end.
const SELECTED: &str = "
    SELECT share.id, share.overlay_id, share.label, token.token_prefix, token.expires_at, share.created_at,
        creator.id AS creator_id, creator.display_name AS creator_name
    FROM overlay_shares AS share JOIN surface_tokens AS token ON token.id = share.id
    LEFT JOIN users AS creator ON creator.id = share.created_by
    WHERE share.account_id = $1 AND token.expires_at IS NOT NULL";

/// Lists the shares of an overlay that have not ended, newest first.
pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    overlay: Uuid,
    now: DateTime<Utc>,
) -> Result<Vec<OverlayShare>> {
    let sql = format!(
        "{SELECTED} AND share.overlay_id = $2 AND token.expires_at > $3 AND token.revoked_at IS NULL
        ORDER BY share.created_at DESC, share.id DESC LIMIT $4"
    );
    let rows: Vec<Row> = sql_query(sql)
        .bind::<SqlUuid, _>(account.uuid())
        .bind::<SqlUuid, _>(overlay)
        .bind::<Timestamptz, _>(now)
        .bind::<BigInt, _>(MAX_SHARES)
        .load(connection)
        .await?;
    Ok(rows.into_iter().map(OverlayShare::from).collect())
}

/// Number of shares of an overlay that have not ended.
pub(super) async fn count(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    overlay: Uuid,
    now: DateTime<Utc>,
) -> Result<i64> {
    Ok(overlay_shares::table
        .inner_join(surface_tokens::table)
        .filter(overlay_shares::account_id.eq(account).and(overlay_shares::overlay_id.eq(overlay)))
        .filter(surface_tokens::expires_at.gt(now).and(surface_tokens::revoked_at.is_null()))
        .count()
        .get_result(connection)
        .await?)
}

/// Deletes shares of an overlay that ended a while ago, with their tokens.
pub(super) async fn delete_ended(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    overlay: Uuid,
    now: DateTime<Utc>,
) -> Result<()> {
    let own = overlay_shares::table
        .filter(overlay_shares::account_id.eq(account).and(overlay_shares::overlay_id.eq(overlay)))
        .select(overlay_shares::id);
    let ended = surface_tokens::table
        .filter(surface_tokens::account_id.eq(account))
        .filter(surface_tokens::id.eq_any(own).and(surface_tokens::expires_at.lt(now - ENDED_SHARE_TTL)));
    diesel::delete(ended).execute(connection).await?;
    Ok(())
}

/// Stores a share, whose token is stored already.
pub(super) async fn insert(connection: &mut AsyncPgConnection, new: &NewShare<'_>) -> Result<OverlayShare> {
    insert_into(overlay_shares::table).values(new).execute(connection).await?;
    let row: Row = sql_query(format!("{SELECTED} AND share.id = $2"))
        .bind::<SqlUuid, _>(new.account_id.uuid())
        .bind::<SqlUuid, _>(new.id)
        .get_result(connection)
        .await?;
    Ok(row.into())
}

/// Overlay of a share. `None` when the account has no such share.
pub(super) async fn overlay_of(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<Uuid>> {
    Ok(overlay_shares::table
        .filter(overlay_shares::account_id.eq(account).and(overlay_shares::id.eq(id)))
        .select(overlay_shares::overlay_id)
        .first(connection)
        .await
        .optional()?)
}

/// Deletes a share with its token. False when it is gone.
pub(super) async fn delete(connection: &mut AsyncPgConnection, account: AccountId, id: Uuid) -> Result<bool> {
    let own = surface_tokens::table
        .filter(surface_tokens::account_id.eq(account))
        .filter(surface_tokens::kind.eq(SHARE).and(surface_tokens::id.eq(id)));
    Ok(diesel::delete(own).execute(connection).await? > 0)
}

impl From<Row> for OverlayShare {
    fn from(row: Row) -> Self {
        let creator = row.creator_id.zip(row.creator_name);
        Self {
            id: row.id,
            overlay_id: row.overlay_id,
            label: row.label,
            token_prefix: row.token_prefix,
            expires_at: row.expires_at,
            created_at: row.created_at,
            created_by: creator.map(|(id, display_name)| OverlayShareCreator { id, display_name }),
        }
    }
}
