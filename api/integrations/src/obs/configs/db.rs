//! Queries over `obs_configs`. Each carries the account.

use api_core::{Patch, Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*, sql_query, sql_types::Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::{self, AccountId},
    schema::obs_configs::dsl,
};

use super::Checked;

/// Stored configuration.
#[derive(Debug, Clone, Queryable)]
pub(crate) struct Row {
    pub port: i32,
    pub has_password: bool,
    pub remote_enabled: bool,
    pub remote_host: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Returns the configuration of an account; `None` when nothing is stored.
pub(crate) async fn find(connection: &mut AsyncPgConnection, account: AccountId) -> Result<Option<Row>> {
    let columns = (
        dsl::port,
        dsl::password.is_not_null(),
        dsl::remote_enabled,
        dsl::remote_host,
        dsl::created_at,
        dsl::updated_at,
    );
    let own = dsl::obs_configs.filter(dsl::account_id.eq(account));
    Ok(own.select(columns).first(connection).await.optional()?)
}

/// Lets changes of the configuration of an account follow each other, so that it counts once.
pub(super) async fn lock(connection: &mut AsyncPgConnection, account: AccountId) -> Result<()> {
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind::<Text, _>(format!("obs_configs:{account}"))
        .execute(connection)
        .await?;
    Ok(())
}

/// Inserts or replaces the configuration of an account.
pub(super) async fn save(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    checked: &Checked,
    password: Patch<Vec<u8>>,
    now: DateTime<Utc>,
) -> Result<Row> {
    let values = (
        dsl::port.eq(checked.port),
        dsl::remote_enabled.eq(checked.remote_enabled),
        dsl::remote_host.eq(&checked.remote_host),
        dsl::revision.eq(id::new()),
        dsl::updated_at.eq(now),
        password.into_change().map(|password| dsl::password.eq(password)),
    );
    let saved = insert_into(dsl::obs_configs)
        .values((dsl::account_id.eq(account), dsl::created_at.eq(now), values.clone()))
        .on_conflict(dsl::account_id)
        .do_update()
        .set(values)
        .returning((
            dsl::port,
            dsl::password.is_not_null(),
            dsl::remote_enabled,
            dsl::remote_host,
            dsl::created_at,
            dsl::updated_at,
        ))
        .get_result(connection)
        .await?;
    Ok(saved)
}

/// Deletes the configuration of an account. False when nothing is stored.
pub(super) async fn delete(connection: &mut AsyncPgConnection, account: AccountId) -> Result<bool> {
    let own = dsl::obs_configs.filter(dsl::account_id.eq(account));
    Ok(diesel::delete(own).execute(connection).await? > 0)
}
