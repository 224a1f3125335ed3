//! Queries over `extension_logs`. Each carries the account and the install.

use api_core::Result;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{id::AccountId, schema::timeseries::extension_logs::dsl};
use uuid::Uuid;

use super::LogRow;

pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    install: Uuid,
    level: Option<&str>,
    limit: i64,
    offset: i64,
) -> Result<Vec<LogRow>> {
    let of_install = dsl::install_id.eq(install).and(dsl::account_id.eq(account));
    let mut query = dsl::extension_logs.filter(of_install).into_boxed();
    if let Some(level) = level {
        query = query.filter(dsl::level.eq(level));
    }
    Ok(query
        .order((dsl::created_at.desc(), dsl::id.desc()))
        .limit(limit)
        .offset(offset)
        .select(LogRow::as_select())
        .load(connection)
        .await?)
}
