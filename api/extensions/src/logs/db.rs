//! Queries over `extension_logs`. Each carries the account and the install.

use api_core::Result;
use diesel::{
    sql_query,
    sql_types::{BigInt, Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::id::AccountId;
use uuid::Uuid;

use super::LogRow;

/// Part of the lines of an install.
pub(super) struct Selection {
    pub account: AccountId,
    pub install: Uuid,
    pub level: Option<&'static str>,
    /// Only lines before this one; none when the install has no such line.
    pub before: Option<Uuid>,
    pub limit: i64,
    pub offset: i64,
}

const LINES: &str = "
    SELECT id, level, message, trigger_type, execution_ms, created_at FROM extension_logs
    WHERE install_id = $1 AND account_id = $2 AND ($3 IS NULL OR level = $3)
        AND ($4 IS NULL OR (created_at, id) < (
            SELECT line.created_at, line.id FROM extension_logs AS line
            WHERE line.id = $4 AND line.install_id = $1 AND line.account_id = $2 LIMIT 1))
    ORDER BY created_at DESC, id DESC LIMIT $5 OFFSET $6";

/// Lists lines, newest first. The statement is planned with its values, so an absent condition costs nothing.
pub(super) async fn list(connection: &mut AsyncPgConnection, selection: &Selection) -> Result<Vec<LogRow>> {
    Ok(sql_query(LINES)
        .bind::<SqlUuid, _>(selection.install)
        .bind::<SqlUuid, _>(selection.account)
        .bind::<Nullable<Text>, _>(selection.level)
        .bind::<Nullable<SqlUuid>, _>(selection.before)
        .bind::<BigInt, _>(selection.limit)
        .bind::<BigInt, _>(selection.offset)
        .load(connection)
        .await?)
}
