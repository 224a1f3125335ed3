//! Queries over `app_credentials`. Each carries the account.

use api_core::{Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*, sql_query, sql_types::Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    db::schema::app_credentials::{self, dsl},
    id::AccountId,
};
use uuid::Uuid;

/// The table, as sealed secrets name it.
pub(super) const TABLE: &str = "app_credentials";

/// One record a platform; the list is bounded all the same.
const MOST: i64 = 100;

#[derive(Queryable, Selectable)]
#[diesel(table_name = app_credentials)]
pub(super) struct Record {
    pub id: Uuid,
    pub platform: String,
    pub kind: String,
    pub client_id: String,
    pub client_secret: Vec<u8>,
    pub updated_at: Timestamp,
}

#[derive(Insertable)]
#[diesel(table_name = app_credentials)]
pub(super) struct NewRecord<'a> {
    pub id: Uuid,
    pub account_id: AccountId,
    pub platform: &'a str,
    pub kind: &'a str,
    pub client_id: &'a str,
    pub client_secret: &'a [u8],
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

pub(super) async fn list(connection: &mut AsyncPgConnection, account: AccountId) -> Result<Vec<Record>> {
    Ok(dsl::app_credentials
        .filter(dsl::account_id.eq(account))
        .order(dsl::platform)
        .limit(MOST)
        .select(Record::as_select())
        .load(connection)
        .await?)
}

/// The id of a platform's record. Holds back others who write it until the transaction ends, also when there is none
/// yet: the secret is sealed for the id.
pub(super) async fn lock(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    platform: &str,
) -> Result<Option<Uuid>> {
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind::<Text, _>(format!("{TABLE}:{account}:{platform}"))
        .execute(connection)
        .await?;
    Ok(dsl::app_credentials
        .filter(dsl::account_id.eq(account).and(dsl::platform.eq(platform)))
        .select(dsl::id)
        .first(connection)
        .await
        .optional()?)
}

pub(super) async fn put(connection: &mut AsyncPgConnection, record: &NewRecord<'_>) -> Result<Record> {
    Ok(insert_into(dsl::app_credentials)
        .values(record)
        .on_conflict((dsl::account_id, dsl::platform))
        .do_update()
        .set((
            dsl::kind.eq(record.kind),
            dsl::client_id.eq(record.client_id),
            dsl::client_secret.eq(record.client_secret),
            dsl::updated_at.eq(record.updated_at),
        ))
        .returning(Record::as_returning())
        .get_result(connection)
        .await?)
}

/// The id and the client id of the record that was there.
pub(super) async fn delete(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    platform: &str,
) -> Result<Option<(Uuid, String)>> {
    let own = dsl::app_credentials.filter(dsl::account_id.eq(account).and(dsl::platform.eq(platform)));
    Ok(diesel::delete(own).returning((dsl::id, dsl::client_id)).get_result(connection).await.optional()?)
}
